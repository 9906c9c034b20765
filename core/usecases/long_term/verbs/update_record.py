"""UpdateRecord: other words or marks for a record, or a decision on a contested fact."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.agents.offline.thinking import think
from core.errors import InvalidField
from core.ids import RecordId
from core.keys import CollectionKey
from core.long_term.collection import Collection
from core.long_term.metadata import INLINE
from core.long_term.reviewing import awaits, require_approval
from core.long_term.standing import Rewriting
from core.long_term.steps import Step
from core.model.record import Origin, Record, RecordKind, RecordState
from core.ports.aggregates import RequestKey
from core.usecases.long_term.answers import RecordsKept, StoredRecords, kept_of, read_back
from core.usecases.long_term.judging.remaking import waiting_anew
from core.usecases.long_term.new_records import require_harmless, require_harmless_metadata, require_past
from core.usecases.long_term.ports import CollectionPorts
from core.usecases.long_term.writing import Edit, edit
from core.usecases.revisions import require_unchanged
from core.usecases.user.permission import permission_to_write

WORDLESS = frozenset({"confidence", "reward", "needs_revision", "ttl"})
"""What a caller may change of a record where its own new one would wait for a review."""
WORDS = frozenset({"content", "detail", "episode"})
"""What a record says: its writer is who changed it last."""
FIELDS = (
    "content detail category subcategory tags confidence reward source agent event_time needs_revision metadata_json"
    " ttl episode state"
).split()


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateRecord:
    """`given`: values by the names of FIELDS. A `state` decides a CONTESTED fact, or brings back a SUPERSEDED one.
    `stated`: other words for what the user stated are the user's own, too. `approves`: its caller may approve what
    waits for a review. `writer`: the subject of its API key."""

    key: CollectionKey
    record_id: RecordId
    given: Mapping[str, Any]
    if_revision: int | None = None
    allow_sensitive: bool = False
    stated: bool = True
    approves: bool = True
    writer: str = ""
    request: RequestKey | None = None


async def update_record(ports: CollectionPorts, command: UpdateRecord) -> RecordsKept:
    """Raises RecordNotFound, StaleRevision, SensitiveContent, InvalidField, CollectionNotFound, MemoryOff,
    PermissionDenied, RequestIdReused."""
    now = ports.clock.now()
    require_past("record.event_time", command.given.get("event_time"), now)
    checks_metadata = len(metadata := command.given.get("metadata_json", "")) <= INLINE
    if not (checks_metadata or command.allow_sensitive):
        await think(require_harmless_metadata, metadata)

    def compose(collection: Collection, revision: int) -> Edit[StoredRecords]:
        before = collection.stored(command.record_id)
        require_unchanged(command.if_revision, before.revision)
        rewriting = Rewriting(collection, ports.settings.long_term)
        standing = _decided(rewriting, before, command)
        after = replace(standing, **_values(standing, command), update_time=now, revision=revision)
        if not command.allow_sensitive:
            require_harmless(after if checks_metadata else replace(after, metadata_json=""))
        says_other = after.content != before.content
        steps: list[Step] = []
        if says_other:
            rewriting.withdraw(before)
            after = _to_be_judged(after)
            after = reworded(after, stated=command.stated)
            steps += waiting_anew(collection, {before.record_id}, rewriting.dropped)
        if not command.given.keys() <= WORDLESS and awaits(collection.record, after, approves=False):
            does = "the record's words are not the caller's to change"
            require_approval(collection.record, approves=command.approves, does=does)
        if not WORDS.isdisjoint(command.given):
            after = replace(after, writer=command.writer)
        rewriting.put(after)
        steps += rewriting.steps
        return Edit(
            result=kept_of(collection, [command.record_id]),
            steps=tuple(steps),
            sees_all=True,
            erase=says_other,
        )

    permission = await permission_to_write(ports, command.key)
    committed = await edit(ports, command.key, compose, command.request, StoredRecords, permission)
    return await read_back(ports, command.key, committed)


def _decided(rewriting: Rewriting, before: Record, command: UpdateRecord) -> Record:
    state = command.given.get("state")
    if state is None:
        return before
    if state is RecordState.CONTESTED:
        return _revived(rewriting, before)
    if before.state is not RecordState.CONTESTED:
        raise InvalidField("record.state", "ACTIVE and SUPERSEDED can only be set of a CONTESTED record")
    return rewriting.decide(before, stands=state is RecordState.ACTIVE)


def _revived(rewriting: Rewriting, before: Record) -> Record:
    if before.state is not RecordState.SUPERSEDED:
        raise InvalidField("record.state", "CONTESTED can only be set of a SUPERSEDED record")
    rewriting.revive(before)
    return rewriting.changed[before.record_id]


def reworded(record: Record, *, stated: bool) -> Record:
    """Returns a record with other words as its caller's, who quotes nobody: only who speaks for the user states
    something."""
    own = replace(record, speaker="", said_dates=(), context="")
    return replace(own, origin=Origin.STORED) if record.origin is Origin.STATED and not stated else own


def _values(record: Record, command: UpdateRecord) -> dict[str, Any]:
    values = {name: value for name, value in command.given.items() if name != "state"}
    if "episode" in values:
        if record.kind is not RecordKind.EPISODE:
            raise InvalidField("record.episode", "can only be set of an EPISODE")
        values["content"] = values["episode"].goal
    if "content" in values:
        values.setdefault("needs_revision", False)  # the new words are the revision
    if "metadata_json" in values:
        values["metadata_bytes"] = 0
    if "event_time" in values:
        values["valid_from"] = values["event_time"]
    return values


def _to_be_judged(record: Record) -> Record:
    """Returns a fact with other words as one to be judged: the decision was about others."""
    if record.kind is not RecordKind.FACT:
        return record
    return replace(
        record,
        judged=False,
        state=RecordState.ACTIVE,
        contested_with=(),
        superseded_by=RecordId(""),
        reason=None,
        valid_until=None,
    )
