"""Which new records wait for a review, and how what waits is kept.

Law: pure. What waits is a proposal, and none of the collection's records: nothing finds it, judges it, counts it as
known or makes a reflection of it.
"""

from collections.abc import Callable
from dataclasses import replace

from core.errors import PermissionDenied
from core.ids import RecordId
from core.long_term.collection import Collection
from core.long_term.settings import LongTermSettings
from core.long_term.standing import MOST_OPPONENTS, joined
from core.model.collection import CollectionRecord
from core.model.record import Origin, Record, RecordKind
from core.model.review import Proposal, Review


def awaits(collection: CollectionRecord, record: Record, *, approves: bool) -> bool:
    """Whether a new record waits. `approves`: its caller may approve what waits."""
    if collection.review is Review.LEARNED:
        return not approves and record.origin is not Origin.STATED
    return collection.review is Review.ALL


def require_approval(collection: CollectionRecord, *, approves: bool, does: str) -> None:
    """Raises PermissionDenied where a collection is reviewed and the caller may not approve."""
    if collection.review is not Review.NONE and not approves:
        raise PermissionDenied(
            f"the API key lacks the scope approve: the collection's review is on, and {does}"
        )


def proposal(
    collection: Collection,
    record: Record,
    lasts: Callable[[Record], bool],
    settings: LongTermSettings,
    supersedes: tuple[RecordId, ...] = (),
) -> Proposal:
    """Returns a record as it waits: joined to what waits already with the same words, under the id of that."""
    for known in collection.proposals_saying(record):
        if _is_same(known.record, record) and lasts(known.record):
            both = tuple(dict.fromkeys((*known.supersedes, *supersedes)))[:MOST_OPPONENTS]
            return Proposal(record=joined(known.record, record, settings), supersedes=both)
    return Proposal(record=replace(record, awaits_review=True, judged=False), supersedes=supersedes)


def _is_same(one: Record, other: Record) -> bool:
    if one.kind is not other.kind or one.kind is RecordKind.EPISODE:
        return False
    return one.kind is RecordKind.FACT or one.detail == other.detail
