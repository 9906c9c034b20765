"""Whether a sentence that a user said holds something worth keeping beyond the conversation.

Law: pure; one sentence at a time; English and Chinese. Speaks for it: that the speaker tells of themselves and of
theirs, when, whom and what; against it: that it asks, orders, thanks or praises. The weights were fitted to annotated
dialogues and rounded (tests/bench/bench_extraction.py); above zero it is worth keeping.
"""

import re
from collections.abc import Mapping

from core.agents.offline.asking import asks
from core.agents.offline.stopwords import COMMON_EN, COMMON_ZH
from core.text.chinese import tagged
from core.text.scripts import is_chinese
from core.text.words import words

MOST_CONCRETE = 8  # words that count
SHORT = 5  # of fewer words a sentence hardly tells anything
BAR = -2.4  # what a sentence that says nothing is worth

_WORD = re.compile(r"[\w'’-]+")
_LETTERS = re.compile(r"[a-z][a-z'-]{2,}")
_CONTENT = ("n", "v", "a", "i", "l")  # kinds of Chinese words that say what
_VAGUE = words(
    """
    love loves joy happiness peace passion journey journeys impact memory memories experience experiences support
    strength hope hopes step steps energy vibe vibes beauty connection connections bond bonds success dream dreams
    effort efforts amazing proud grateful thankful inspiring inspired inspires inspiration powerful
    tough special rewarding fulfilling
    motivated motivates motivation motivating reminder remind reminds share shares sharing enjoy enjoying life lives
    positive positivity beautiful heartwarming meaningful stories story difference
    """
)


