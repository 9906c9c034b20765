"""Whether a sentence asks for something: by its mark, its mood, or the words that lead up to it.

Law: pure; looks at one sentence. Words that are nouns as often as orders ("plan", "report", 研究) ask only where what
follows is an object, so that "Plan B was dropped" and 研究表明 do not.
"""

import re

from core.text.scripts import display_width
from core.text.words import words

LONGEST = 600  # columns; what is longer tells, whatever it ends with

MARK = re.compile(r"[?？][\"'”’)）*_]*$")
TOLD = re.compile(r"[.。!！;；:：][\"'”’)）*_]*$")
LEAD = re.compile(
    r"(?:[\s>*_#\-•]+|\(?\d{1,2}[.)、]\s*"
    r"|(?:so|now|then|next|finally|also|and|but|ok|okay|hi|hello|hey|first|lastly|instead)\b[,:]?\s+"
    r"|(?:那么|所以|现在|接下来|最后|另外|首先|然后|因此|那|好的?|你好|您好|据此|由此|综上(?:所述)?|总之)[，,：:]?\s*)+",
    re.IGNORECASE,
)
PREFACE = re.compile(
    r"(?:(?:based on|according to|given|using|from|with|for|in|on|considering|taking|assuming|if|after|before|to|as)\b"
    r"[^.?!]*?,\s*"
    r"|(?:根据|基于|结合|综合|依据|按照|鉴于|对于|针对|参考|利用|通过|从|就|如果|假设|为了|在)[^。！？]*?[，,]\s*)",
    re.IGNORECASE,
)

ORDERS = "|".join(
    words(
        "answer summari[sz]e explain find compare describe analy[sz]e write tell identify determine calculate compute"
        " investigate translate give show extract evaluate discuss check verify assess recommend suggest propose choose"
        " select decide predict justify convert turn help provide prepare create generate derive deduce infer rewrite"
        " rephrase proofread simplify brainstorm classify categori[sz]e prove solve double-check cross-check advise"
        " illustrate define elaborate clarify add include keep use avoid limit ignore assume consider imagine"
    )
)
PHRASES = (
    r"work(?:ing)? out|figure out|find out|come up with|look (?:for|at|up|into|through)|search for|break down"
    r"|go through|walk (?:me|us)|talk (?:me|us) through|let (?:me|us) know|make sure"
    r"|make (?:an?|the|me|us|one|two)|put (?:it|the|this|these|all)"
    r"|get (?:me|us)|think (?:about|of|through)|point out|lay out|set up|sum up|do (?:an?|the|not)|don't"
    r"|be (?:brief|concise|short)"
)
NOUNS = "|".join(
    words(
        "list report research plan estimate forecast design draft rank order sort outline judge pick rate review"
        " schedule budget map name note search study test table graph plot model quote state propose build group"
    )
)
OBJECT = (
    r"(?:an?|the|my|our|your|this|that|these|those|me|us|it|them|whether|if|how|what|which|who|when|where|why|all|every"
    r"|each|any|one|two|three|four|five|both|next|out)\b"
)
ORDER = re.compile(
    rf"(?:(?:please|kindly|just)\s+)?(?:(?:{ORDERS})\b|(?:{PHRASES})\b|(?:{NOUNS})\s+{OBJECT}"
    r"|(?:list|name|pick|quote)\s+\d)",
    re.IGNORECASE,
)
POLITE = re.compile(r"(?:please|kindly)\b|(?:can|could|would|will) you\b", re.IGNORECASE)
THINGS = (
    r"(?:summary|list|plan|answer|overview|table|estimate|recommendation|suggestion|advice|help|explanation|report|schedule"
    r"|comparison|draft|reply|translation|decision|calculation|figure|number|way|idea|quote|breakdown|timeline)s?"
)
WISH = re.compile(
    r"(?:i|we)\s*(?:"
    r"(?:(?:'d|’d| would)(?: really)? (?:like|love|appreciate|prefer|be grateful))"
    r"|(?: (?:really|just|also|only|still))? (?:want|need|wish|have) (?:you )?to (?:know|understand|find|learn|see"
    r"|decide|determine|compare|work|figure|get|choose|calculate|check)"
    r"|(?: (?:really|just|also|only|still))? (?:want|need) (?:\w+ ){0,4}?" + THINGS + r"\b"
    r"| (?:wonder|was wondering)|(?:'m|’m| am|'re|’re| are) (?:wondering|looking for|interested in|curious"
    r"|trying to (?:find|figure|decide|understand|work)|not sure (?:which|whether|how|if|what))"
    r")|wondering\b|(?:my|our|the|your) (?:main |only |real )?(?:question|task|job|goal|request) (?:here )?is\b"
    r"|any (?:ideas?|advice|suggestions?|thoughts)\b|it would be (?:great|nice|good|helpful)",
    re.IGNORECASE,
)
ASKS_OPENLY = re.compile(
    r"(?:what|which|who|whom|whose|when|where|why|how)\b"
    r"|(?:is|are|was|were|do|does|did|can|could|should|shall|would|will|has|have|may|might)\s+(?:i|we|you|he|she|it|they|there"
    r"|the|this|that|these|those|an?|any|my|our)\b",
    re.IGNORECASE,
)

