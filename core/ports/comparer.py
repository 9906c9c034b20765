"""A comparer: how likely two sentences contradict each other, and how likely they say the same.

Law: what it says of two sentences depends on them alone, not on their order nor on what else is asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

NONE = "none"
"""The model's name where nothing compares."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Likelihood:
    """Of two sentences: that they contradict each other, and that they say the same. Each 0 to 1, both together at
    most 1; the rest is that both may hold."""

    contradiction: float
    sameness: float


class Comparer(Protocol):
    """Compares sentences, English or Chinese. Raises EmbedderUnavailable."""

    @property
    def model(self) -> str:
        """The name of what compares; NONE where nothing does, and then no pair is compared."""
        ...

    @property
    def size(self) -> int:
        """How many bytes of memory it takes now: weights of its own, and what it read of sentences."""
        ...

    async def compare(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Likelihood | None]:
        """Returns what each two sentences are to each other, in order: None where one is too long, or empty."""
        ...

    def forget(self) -> None:
        """Drops what was read of sentences: after a purge nothing here tells of them."""
        ...


class NoComparer:
    """Compares nothing."""

    model = NONE
    size = 0

    async def compare(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Likelihood | None]:
        return [None] * len(pairs)

    def forget(self) -> None:
        """There is nothing to drop."""
