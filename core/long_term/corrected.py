"""What users took back, and what they said instead: a correction often says too little to be found by its own words.

Law: pure. "No, not Thursday, make that Friday" answers when we meet, and has no word of it. So the words of what it
took the place of find it, too, and stand before it as what it refers to. What was taken back stands nowhere alone.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from core.ids import RecordId
from core.index.scoring import ScoredCandidate
from core.long_term.collection import Collection
from core.long_term.texts import statement
from core.model.record import Record, RecordState

MOST_STEPS = 20
"""Corrections of one fact, one after the other, that are followed."""
LONGEST_CONTEXT = 200
"""Code points, at most, of what stands before a correction."""


def corrections(
    collection: Collection, taken_back: Iterable[ScoredCandidate[RecordId]]
) -> dict[RecordId, tuple[float, Record]]:
    """Returns by id the facts that stand for some that were taken back (best first), in the words of both, with the
    best score of these."""
    found: dict[RecordId, tuple[float, Record]] = {}
    for hit in taken_back:
        *before, stands = _followed(collection, collection.records[hit.key])
        if stands.state is not RecordState.SUPERSEDED and stands.record_id not in found:
            found[stands.record_id] = hit.score, _behind(before, stands)
    return found


def _followed(collection: Collection, record: Record) -> Iterator[Record]:
    """Yields a record, and what took its place, one after the other."""
    for _ in range(MOST_STEPS):
        yield record
        if record.state is not RecordState.SUPERSEDED or record.superseded_by not in collection.records:
            return
        record = collection.records[record.superseded_by]


def _behind(before: Iterable[Record], stands: Record) -> Record:
    """Returns a correction behind what it corrects, unless that is too long, or it refers to another sentence."""
    context = " ".join(map(statement, before))
    return stands if stands.context or len(context) > LONGEST_CONTEXT else replace(stands, context=context)