POLITE_ZH = re.compile(
    r"请(?!假|柬|客)|麻烦(?!的|了|是|在于)|劳驾|帮(?:我|忙|着|助我)|(?:给|替|为)我们?|告诉我|(?:你|您)?(?:能否|能不能|可否|可不可以)"
    r"|(?:你|您)(?:能|可以)|想?请教|咨询|问一?下|求助|求推荐|求解"
    r"|我们?(?:的(?:问题|需求|要求|目标|任务)(?:是|为)"
    r"|(?:还|很|也|就|只|真的)?(?:想|想要|希望|需要|打算)(?:请|问|知道|了解|弄|搞|得到|看|确认|咨询|听|找|你|您|一|有|把|让|对比|比较"
    r"|[^，。]{0,8}(?:清单|报告|方案|建议|总结|计划|表|结论|答案|解释)))"
    r"|(?:你|您|本次|这次)的?(?:任务|工作|目标)(?:是|为)"
)
ORDER_ZH = re.compile(
    r"(?:总结|概括|归纳|分析|研究|解释|说明|阐述|比较|对比|列出|列举|列[一个张份]|找出|找到|找[一几]|回答|计算|算[一算出下]|测算|估算|估计"
    r"|预测|预估|推算|推断|推导|推荐|建议|评估|评价|评判|判断|判定|选出|选择|选[一个]|挑[一个选出]|写|撰写|起草|草拟|拟[定一]|制定|制订|制作"
    r"|做[一个出份成]|设计|规划|计划|安排|整理|梳理|生成|创建|编写|编制|翻译|改写|润色|修改|检查|核对|核实|核算|验证|确认|确定"
    r"|查[一找明清查]|搜索|检索|调查|给出|提出|提供|指出|说[说一出]|讲讲|谈谈|聊聊|描述|介绍|排序|换算|转换|看看|想[一想]|解答|求出|证明"
    r"|讨论|论述|决定|策划|筛选|补充|汇总|统计|分类|提炼|提取|抽取|识别|画[一出个]|绘制"
    r"|[把将][^，。]{1,24}(?:换|改|写|列|整理|翻译|变|分|做|算|排|归|标)"
    r"|按[^，。]{1,12}(?:排|分|列|归|整理))"
    r"(?!报告|结果|数据|人员|机构|公司|中心|部门|小组|团队|师|者|员|值|书|所|院|的|了|过|后|是|为|于|表明|显示|认为|发现|指出|字楼|乙|甲)"
)
REPORTS_ZH = re.compile(r"被|已经|已于|表明|显示|认为|了[。！]?$")
QUESTION_ZH = re.compile(
    r"什么|哪|谁|多少|多久|多大|多长|多远|多高|几[个年时点次天种台家]|如何|怎么|怎样|为何|是否|能否|能不能|可不可以|该不该|要不要|是不是"
    r"|有没有|(?:吗|呢)[。！]?$"
)
OPENS_ASKING_ZH = re.compile(
    r"为什么|为何|怎么|怎样|如何|哪|谁|什么|多少|是否|能否|是不是|有没有|该不该|要不要|[以上前]{2}哪"
)

ALONG = re.compile(
    r"(?:thanks?|thank you|many thanks|cheers|(?:kind |best |warm )?regards|best|sincerely|yours)\b.{0,40}$"
    r"|(?:it|they|the (?:answer|result|reply|text|list|plan))\s+(?:should|must|needs? to|may|has to)\b"
    r"|(?:no more than|at most|at least|in (?:one|two|three|\d+)|under|within|max(?:imum)?|only|not more)\b.{0,60}$"
    r"|(?:多谢|谢谢|感谢|拜托|辛苦|有劳|麻烦)了?.{0,10}$"
    r"|(?:不超过|不少于|至多|最多|至少|控制在|不要|不必|无需|字数|篇幅|要求|务必|注意|须|必须|用(?:中文|英文|表格|[一两三几]句)).{0,40}$",
    re.IGNORECASE | re.DOTALL,
)


def asks(sentence: str, *, last: bool = False) -> bool:
    """Whether a sentence asks or orders. `last`: it stands where questions stand, so that it may lack its mark."""
    if display_width(sentence) > LONGEST:
        return False
    text = sentence.strip()
    if MARK.search(text):
        return True
    lead = LEAD.match(text)
    text = text[lead.end() :] if lead else text
    return (
        _orders(text)
        or (last and _asks_unmarked(text))
        or any(_orders(rest) for rest in _after_preface(text))
    )


def goes_along(sentence: str) -> bool:
    """Whether a sentence says how to answer, or is a courtesy: part of the question that stands before it."""
    return ALONG.match(sentence.strip()) is not None


def _after_preface(text: str) -> list[str]:
    preface = PREFACE.match(text)
    return [text[preface.end() :]] if preface else []


def _orders(text: str) -> bool:
    if POLITE.match(text) or ORDER.match(text) or WISH.match(text) or POLITE_ZH.match(text):
        return True
    return ORDER_ZH.match(text) is not None and REPORTS_ZH.search(text) is None


def _asks_unmarked(text: str) -> bool:
    """Whether it is a question without its mark: in Chinese also before a full stop, where it begins with a question
    word."""
    if OPENS_ASKING_ZH.match(text):
        return True
    return TOLD.search(text) is None and bool(ASKS_OPENLY.match(text) or QUESTION_ZH.search(text))
