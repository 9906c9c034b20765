"""The chore that forgets what has run out: expired records, and strategies too weak to keep.

It leaves no tombstone and revives nothing: no call asked for it to be forgotten. It goes on where memory is off.
"""

from dataclasses import replace

from core.errors import CollectionNotFound
from core.ids import RecordId
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.due import held_records, is_weak, next_sweep, proposed_records
from core.long_term.steps import CollectionPut, HeldDrop, ProposalDrop, RecordDrop
from core.ports.aggregates import Draft
from core.usecases.long_term.judging.remaking import waiting_anew
from core.usecases.long_term.ports import CollectionPorts
from core.usecases.long_term.reading import lasting
from core.usecases.long_term.verbs.delete_records import feedback_without
from core.usecases.user.permission import permission_of


async def sweep(ports: CollectionPorts, key: CollectionKey) -> int:
    """Forgets expired records, and sets when to look again; returns how many went."""
    retention = (await permission_of(ports, key)).retention
    now, settings = ports.clock.now(), ports.settings.long_term

    def compose(collection: Collection, _revision: int) -> Draft[int]:
        lasts = lasting(collection, now, retention)
        gone: set[RecordId] = {
            record_id
            for record_id, record in collection.records.items()
            if not lasts(record) or is_weak(record, collection.uses_of(record).last_time, now, settings)
        }
        late = {key for key, record in proposed_records(collection) if not lasts(record)}
        over = {name for name, record in held_records(collection) if not lasts(record)}
        steps = [
            *(RecordDrop(record_id=record_id) for record_id in sorted(gone)),
            *(HeldDrop(name=name) for name in sorted(over)),
            *(ProposalDrop(record_id=key) for key in sorted(late)),
            *feedback_without(collection, gone),
            *waiting_anew(collection, gone, gone),
        ]
        again = next_sweep(
            collection, now, settings, ports.settings.resume_after, frozenset(gone | over | late), retention
        )
        if again != collection.record.due_time:
            steps.append(CollectionPut(record=replace(collection.record, due_time=again)))
        return Draft(result=len(gone), steps=tuple(steps), sees_all=True, erase=bool(gone or over or late))

    try:
        return (await ports.collections.commit(key, compose)).result
    except CollectionNotFound:
        return 0
