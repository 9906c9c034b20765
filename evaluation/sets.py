"""What an evaluation set is, whatever form it was read from."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from core.usecases.bank.record import Context


class SetUnusable(Exception):
    """A file is no evaluation set. The message says what is wrong with it, and where."""


class Split(StrEnum):
    """Whether settings of this program were chosen on a set: then its figures are optimistic."""

    DEVELOPMENT = "development"
    HELD_OUT = "held out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question and the ids of all messages that its answer needs.

    `answer`: what is right; empty: not told. `apart`: reported by itself, and left out of the total.
    """

    question_id: str
    text: str
    category: str
    evidence: frozenset[str]
    hard_negatives: frozenset[str] = frozenset()
    language: str = ""
    answer: str = ""
    apart: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What one bank is to remember, in order, and what it is asked. Message ids are unique in a world."""

    world_id: str
    contexts: tuple[Context, ...]
    questions: tuple[Question, ...]

    @property
    def message_count(self) -> int:
        return sum(len(context.messages) for context in self.contexts)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationSet:
    """`digest`: the first twelve figures of the file's SHA-256. `skipped`: questions without usable evidence.
    `limit`: how many questions of a world are asked; 0: all."""

    name: str
    language: str
    worlds: tuple[World, ...]
    digest: str = ""
    skipped: int = 0
    limit: int = 0
    split: Split = Split.HELD_OUT

    @property
    def questions(self) -> tuple[Question, ...]:
        return tuple(question for world in self.worlds for question in world.questions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A world of facts, a question about them, a fact that contradicts those at `contradicted`."""

    world: tuple[str, ...]
    question: str
    contradicting: str
    contradicted: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradictions:
    """Cases, and where they come from: the other fields are those of an EvaluationSet."""

    name: str
    cases: tuple[Case, ...]
    digest: str = ""
    limit: int = 0
    split: Split = Split.HELD_OUT

    @property
    def facts(self) -> tuple[str, ...]:
        """Every fact of every world, once, in the order of the cases."""
        return tuple(dict.fromkeys(fact for case in self.cases for fact in case.world))


Readable = EvaluationSet | Contradictions


def repeated(names: Iterable[str]) -> str | None:
    """Returns the first of the names that comes twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
