"""Passages of records: pieces around the segments that a node stands for, that a caller names, or that answer a query.

Law: a passage begins and ends with a segment. Passages of one record that touch become one, where the first of them
stood; so none is read twice.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.bank.bank import Bank
from core.bank.query import Query, Target
from core.bank.search import segments_within
from core.errors import InvalidField
from core.ids import SegmentRef
from core.model.interaction import Interaction
from core.model.node import Node
from core.model.vector import Vector

SURROUNDINGS = 1_000
"""Code points before and after, where the caller does not say."""
ANSWERS = 5
"""Passages that a query brings at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passages:
    """What is wanted of records: what answers `query`, or the `segment` of this number, or else what the node stands
    for; with `surroundings` code points before and after, rounded up to whole segments."""

    query: str = ""
    segment: int | None = None
    surroundings: int = SURROUNDINGS


class Piece(NamedTuple):
    """Of a record, from code point `start` to before `end`."""

    record: Interaction
    start: int
    end: int


def pieces(
    bank: Bank,
    node: Node | None,
    records: Sequence[Interaction],
    wanted: Passages,
    vector: Vector | None,
    alpha: float,
) -> list[Piece]:
    """Returns the pieces: of a query the best first, else in their order; whole records where no segment is known.

    Raises InvalidField (`passages.segment`).
    """
    if wanted.query:
        query = Query(text=wanted.query, vector=vector, top_k=ANSWERS, alpha=alpha, target=Target.SEGMENTS)
        refs = segments_within(bank, query, frozenset(record.interaction_id for record in records))
    elif wanted.segment is not None:
        refs = [_named(record, wanted.segment) for record in records]
    else:
        refs = [] if node is None else list(bank.evidence(node))
    by_id = {record.interaction_id: record for record in records}
    known = [ref for ref in refs if ref.interaction_id in by_id]
    if not known and not wanted.query:
        return [Piece(record, 0, len(record.text)) for record in records]
    runs = _joined(_around(by_id[ref.interaction_id], ref.index, wanted.surroundings) for ref in known)
    return [Piece(r.record, r.record.spans[r.first].start, r.record.spans[r.last].end) for r in runs]


class _Run(NamedTuple):
    """Segments of a record, from number `first` to `last`."""

    record: Interaction
    first: int
    last: int


def _named(record: Interaction, number: int) -> SegmentRef:
    if number >= len(record.spans):
        raise InvalidField(
            "passages.segment", f"must be less than {len(record.spans)}: so many has the record"
        )
    return SegmentRef(record.interaction_id, number)


def _around(record: Interaction, number: int, surroundings: int) -> _Run:
    """Returns a segment with what stands around it."""
    spans = record.spans
    if surroundings == 0:
        return _Run(record, number, number)
    earliest, latest = spans[number].start - surroundings, spans[number].end + surroundings
    before = bisect_right(spans, earliest, key=lambda span: span.end)
    behind = bisect_left(spans, latest, key=lambda span: span.start)
    return _Run(record, min(number, before), max(number, behind - 1))


def _joined(found: Iterable[_Run]) -> list[_Run]:
    """Joins those that touch, where the first of them stood."""
    made: list[_Run] = []
    for run in found:
        place = len(made)
        for index in reversed(range(len(made))):
            other = made[index]
            if other.record is run.record and other.first <= run.last + 1 and run.first <= other.last + 1:
                run = _Run(run.record, min(run.first, other.first), max(run.last, other.last))
                place = index
                del made[index]
        made.insert(place, run)
    return made
