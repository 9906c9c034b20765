"""The roles that keep a user's memory as Protocols, with their inputs and results.

Law: an agent sees texts and numbers, never vectors, and changes nothing. What it answers is an opinion that core
checks (`core.agents.faithful`). All raise AgentUnavailable and AgentReplyInvalid.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from core.model.invocation import Item
from core.model.record import Episode

KEY_CHARACTERS = 200
CONTEXT_CHARACTERS = 200
MOST_CANDIDATES = 20  # of one question
CANDIDATE_CHARACTERS = 400
MOST_PASSAGES = 30  # that facts are looked for in at once
MOST_KNOWN = 20
MOST_STRATEGIES = 5
LESSON_CHARACTERS = 400
MOST_EPISODE_STEPS = 20
FEWEST_CALLS = 2  # of tools, in a run that teaches something


class PassageKind(StrEnum):
    INPUT = "input"
    REPLY = "reply"
    SUMMARY = "summary"
    TOOL_RESULT = "tool result"


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of what was said. `number` counts within the question, from 0; `step` is the turn's. `stated`: whether an
    input counts as the user's own words. `writer`: the subject of the API key that wrote it; no agent sees it.
    `is_known`: it was looked through before, and is only there for what others refer to; such ones come last.
    `asked`: how many of the latest questions its turn answered best.
    """

    number: int
    kind: PassageKind
    text: str
    speaker: str = ""
    event_time: datetime | None = None
    step: int = 0
    stated: bool = True
    writer: str = ""
    is_known: bool = False
    asked: int = 0


class Unit(StrEnum):
    """What a length counts."""

    CHARACTERS = "characters"
    WORDS = "words"


class Purpose(StrEnum):
    LONG = "long"  # a stretch of a conversation
    FOLDED = "folded"  # older turns about one thing
    INVOCATION = "invocation"  # one run of an agent: what was asked, done, answered
    EPISODE = "episode"  # a whole conversation: what came of it


class Summariser(Protocol):
    async def summarise(self, passages: Sequence[Passage], limit: int, unit: Unit, purpose: Purpose) -> str:
        """Returns a summary of the passages, in at most `limit` of `unit`: topics, decisions, information, progress."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyOpinion:
    """What should never be forgotten of some passages, and the numbers of those it rests on; without both, nothing."""

    text: str
    passages: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One run of an agent. `succeeded`: as the agent says."""

    query: str
    items: tuple[Item, ...]
    result: str
    succeeded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What worked, or why something failed, in at most LESSON_CHARACTERS, and the numbers of the items it rests on."""

    content: str
    items: tuple[int, ...]
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Distillation:
    """What a run teaches: at most MOST_STRATEGIES, why it failed, and the run as an episode; each may be missing."""

    strategies: tuple[Lesson, ...] = ()
    failure: Lesson | None = None
    episode: Episode | None = None


class Distiller(Protocol):
    async def key(self, passages: Sequence[Passage]) -> KeyOpinion:
        """Returns a statement of at most KEY_CHARACTERS, resting on at least one passage."""
        ...

    async def distil(self, execution: Execution) -> Distillation:
        """Returns what worked, what failed and why; nothing of fewer than two calls of tools."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A fact that may be worth keeping beyond the conversation, and the numbers of the passages it rests on. `speaker`:
    as whom it is quoted; "" for one in an agent's words. `said_dates`: what its relative times come to. `context`: the
    sentence before, word for word, which it refers to; its passage is among `passages`, too. `is_doubtful`: it is a
    fact only if it was said in another conversation, too."""

    content: str
    category: str
    confidence: float
    passages: tuple[int, ...]
    subcategory: str = ""
    speaker: str = ""
    said_dates: tuple[str, ...] = ()
    context: str = ""
    is_doubtful: bool = False


class Extractor(Protocol):
    async def extract(self, passages: Sequence[Passage], known: Sequence[str]) -> Sequence[Candidate]:
        """Returns what lasts of what the user said and tools answered, at most MOST_CANDIDATES. What is `known` and
        said again is told in the same words: it has one more passage to rest on then.

        None may rest on a REPLY: what an agent said is no fact about its user.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Compression:
    """What steps of an agent come to, and the numbers of the items that are told in it."""

    text: str
    items: tuple[int, ...]


class Compressor(Protocol):
    async def compress(self, before: str, items: Sequence[Item], room: int) -> Compression:
        """Returns what was told `before` and the items after it, as one text of at most `room` tokens. Decisions and
        results with figures or errors stay; what finds no room goes oldest first."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryAgents:
    """One of each, chosen in bootstrap. No `compressor`: what reads make of older items by rules is enough."""

    summariser: Summariser
    distiller: Distiller
    extractor: Extractor
    compressor: Compressor | None = None