def _any(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


_EN: Mapping[str, re.Pattern[str]] = {
    "own": _any("i|i['’](?:m|ve|d|ll)|we|we['’](?:re|ve|d|ll)|my|our|me|us|mine|myself|ours"),
    "yours": _any("you|your|yours|you['’](?:re|ve|ll|d)|ur"),
    "praises": _any(
        "that['’]s|that is|sounds?|looks?|wow|congrats|congratulations|glad|awesome|cool|great job|well done"
        "|proud of you|good luck|sorry to hear|can['’]t wait|no problem|you['’]re welcome|agree[ds]?"
        "|makes sense|never ?mind"
    ),
    "when": _any(
        "yesterday|today|tonight|tomorrow|last|next|ago|weekends?|weeks?|months?|days?|years?|spring|summer|autumn|winter"
        "|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|june|july|august|september|october"
        "|november|december|since|always|every|recently|lately|once|usually|mornings?|evenings?"
    ),
    "whom": _any(
        "mom|mum|dad|mother|father|parents?|sisters?|brothers?|sons?|daughters?|kids?|child(?:ren)?|husband|wife|partner"
        "|family|grand\\w+|friends?|aunt|uncle|cousins?|nephew|niece|colleagues?|boss|manager|team|mentors?|neighbou?rs?"
        "|dogs?|puppy|cats?|clients?|customers?|landlord|doctor"
    ),
    "doing": _any(
        r"(?:i['’]m|i am|we['’]re|we are|i['’]ve been|we['’]ve been)(?: \w+ly| just| also| still)? \w+ing"
    ),
    "feels": _any("feels?|felt|feeling|makes me|made me|helps? me|grateful|meaningful|special"),
    "figure": re.compile(r"\d"),
    "named": re.compile(r"(?<=[\w,’'] )(?!I\b|I['’])[A-Z][a-z]+|\b[A-Z]\w*[A-Z0-9]\w*\b"),
    "rules": _any(
        "prefer|favou?rite|hate|can['’]t stand|allergic|vegetarian|vegan|i can['’]t (?:eat|drink|have)|call me"
    ),
    "settled": _any(
        "decided|agreed on|signed|due|deadline|deliver\\w*|rejected|approved|costs?|budget|lives? (?:in|on|at|with)"
        "|runs on|gave up|because of"
    ),
    "may_be": _any("maybe|perhaps|if|would|could|might|should|let me|let['’]s"),
}
_ZH: Mapping[str, re.Pattern[str]] = {
    "own": re.compile("我|咱|俺"),
    "yours": re.compile("你|您"),
    "praises": re.compile(
        "谢谢|太好了|厉害|不错|真棒|恭喜|加油|没关系|不客气|辛苦|同意|说得对|有道理|听起来|看起来|算了|没事|好的[，。]|让我想想"
    ),
    "when": re.compile(
        "昨天|今天|明天|后天|前天|去年|今年|明年|上周|下周|上个月|下个月|周[一二三四五六日末]|星期|月份?|年|每天|每周|每年|最近|以前"
        "|[早晚]上|从小|一直|经常|平时"
    ),
    "whom": re.compile(
        "爸|妈|父亲|母亲|父母|姐|妹|哥|弟|儿子|女儿|孩子|丈夫|妻子|老公|老婆|爱人|家人|爷爷|奶奶|外公|外婆|叔|姨|朋友|同事|老板|经理|团队"
        "|客户|房东|医生|邻居|狗|猫|金毛"
    ),
    "doing": re.compile("正在|在(?:学|读|做|准备|练|写|找)|打算|计划|想(?:要|在|去|开|学|买)"),
    "feels": re.compile("觉得|感觉|让我"),
    "figure": re.compile(r"\d|[一二三四五六七八九十百千万两]+(?:个|岁|年|月|天|点|号|元|块|公里|人|次)"),
    "named": re.compile(r"[A-Z][A-Za-z0-9]+"),
    "rules": re.compile("喜欢|讨厌|最爱|偏爱|不爱|过敏|不能吃|不能喝|不吃|不喝|吃素|忌口|叫我|戒了|习惯"),
    "settled": re.compile(
        "决定|定了|选定|截止|签了?合同|上线|预算|端口|否决|批准|通过了|启动会|租|搬到|住在|结的?婚|担心|骄傲|上夜班|上班|工作|养了"
    ),
    "may_be": re.compile("可能|也许|如果|要是|或许|好像"),
}
_WEIGHTS: Mapping[str, float] = {
    "own": 0.8,
    "yours": -0.2,
    "praises": -0.65,
    "when": 0.6,
    "whom": 0.5,
    "doing": 0.9,
    "feels": -0.4,
    "figure": 1.0,
    "named": 0.5,
    "rules": 1.6,
    "settled": 0.8,
    "may_be": -0.3,
}
ONLY_OWN = 0.6  # that it speaks of the speaker, and not of whom it is said to
CONCRETE = 0.35  # a word that names something
HARDLY = -0.85  # that it is short
_STANDING = re.compile(
    r"\b(?:always|never(?! ?mind)|from now on|in future|every time)\b|以后|今后|从现在起|总是|一直|永远"
    "|不要给我|别给我",
    re.IGNORECASE,
)
STANDING = 3.0  # that it says how things are to be done from now on


def worth(sentence: str) -> float:
    """Returns how much lasting information it has; 0 or less: not worth keeping."""
    chinese = is_chinese(sentence)
    found = {name for name, cue in (_ZH if chinese else _EN).items() if cue.search(sentence)}
    standing = _STANDING.search(sentence) is not None
    if "?" in sentence or "？" in sentence or (asks(sentence) and not standing):
        return BAR
    total = BAR + sum(_WEIGHTS[name] for name in found)
    total += ONLY_OWN * ("own" in found and "yours" not in found)
    total += STANDING * (standing and asks(sentence))
    names, concrete, count = _content_zh(sentence) if chinese else _content_en(sentence)
    total += _WEIGHTS["named"] * (names and "named" not in found)
    return total + CONCRETE * min(concrete, MOST_CONCRETE) + HARDLY * (count < SHORT)


def _content_en(sentence: str) -> tuple[bool, int, int]:
    """Whether it names a person (by its cues), how many of its words name something, and how many there are."""
    words = set(_LETTERS.findall(sentence.lower().replace("’", "'")))
    return False, len(words - COMMON_EN - _VAGUE), len(_WORD.findall(sentence))


def _content_zh(sentence: str) -> tuple[bool, int, int]:
    cut = [word for word in tagged(sentence) if any(map(str.isalnum, word.text))]
    named = any(word.kind.startswith(("nr", "ns", "nt", "nz")) for word in cut)
    content = {
        w.text for w in cut if w.kind.startswith(_CONTENT) and len(w.text) > 1 and w.text not in COMMON_ZH
    }
    return named, len(content), len(cut)
