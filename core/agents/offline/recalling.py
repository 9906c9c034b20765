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
    ReflectedRecord,
    ReflectionOpinion,
    RouteOpinion,
    figures,
)
from core.language import LANGUAGES, Language, cue, language_of
from core.language.cues import either
from core.long_term.routing import Intent, layers_of
from core.model.record import CATEGORIES
from core.ports.embedder import Embedder

BY_WORD, BY_MEANING, UNSURE = 0.9, 0.6, 0.3
SHARED = 5  # words that several records share, told of
BULLET = 300  # code points of a record's content
FRAME, ENDS = 10, 50  # code points around a bullet or a heading; before the first and after the last

_TASK = re.compile(
    "|".join(re.escape(one.phrases.runs.task.rstrip()).replace(re.escape("{}"), ".+?") for one in LANGUAGES)
)
_QUOTES = re.compile(
    "^(?:"
    + "|".join(re.escape(name) for one in LANGUAGES for name in (one.headings.user, one.phrases.tool))
    + r")\s*[:：]"
)
_TOOL = re.compile(r"\w+_\w+", re.ASCII)

_INTENTS = {
    Intent.REFLECT: cue("reflects", re.IGNORECASE),
    Intent.DECIDE: cue("decides", re.IGNORECASE),
}
DOMAINS: Mapping[str, re.Pattern[str]] = {  # words that tell the domain of a text
    category: re.compile(
        either(tuple(language.cues.domains.get(category, "") for language in LANGUAGES)), re.IGNORECASE
    )
    for category in ("preference", "emotion", "strategy", "work", "life")
}
_PROTOTYPES: Mapping[str, tuple[str, ...]] = {
    category: tuple(q for one in LANGUAGES for q in one.cues.domain_questions.get(category, ()))
    for category in ("work", "life", "preference", "emotion", "strategy")
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
    """What records of several tasks speak of, how often and from when to when; then records by weight as bullets, a
    section for each subcategory, those of one task under it: extractive, and says so by its form."""

    async def reflect(
        self,
        title: str,
        category: str,  # noqa: ARG002  a model's Reflector asks for it
        records: Sequence[ReflectedRecord],
    ) -> ReflectionOpinion:
        language = language_of(title + "".join(record.content for record in records))
        common = _in_common(records, language)
        room = LONGEST_REFLECTION - len(title) - ENDS - sum(len(line) + 1 for line in common)
        order = _fitting(records, language, room)
        lines = [f"# {title}", *common]
        for subject in dict.fromkeys(record.subcategory for record in order):
            lines += ["", f"## {_heading(subject, language)}", ""]
            lines += _bullets([record for record in order if record.subcategory == subject], language)
        used, count = [record.number for record in order], len(order)
        days = _days([record for record in records if record.number in used], language)
        phrases = language.phrases.reflections
        ending = (phrases.source if count == 1 else phrases.sources).format(count, days)
        return ReflectionOpinion(text="\n".join((*lines, "", ending)) + "\n", records=tuple(sorted(used)))


def _in_common(records: Sequence[ReflectedRecord], language: Language) -> list[str]:
    """Returns a section of the words that records of several tasks share, each with how many, and their days; none
    where no word is shared."""
    tasks: dict[str, list[str]] = {}
    for record in records:
        tasks.setdefault(_task_of(record) or record.content, []).append(_said(record))
    often = list(shared_words(["\n".join(contents) for contents in tasks.values()]))[:SHARED]
    sharing = {word: [r for r in records if word.casefold() in _said(r).casefold()] for word in often}
    phrases = language.phrases.reflections
    lines = [
        phrases.shared.format(
            word=word, count=len(sharing[word]), total=len(records), days=_days(sharing[word], language)
        )
        for word in often
    ]
    return ["", f"## {phrases.common}", "", *lines] if lines else []


def _said(record: ReflectedRecord) -> str:
    """Returns the content without whom it quotes, and without tools' names: no matter is in these words."""
    return _TOOL.sub(" ", _QUOTES.sub("", record.content))


def _days(records: Sequence[ReflectedRecord], language: Language) -> str:
    """Returns the first and the last day of some records."""
    times = [record.event_time for record in records]
    first, last = f"{min(times):%Y-%m-%d}", f"{max(times):%Y-%m-%d}"
    return first if first == last else language.phrases.reflections.period.format(first, last)


def _fitting(records: Sequence[ReflectedRecord], language: Language, room: int) -> list[ReflectedRecord]:
    """Returns the records by weight for whose bullets and headings there is room, in characters."""
    fitting: list[ReflectedRecord] = []
    subjects: set[str] = set()
    for record in sorted(records, key=lambda record: (-record.weight, record.number)):
        task = _task_of(record)
        size = len(task) + len(_bullet(record, language, len(task))) + FRAME
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


def _task_of(record: ReflectedRecord) -> str:
    """Returns the opening of a record that says for which task it holds; empty where it has none."""
    found = _TASK.match(" ".join(record.content.split()))
    return found.group() if found else ""


def _bullets(records: Sequence[ReflectedRecord], language: Language) -> list[str]:
    """Returns a bullet for each record; of several of one task the task stands once above them."""
    by_task: dict[str, list[ReflectedRecord]] = {}
    for record in records:
        by_task.setdefault(_task_of(record) or f"{record.number}", []).append(record)
    lines: list[str] = []
    for task, together in by_task.items():
        if len(together) == 1:
            lines.append(_bullet(together[0], language))
            continue
        lines.append(f"- {task.rstrip()}")
        lines += [f"  {_bullet(record, language, len(task))}" for record in together]
    return lines


def _bullet(record: ReflectedRecord, language: Language, start: int = 0) -> str:
    """Returns the content from a place on as one line, with its date and confidence. No figure of it is cut in two."""
    whole = " ".join(record.content.split())[start:].strip()
    content, known = whole[:BULLET], frozenset(figures(whole))
    while not known.issuperset(figures(content)):
        content = content[:-1]
    return language.phrases.reflections.bullet.format(
        content=content, day=record.event_time, confidence=record.confidence
    )


def offline_recall_agents(embedder: Embedder) -> RecallAgents:
    """Makes one of each."""
    return RecallAgents(router=OfflineRouter(embedder), reflector=OfflineReflector())
