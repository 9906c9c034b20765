"""A contradiction found: what differs, how sure, and the sentence that says so.

Law: values only, and the words for them in the language of the texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from core.agents.offline.claims.statement import Statement, Term


class Slot(StrEnum):
    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    ROLE = "role"  # the same names with their parts exchanged
    VALUE = "value"
    OPPOSITE = "opposite"
    DENIAL = "denial"
    EXCLUSION = "exclusion"  # one side says "only"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """What differs: the slot, the words that fill it on either side, verbatim; how sure (0 to 1), and why."""

    slot: Slot
    value_a: str
    value_b: str
    confidence: float
    reason: str

    def turned(self) -> "Contradiction":
        """Returns the same with its sides exchanged."""
        return replace(self, value_a=self.value_b, value_b=self.value_a)


def found(
    slot: Slot, left: Statement, a: Sequence[Term], right: Statement, b: Sequence[Term], confidence: float
) -> Contradiction:
    """Returns a contradiction of `a`, the terms at issue on the left, and `b` on the right, each in order."""
    return of_values(slot, left.chinese, left.surface(a), right.surface(b), confidence)


def of_values(slot: Slot, chinese: bool, value_a: str, value_b: str, confidence: float) -> Contradiction:
    """Returns a contradiction of what stands at issue, verbatim, on either side."""
    return Contradiction(
        slot=slot,
        value_a=value_a,
        value_b=value_b,
        confidence=round(min(confidence, 0.99), 2),
        reason=_reason(slot, chinese, value_a, value_b),
    )


def _reason(slot: Slot, chinese: bool, a: str, b: str) -> str:
    if slot is Slot.DENIAL:
        return f"一方否认“{a}”，另一方肯定“{b}”" if chinese else f"one denies “{a}”, the other asserts “{b}”"
    if slot is Slot.EXCLUSION:
        return f"一方只有“{a}”，另一方还有“{b}”" if chinese else f"one has only “{a}”, the other “{b}”"
    if chinese:
        return f"同一事项，一方为“{a}”，另一方为“{b}”"
    return f"of the same matter one says “{a}”, the other “{b}”"
