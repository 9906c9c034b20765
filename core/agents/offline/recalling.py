"""The Router and the Reflector without a language model: by word lists and embeddings, and by order of weight.

Law: deterministic, no network but the embedder's, both languages.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core.agents.offline.labels import shared_words
from core.agents.recall_roles import (
    LONGEST_REFLECTION,
    RecallAgents,
    Reflected,
    ReflectionOpinion,
    RouteOpinion,
    figures,
)
from core.language import Language, language_of
from core.long_term.routing import Intent, layers_of
from core.model.record import CATEGORIES
from core.ports.embedder import Embedder

BY_WORD, BY_MEANING, UNSURE = 0.9, 0.6, 0.3
SHARED = 5  # words that several records share, told of
BULLET = 300  # code points of a record's content
FRAME, ENDS = 10, 50  # code points around a bullet or a heading; before the first and after the last

_INTENTS = {
    Intent.REFLECT: re.compile(
        r"\b(?:lessons?|learn(?:ed|t)?|look(?:ing)? back|sum(?:med)? up|summari[sz]e|reflect(?:ion|ing)?|in hindsight"
        r"|retrospective|went wrong|mistakes?|patterns?|experiences? with)\b"
        r"|教训|总结|反思|复盘|回顾|经验|规律|错在|吸取",
        re.IGNORECASE,
    ),
    Intent.DECIDE: re.compile(
        r"\b(?:should|shall|choose|choosing|decide|deciding|pick|recommend|suggest|better to|best way|how (?:do|can|to)"
        r"|which (?:one|of)|what to do|worth|advice|instead of)\b"
        r"|该|应该|选|怎么办|如何|怎么做|推荐|建议|哪个好|要不要|是否值得",
        re.IGNORECASE,
    ),
}
DOMAINS: Mapping[str, re.Pattern[str]] = {  # words that tell the domain of a text
    "preference": re.compile(
        r"\b(?:prefer(?:s|red|ence|ences)?|favou?rites?|likes?|dislikes?|hates?|loves?|fond of|taste)\b"
        r"|喜欢|讨厌|偏好|爱好|最爱|偏爱|口味|习惯用",
        re.IGNORECASE,
    ),
    "emotion": re.compile(
        r"\b(?:feel(?:s|ing|ings)?|felt|mood|worried|anxious|happy|sad|angry|upset|afraid|stress(?:ed)?|nervous|proud)\b"
        r"|心情|情绪|感受|难过|高兴|开心|焦虑|担心|生气|害怕|压力|紧张|骄傲",
        re.IGNORECASE,
    ),
    "strategy": re.compile(
        r"\b(?:strateg(?:y|ies)|approach(?:es)?|fix(?:ed|es)?|error|errors|retry|retries|recover(?:y|ed)?|workarounds?"
        r"|troubleshoot(?:ing)?|timeouts?)\b|策略|方法|修复|报错|错误|重试|解决办法|排查|超时",
        re.IGNORECASE,
    ),
    "work": re.compile(
        r"\b(?:work(?:s|ing)?|project|projects|deadline|client|clients|meeting|team|colleagues?|boss|manager|release"
        r"|deploy(?:ment)?|code|repository|database|office|company|job)\b"
        r"|工作|项目|公司|客户|同事|老板|会议|截止|上线|部署|代码|数据库|团队|办公",
        re.IGNORECASE,
    ),
    "life": re.compile(
        r"\b(?:family|wife|husband|daughter|son|mother|father|sister|brother|birthday|home|house|pet|dog|cat|doctor"
        r"|allerg(?:y|ic|ies)|holiday|vacation|school|live|lives|born)\b"
        r"|家|妻子|丈夫|女儿|儿子|母亲|父亲|妈妈|爸爸|姐|妹|哥|弟|生日|宠物|狗|猫|医生|过敏|假期|旅行|学校|住在|出生",
        re.IGNORECASE,
    ),
}
_PROTOTYPES: Mapping[str, tuple[str, ...]] = {
    "work": (
        "When is the project due?",
        "Who leads the team at the office?",
        "Which database does the service use?",
        "What did the client ask for?",
        "When is the next release?",
        "项目什么时候截止？",
        "谁负责这个团队？",
        "服务用的是哪种数据库？",
        "客户提了什么要求？",
        "下次上线是什么时候？",
    ),
    "life": (
        "Where does the family live?",
        "When is her birthday?",
        "What is the name of the dog?",
        "Where did we go on holiday?",
        "Which school do the children go to?",
        "一家人住在哪里？",
        "她的生日是哪天？",
        "那条狗叫什么名字？",
        "去年假期去了哪里？",
        "孩子在哪所学校上学？",
    ),
    "preference": (
        "What does the user like to eat?",
        "Which style of answer is wanted?",
        "What is the favourite colour?",
        "Tea or coffee?",
        "Which editor does the user like best?",
        "用户爱吃什么？",
        "希望用什么风格回答？",
        "最喜欢的颜色是什么？",
        "喝茶还是咖啡？",
        "最常用哪个编辑器？",
    ),
    "emotion": (
        "How did the user feel about it?",
        "Why was she upset?",
        "What made him proud?",
        "What is the user afraid of?",
        "Is she stressed at the moment?",
        "用户对此感觉如何？",
        "她为什么难过？",
        "什么让他骄傲？",
        "用户害怕什么？",
        "她最近压力大吗？",
    ),
    "strategy": (
        "How was the failing tool call fixed?",
        "Which approach worked last time?",
        "What helps against timeouts?",
        "How do we recover from this error?",
        "What should be tried first when the search fails?",
        "失败的工具调用是怎么修好的？",
        "上次哪种方法有效？",
        "超时的时候怎么处理？",
        "这个错误怎么恢复？",
        "检索失败时先试什么？",
    ),
}


class OfflineRouter:
    """Intent by words; domain by words, else by nearness to prototype questions. Raises EmbedderUnavailable."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._prototypes: NDArray[np.float32] | None = None

    async def route(self, query: str) -> RouteOpinion:
        intent = next((i for i, words in _INTENTS.items() if words.search(query)), Intent.ASK)
        named = tuple(category for category in CATEGORIES if DOMAINS[category].search(query))
        confidence = BY_WORD
        if not named:
            named, confidence = await self._by_meaning(query)
        return RouteOpinion(intent=intent, categories=named, layers=layers_of(intent), confidence=confidence)

    async def _by_meaning(self, query: str) -> tuple[tuple[str, ...], float]:
        """Returns the category of the nearest prototype, where it is near enough to be related."""
        if self._prototypes is None:
            sentences = [sentence for examples in _PROTOTYPES.values() for sentence in examples]
            self._prototypes = await self._embedder.embed_queries(sentences)
        (vector,) = await self._embedder.embed_queries([query])
        cosines = self._prototypes @ vector
        space = self._embedder.space
        best = int(np.argmax(cosines))
        near = (float(cosines[best]) - space.cosine_floor) / (space.cosine_ceiling - space.cosine_floor)
        category = [name for name, examples in _PROTOTYPES.items() for _ in examples][best]
        if near < self._embedder.thresholds.related:
            return (), UNSURE
        return (category,), BY_MEANING


