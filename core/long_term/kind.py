"""The collection as a kind of aggregate."""

from collections.abc import Sequence

from core.aggregate.kind import Kind
from core.errors import CollectionExists, CollectionNotFound
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.due import due
from core.long_term.steps import PARTS, STEPS, CollectionPut, RecordPut, Step


def _text_length(steps: Sequence[Step]) -> int:
    return sum(
        len(step.record.content) + len(step.record.detail) for step in steps if isinstance(step, RecordPut)
    )


COLLECTION: Kind[Collection, Step] = Kind(
    name=CollectionKey.kind,
    key_of=CollectionKey.named,
    steps=STEPS,
    puts=CollectionPut,
    found=Collection.found,
    load=Collection.load,
    missing=lambda key: CollectionNotFound(key.user, key.collection),
    taken=lambda key: CollectionExists(key.user, key.collection),
    text_length=_text_length,
    parts=PARTS,
    due=due,
)
Collection.kind = COLLECTION
