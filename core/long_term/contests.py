"""The order of facts that contest one another, in an answer, and of those that may.

Law: pure; takes nothing out. Of one contest the two that come first stand at their place, the others follow all that
is not contested. What comes first in a contest: the stronger origin; what alone holds words of the query; the newer.
Of two that may contradict each other both stay in the answer, the newer right before the older.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, Protocol, TypeVar

from core.ids import RecordId
from core.long_term.texts import statement
from core.model.record import Record, RecordState
from core.text.analysis import terms

BEHIND = 0.5
"""What the second of a contest counts, of its own score."""

Place = tuple[float, int]
"""A score, and for ties the place among those found, counted downwards."""


class ScoredRecord(Protocol):
    """A record that was found, with its score."""

    @property
    def record(self) -> Record: ...
    @property
    def score(self) -> float: ...


Found = TypeVar("Found", bound=ScoredRecord)


def opponents(found: Iterable[Record]) -> set[RecordId]:
    """Returns those that records contest, without themselves."""
    contested = [record for record in found if record.state is RecordState.CONTESTED]
    ids = {record.record_id for record in contested}
    return {key for record in contested for key in record.contested_with} - ids


def arranged(found: Sequence[Found], query: str, as_of: datetime | None = None) -> list[Found]:
    """Returns all of `found` (best first) with contested ones in their order. `as_of`: of equals the one
    that began last comes first."""
    contests = contests_of([one.record for one in found])
    if not contests:
        return list(found)
    by_id = {one.record.record_id: one for one in found}
    places: dict[RecordId, Place] = {
        one.record.record_id: (one.score, -rank) for rank, one in enumerate(found)
    }
    behind: set[RecordId] = set()
    asked = set(terms(query))
    for contest in contests:
        order = sorted(contest, key=_precedence(asked, as_of), reverse=True)
        first, second = order[0].record_id, order[1].record_id
        best = max(places[record.record_id] for record in contest)
        score, place = places[second]
        places[first], places[second] = best, (BEHIND * score, place)
        behind.update(record.record_id for record in order[2:])
    keys = sorted(places, key=lambda key: (key not in behind, *places[key]), reverse=True)
    return [by_id[key] for key in keys]


def paired(answer: Sequence[Found], as_of: datetime | None = None) -> list[Found]:
    """Returns an answer in which of two rivals the one that takes precedence has the better place of both, and the
    other stands directly behind it."""
    order = list(answer)
    ids = {one.record.record_id: one for one in answer if one.record.state is RecordState.ACTIVE}
    precedence = _precedence(set(), as_of)
    for one in answer:
        for rival in one.record.rivals if one.record.record_id in ids else ():
            if (other := ids.get(rival.record_id)) is not None:
                first, second = sorted((one, other), key=lambda each: precedence(each.record), reverse=True)
                place = min(order.index(one), order.index(other))
                order = [each for each in order if each is not one and each is not other]
                order[place:place] = [first, second]
    return order


def foremost(records: Iterable[Record]) -> Record | None:
    """Returns the one that comes first, whatever is asked; None of none."""
    return max(records, key=_precedence(set(), None), default=None)


def by_precedence(records: Iterable[Record]) -> list[Record]:
    """Returns records, the one that comes first in front, whatever is asked: the stronger origin, then the newer."""
    return sorted(records, key=_precedence(set(), None), reverse=True)


def _precedence(asked: set[str], as_of: datetime | None) -> Callable[[Record], Any]:
    """Returns what a record of a contest is sorted by, the greatest first."""

    def precedence(record: Record) -> Any:
        began = record.event_time if as_of is None else record.valid_from
        held = len(asked.intersection(terms(statement(record)))) if asked and as_of is None else 0
        return record.origin.strength, held, began, record.create_time, record.record_id

    return precedence


def contests_of(records: Sequence[Record]) -> list[list[Record]]:
    """Returns the contested ones, those together that contest one another, also by way of others."""
    contested = {r.record_id: r for r in records if r.state is RecordState.CONTESTED}
    contests, left = [], dict(contested)
    while left:
        reached = [left.pop(next(iter(left)))]
        for record in reached:
            reached += _taken(left, record)
        if len(reached) > 1:
            contests.append(reached)
    return contests


def _taken(left: dict[RecordId, Record], record: Record) -> list[Record]:
    return [left.pop(key) for key in record.contested_with if key in left]