class OfflineReflector:
    """What several records speak of, how often and from when to when; then records by weight as bullets, a section for
    each subcategory: extractive, and says so by its form."""

    async def reflect(self, title: str, category: str, records: Sequence[Reflected]) -> ReflectionOpinion:  # noqa: ARG002
        language = language_of(title + "".join(record.content for record in records))
        common = _in_common(records, language)
        room = LONGEST_REFLECTION - len(title) - ENDS - sum(len(line) + 1 for line in common)
        order = _fitting(records, language, room)
        lines = [f"# {title}", *common]
        for subject in dict.fromkeys(record.subcategory for record in order):
            lines += ["", f"## {_heading(subject, language)}", ""]
            lines += [_bullet(record, language) for record in order if record.subcategory == subject]
        used, count = [record.number for record in order], len(order)
        days = _days([record for record in records if record.number in used], language)
        phrases = language.phrases.reflections
        ending = (phrases.source if count == 1 else phrases.sources).format(count, days)
        return ReflectionOpinion(text="\n".join((*lines, "", ending)) + "\n", records=tuple(sorted(used)))


def _in_common(records: Sequence[Reflected], language: Language) -> list[str]:
    """Returns a section of the words that several records share, each with how many, and their days; none where no word
    is shared."""
    often = list(shared_words([record.content for record in records]))[:SHARED]
    sharing = {word: [r for r in records if word.casefold() in r.content.casefold()] for word in often}
    phrases = language.phrases.reflections
    lines = [
        phrases.shared.format(
            word=word, count=len(sharing[word]), total=len(records), days=_days(sharing[word], language)
        )
        for word in often
    ]
    return ["", f"## {phrases.common}", "", *lines] if lines else []


def _days(records: Sequence[Reflected], language: Language) -> str:
    """Returns the first and the last day of some records."""
    times = [record.event_time for record in records]
    first, last = f"{min(times):%Y-%m-%d}", f"{max(times):%Y-%m-%d}"
    return first if first == last else language.phrases.reflections.period.format(first, last)


def _fitting(records: Sequence[Reflected], language: Language, room: int) -> list[Reflected]:
    """Returns the records by weight for whose bullets and headings there is room, in characters."""
    fitting: list[Reflected] = []
    subjects: set[str] = set()
    for record in sorted(records, key=lambda record: (-record.weight, record.number)):
        size = len(_bullet(record, language)) + FRAME
        if record.subcategory not in subjects:
            size += len(_heading(record.subcategory, language)) + FRAME
        if size <= room:
            room -= size
            fitting.append(record)
            subjects.add(record.subcategory)
    return fitting


def _heading(subject: str, language: Language) -> str:
    if subject:
        return subject.replace("_", " ")
    return language.phrases.reflections.general


def _bullet(record: Reflected, language: Language) -> str:
    """Returns the content as one line, with its date and confidence. No figure of it is cut in two."""
    whole = " ".join(record.content.split())
    content, known = whole[:BULLET], frozenset(figures(whole))
    while not known.issuperset(figures(content)):
        content = content[:-1]
    return language.phrases.reflections.bullet.format(
        content=content, day=record.event_time, confidence=record.confidence
    )


def offline_recall_agents(embedder: Embedder) -> RecallAgents:
    """Makes one of each."""
    return RecallAgents(router=OfflineRouter(embedder), reflector=OfflineReflector())
