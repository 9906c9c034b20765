"""A reader: what a sentence that a user said is, read for itself: whether it is told, of whom, and whether it lasts.

Law: what it says of a sentence depends on that alone, not on what else is read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

NONE = "none"
"""The model's name where nothing reads."""


class About(StrEnum):
    """What a sentence is about."""

    USER = "user"
    OTHER = "other"  # another person, relatives too, or an animal
    WORLD = "world"  # a project, a thing, what everybody may know


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How a sentence is read. Likelihoods are 0 to 1.

    `asserted`: it is told as true; no question, order, wish, supposition, story or quotation. `lasting`: of what is
    told, that it still says something after the conversation. `limit`: it names what the user cannot have or do.
    `correction`: it takes back something said before. `category` is one of core.model.record.CATEGORIES.
    """

    asserted: float
    lasting: float
    about: About
    limit: float
    correction: float
    category: str

    @property
    def worth(self) -> float:
        """How likely it is told as true and lasts."""
        return self.asserted * self.lasting


class Reader(Protocol):
    """Reads sentences of any language that the model knows. Raises EmbedderUnavailable."""

    @property
    def model(self) -> str:
        """The name of what reads; NONE where nothing does, and then no sentence is read."""
        ...

    async def read(self, sentences: Sequence[str]) -> Sequence[Reading | None]:
        """Returns how each sentence is read, in order; None where nothing reads."""
        ...

    def forget(self) -> None:
        """Drops what was read of sentences: after a purge nothing here tells of them."""
        ...


class NoReader:
    """Reads nothing."""

    model = NONE

    async def read(self, sentences: Sequence[str]) -> Sequence[Reading | None]:
        return [None] * len(sentences)

    def forget(self) -> None:
        """There is nothing to drop."""
