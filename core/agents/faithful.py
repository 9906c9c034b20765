"""Whether what an agent wrote can be trusted to stand for what was said.

Law: pure. A text that says nothing, is too long or holds a figure that no source has is not kept. Figures count in any
form of their digits (full-width, with separators); those of a date also count where a passage's "yesterday", or the
day it was said, comes to them.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from core.agents.memory_roles import (
    CANDIDATE_CHARACTERS,
    KEY_CHARACTERS,
    LESSON_CHARACTERS,
    MOST_EPISODE_STEPS,
    MOST_STRATEGIES,
    Candidate,
    Compression,
    Distillation,
    Execution,
    KeyOpinion,
    Passage,
    PassageKind,
    Unit,
)
from core.agents.outcomes import essence
from core.language import unspaced
from core.model.invocation import Item, ItemType
from core.model.record import Episode
from core.text.moments import CALENDAR, Frame, spans
from core.text.scripts import WIDE
from core.text.tokens import estimate

FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
THOUSANDS = re.compile(r",(?=\d{3}(?!\d))")
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
STEP = re.compile(r"^\[\d+\]", re.MULTILINE)  # that a line of a compressed text begins with
NAME = re.compile(r"(?<=[\w,;'’] )[A-Z][\w-]*")
TOOL = re.compile(r"[A-Za-z]\w*_\w+|(?<=`)\w+(?=`)")  # what looks like the name of a tool or of an argument
NAMED_KINDS = ("nr", "ns", "nt", "nz")  # persons, places, organisations, other names
CATEGORY = re.compile(r"[a-z][a-z0-9_]{0,63}")
TELLS = frozenset({PassageKind.INPUT, PassageKind.TOOL_RESULT})
PIECE_TOKENS = 30  # that telling of one more item takes beside its words
FULL = 0.75  # of its room that a text takes, from which on older figures may go
NO_NAMES = CALENDAR | {"i", "user", "speaker", "tool", "用户", "工具"}


@dataclass(frozen=True, slots=True)
class _Heard:
    """What a whole run said, read once: its figures with the numbers of steps, and its words without case."""

    figures: frozenset[str]
    plain: str

    @classmethod
    def of(cls, text: str) -> Self:
        numbers = map(str, range(MOST_EPISODE_STEPS + 1))
        return cls(frozenset((*_figures(text), *numbers)), text.casefold())


def length(text: str, unit: Unit) -> int:
    """Returns a text's length in a unit. A wide character among words counts as one."""
    if unit is Unit.CHARACTERS:
        return len(text)
    wide = len(WIDE.findall(text))
    return wide + len(WORD.findall(WIDE.sub(" ", text)))


def problem_of_summary(text: str, passages: Sequence[Passage], limit: int, unit: Unit) -> str:
    """Returns what is wrong with a summary, worded for its author; empty if nothing is."""
    if not any(map(str.isalnum, text)):
        return "the summary has no words"
    if length(text, unit) > limit:
        return f"the summary has {length(text, unit)} {unit}, and may have {limit}"
    return _unheard(text, passages)


def problem_of_key(opinion: KeyOpinion, passages: Sequence[Passage]) -> str:
    """Returns what is wrong with a key; empty if nothing is. One without words and passages says that nothing is worth
    keeping."""
    if not opinion.text and not opinion.passages:
        return ""
    known = {passage.number: passage for passage in passages}
    if not opinion.passages or not set(opinion.passages) <= known.keys():
        return "it must name the passages it rests on, of those given"
    if not any(map(str.isalnum, opinion.text)):
        return "the key has no words"
    if len(opinion.text) > KEY_CHARACTERS:
        return f"the key has {len(opinion.text)} characters, and may have {KEY_CHARACTERS}"
    return _unheard(opinion.text, passages)


def problem_of_candidate(candidate: Candidate, passages: Sequence[Passage]) -> str:
    """Returns what is wrong with a fact that was found; empty if nothing is."""
    cited = [passage for passage in passages if passage.number in candidate.passages]
    if not candidate.passages or len(cited) != len(set(candidate.passages)):
        return "a fact must name the passages it rests on, of those given"
    if any(passage.kind not in TELLS for passage in cited):
        return "a fact must rest on inputs and tool results alone"
    if not any(map(str.isalnum, candidate.content)):
        return "a fact has no words"
    if len(candidate.content) > CANDIDATE_CHARACTERS:
        return f"a fact has {len(candidate.content)} characters, and may have {CANDIDATE_CHARACTERS}"
    if not CATEGORY.fullmatch(candidate.category):
        return "a category must be a lower-case word"
    if candidate.context and not any(candidate.context in passage.text for passage in cited):
        return "a fact's context must stand in a passage that it rests on"
    return _unheard(candidate.content, cited) or _unnamed(candidate.content, cited)


def problem_of_distilled(distilled: Distillation, execution: Execution) -> str:
    """Returns what is wrong with what a run is claimed to teach; empty if nothing is."""
    lessons = [*distilled.strategies, *((distilled.failure,) if distilled.failure else ())]
    if len(distilled.strategies) > MOST_STRATEGIES:
        return f"there may be {MOST_STRATEGIES} strategies"
    heard = _Heard.of(_of_run(execution))
    known = {item.number for item in execution.items}
    for lesson in lessons:
        if not lesson.items or not set(lesson.items) <= known:
            return "a lesson must name the items it rests on, of those given"
        if not any(map(str.isalnum, lesson.content)) or len(lesson.content) > LESSON_CHARACTERS:
            return f"a lesson has 1 to {LESSON_CHARACTERS} characters"
        if problem := _invented(f"{lesson.content}\n{lesson.detail}", heard):
            return problem
    return _problem_of_episode(distilled.episode, heard) if distilled.episode else ""


def problem_of_compression(compression: Compression, before: str, items: Sequence[Item], room: int) -> str:
    """Returns what is wrong with a compression of steps; empty if nothing is. What must stay may be missing only
    where it would find no room."""
    size = estimate(compression.text)
    if not set(compression.items) <= {item.number for item in items}:
        return "it must name items that were given"
    if not any(map(str.isalnum, compression.text)):
        return "the text has no words"
    if size > room:
        return f"the text takes {size} tokens, and may take {room}"
    sources = (f"{i.step}\n{i.tool}\n{i.arguments_json}\n{i.error_type}\n{i.content}" for i in items)
    if problem := _invented(compression.text, _Heard.of("\n".join((before, *sources)))):
        return problem
    shown = set(_figures(compression.text))
    for item in items:
        stays = essence(item)
        if item.number not in compression.items:
            if stays and size + estimate(stays) + PIECE_TOKENS <= room:
                return f"item {item.number} must stay, and there is room for it"
        elif item.type is not ItemType.DECISION and (own := set(_figures(stays))) and not own & shown:
            return f"item {item.number} is named, and none of its figures is told"
    lost = [figure for figure in _figures(STEP.sub("", before)) if figure not in shown]
    if lost and size <= room * FULL:
        return f"{lost[0]} was told before and is missing, and there is room for it"
    return ""


def _problem_of_episode(episode: Episode, heard: _Heard) -> str:
    if len(episode.steps) > MOST_EPISODE_STEPS:
        return f"an episode has at most {MOST_EPISODE_STEPS} steps"
    return _invented("\n".join((*episode.steps, episode.outcome, episode.lessons)), heard)


def _of_run(execution: Execution) -> str:
    sources = (f"{i.tool}\n{i.arguments_json}\n{i.error_type}\n{i.content}" for i in execution.items)
    return "\n".join((execution.query, execution.result, *sources))


def _invented(text: str, heard: _Heard) -> str:
    """Returns a figure, or a tool's name, that nothing in the run has."""
    for figure in _figures(text):
        if figure not in heard.figures:
            return f"{figure} stands in none of the items"
    for name in TOOL.findall(text):
        if name.casefold() not in heard.plain:
            return f"{name} stands in none of the items"
    return ""


def _unnamed(text: str, passages: Sequence[Passage]) -> str:
    """Returns which name of the text none of the passages has. A word that begins a sentence need not be one."""
    heard = "\n".join(f"{passage.speaker}\n{passage.text}" for passage in passages).casefold()
    for name in _names(text):
        if name.casefold() not in heard and name.casefold() not in NO_NAMES:
            return f"{name} stands in none of the passages"
    return ""


def _names(text: str) -> Iterator[str]:
    yield from NAME.findall(text)
    if language := unspaced(text):
        yield from (
            w.text for w in language.tagged(text) if w.kind.startswith(NAMED_KINDS) and len(w.text) > 1
        )


def _unheard(text: str, passages: Sequence[Passage]) -> str:
    heard = {figure for each in passages for figure in (*_figures(each.text), *_figures(each.speaker))}
    heard |= {str(passage.step) for passage in passages}
    wanting = [figure for figure in _figures(text) if figure not in heard]
    if wanting:
        dates = set(_dates(passages))
        wanting = [figure for figure in wanting if figure not in dates]
    return f"{wanting[0]} stands in none of the passages" if wanting else ""


def _figures(text: str) -> Iterator[str]:
    for found in FIGURE.findall(unicodedata.normalize("NFKC", text)):
        yield THOUSANDS.sub("", found).lstrip("0") or "0"


def _dates(passages: Iterable[Passage]) -> Iterator[str]:
    """Returns year, month and day of the days that passages were said on, or speak of."""
    for passage in passages:
        stated = passage.event_time
        if stated is None:
            continue
        yield from _parts(stated.year, stated.month, stated.day)
        for start, end in spans(passage.text, Frame(first=stated.year, last=stated.year, now=stated)):
            last = end - timedelta(days=1)
            yield from _parts(start.year, start.month, start.day)
            yield from _parts(last.year, last.month, last.day)


def _parts(*numbers: int) -> Iterator[str]:
    yield from map(str, numbers)
