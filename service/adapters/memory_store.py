"""Banks in this process's memory: for tests, and the oracle of the other stores.

Law: the same meaning as theirs, and stricter: a step that names what is not there, or a vector
of another dimension, is refused. It keeps everything as the bytes the codec writes of it or as
values replayed on plain dicts, and shares no code with `Bank.apply` or with SQL.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from core.aggregate.change import Head, Vector
from core.aggregate.codec import vector_bytes, vector_of
from core.bank.state import BankState
from core.bank.steps import (
    STEPS,
    AttachmentPut,
    BankChange,
    BankPut,
    ClusterPut,
    ConflictPut,
    EdgeDrop,
    EdgePut,
    InsightPut,
    InteractionAdd,
    MergeAdd,
    NodeDrop,
    NodePut,
    PairForget,
    PairSettle,
    SegmentRefute,
    Step,
    StructuringPut,
)
from core.errors import (
    BankExists,
    BankNotFound,
    HeadMoved,
    RequestIdReused,
    RevisionTrimmed,
    StepUnknown,
    StoreUnavailable,
)
from core.ids import AttachmentId, BankKey, ConflictId, InteractionId, NodeId, RequestId, SegmentRef, Tenant
from core.model.bank import BankRecord
from core.model.conflict import Conflict
from core.model.insight import Insight
from core.model.interaction import Attachment, Interaction
from core.model.lineage import MergeRecord
from core.model.node import Node
from core.model.request import RequestRecord
from core.model.structuring import ClusterWork, Structuring, StructuringState
from core.ports.store import BankFilter, Leftover, PurgeCounts
from service.adapters.fence import ChangeInvalid, check_chain

Pair = tuple[NodeId, NodeId]


@dataclass(slots=True, kw_only=True)
class _Contents:
    """One bank's rows, as plain dicts and sets. A copy copies the containers, not the frozen values."""

    record: BankRecord
    insight: Insight
    nodes: dict[NodeId, Node] = field(default_factory=dict)
    vectors: dict[NodeId, Vector] = field(default_factory=dict)
    edges: set[Pair] = field(default_factory=set)
    interactions: dict[InteractionId, Interaction] = field(default_factory=dict)
    attachments: dict[AttachmentId, Attachment] = field(default_factory=dict)
    structurings: dict[InteractionId, Structuring] = field(default_factory=dict)
    clusters: dict[tuple[InteractionId, int], ClusterWork] = field(default_factory=dict)
    merges: list[MergeRecord] = field(default_factory=list)
    conflicts: dict[ConflictId, Conflict] = field(default_factory=dict)
    settled: set[Pair] = field(default_factory=set)
    refuted: set[SegmentRefute] = field(default_factory=set)
    segment_vectors: dict[SegmentRef, Vector] = field(default_factory=dict)
    requests: dict[RequestId, RequestRecord] = field(default_factory=dict)

    def copied(self) -> "_Contents":
        fields = {name: getattr(self, name) for name in self.__slots__}
        return _Contents(**{name: copy(value) for name, value in fields.items()})

    def has_segment(self, ref: SegmentRef) -> bool:
        interaction = self.interactions.get(ref.interaction_id)
        return interaction is not None and 0 <= ref.index < len(interaction.spans)

    def apply(self, step: Step) -> None:  # one case a step, read at a glance
        match step:
            case BankPut():
                self.record = step.record
            case InsightPut():
                self.insight = step.over(self.insight)
            case InteractionAdd():
                interaction_id = step.interaction.interaction_id
                _require(interaction_id not in self.interactions, f"{interaction_id} is there already")
                self.interactions[interaction_id] = step.interaction
            case AttachmentPut():
                self.attachments[step.attachment.attachment_id] = step.attachment
            case StructuringPut():
                self._require_interaction(step.structuring.interaction_id)
                self.structurings[step.structuring.interaction_id] = step.structuring
            case ClusterPut():
                self._require_interaction(step.cluster.interaction_id)
                self.clusters[step.cluster.interaction_id, step.cluster.number] = step.cluster
            case NodePut():
                self._put_node(step.node, step.vector)
            case NodeDrop():
                self._drop_node(step.node_id)
            case EdgePut():
                self._require_nodes(step.node_id, step.other_node_id)
                self.edges.add(_pair(step.node_id, step.other_node_id))
            case EdgeDrop():
                self.edges.discard(_pair(step.node_id, step.other_node_id))
            case MergeAdd():
                self.merges.append(step.record)
            case ConflictPut():
                self.conflicts[step.conflict.conflict_id] = step.conflict
            case PairSettle():
                self.settled.add(_pair(step.node_id, step.other_node_id))
            case PairForget():
                self.settled = {pair for pair in self.settled if step.node_id not in pair}
            case SegmentRefute():
                _require(self.has_segment(step.ref), f"no segment {step.ref}")
                self.refuted.add(step)
            case _:
                raise StepUnknown(type(step).__name__)

    def _put_node(self, node: Node, vector: Vector | None) -> None:
        for ref in node.segments:
            _require(self.has_segment(ref), f"{node.node_id} rests on a segment that is not there: {ref}")
        for interaction_id in node.interaction_ids:
            self._require_interaction(interaction_id)
        if vector is not None:
            fits = vector.shape == (self.record.space.dimension,)
            _require(fits, f"{node.node_id} has a vector of shape {vector.shape}")
            self.vectors[node.node_id] = vector
        self.nodes[node.node_id] = node

    def _drop_node(self, node_id: NodeId) -> None:
        self._require_nodes(node_id)
        del self.nodes[node_id]
        self.vectors.pop(node_id, None)
        self.edges = {pair for pair in self.edges if node_id not in pair}
        self.settled = {pair for pair in self.settled if node_id not in pair}

    def _require_interaction(self, interaction_id: InteractionId) -> None:
        _require(interaction_id in self.interactions, f"no interaction {interaction_id}")

    def _require_nodes(self, *node_ids: NodeId) -> None:
        for node_id in node_ids:
            _require(node_id in self.nodes, f"no node {node_id}")

    def put_request(self, request: RequestRecord) -> None:
        before = self.requests.get(request.request_id)
        if before is not None and (before.verb, before.digest) != (request.verb, request.digest):
            raise RequestIdReused(request.request_id)
        self.requests[request.request_id] = request

    def counts(self, changes: int) -> PurgeCounts:
        named = [a for i in self.interactions.values() for a in i.attachments] + list(
            self.attachments.values()
        )
        return PurgeCounts(
            nodes=len(self.nodes),
            edges=len(self.edges),
            interactions=len(self.interactions),
            segments=sum(len(i.spans) for i in self.interactions.values()),
            conflicts=len(self.conflicts),
            changes=changes,
            requests=len(self.requests),
            files_left=len({a.uri for a in named if not a.stored}),
        )

    def state(self, head: Head) -> BankState:
        return BankState(
            head=head,
            record=self.record,
            insight=self.insight,
            nodes=tuple(NodePut(node=self.nodes[n], vector=self.vectors.get(n)) for n in sorted(self.nodes)),
            edges=tuple(sorted(self.edges)),
            interactions=tuple(self.interactions[i] for i in sorted(self.interactions)),
            attachments=tuple(self.attachments[a] for a in sorted(self.attachments)),
            structurings=tuple(self.structurings[i] for i in sorted(self.structurings)),
            clusters=tuple(self.clusters[place] for place in sorted(self.clusters)),
            merges=tuple(self.merges),
            conflicts=tuple(self.conflicts[c] for c in sorted(self.conflicts)),
            settled=tuple(sorted(self.settled)),
            refuted=tuple(sorted(self.refuted, key=lambda r: (r.ref, r.start, r.end, r.conflict_id))),
            segment_vectors={ref: self.segment_vectors[ref] for ref in sorted(self.segment_vectors)},
        )


@dataclass(slots=True, kw_only=True)
class _Entry:
    """One of the feed: the change without its steps, and these encoded: nothing is shared with who wrote."""

    change: BankChange
    steps: str


@dataclass(slots=True, kw_only=True)
class _Stored:
    head: Head
    contents: _Contents
    feed: list[_Entry] = field(default_factory=list)


class MemoryStore:
    """Implements `core.ports.Store`. Nothing in it awaits, so every call is atomic."""

    def __init__(self) -> None:
        self._banks: dict[BankKey, _Stored] = {}
        self._closed = False

    async def append(
        self,
        key: BankKey,
        uid: str,
        changes: Sequence[BankChange],
        meanwhile: Callable[[], None] | None = None,
    ) -> None:
        self._refuse_if_closed()
        founding = check_chain(key, uid, changes)
        first, last = changes[0], changes[-1]
        stored = self._banks.get(key)
        if stored and stored.head.uid == uid and self._has(stored, last):
            return  # an append whose outcome was lost, sent again
        if founding is not None:
            if stored is not None:
                raise BankExists(key.bank_id)
            contents, feed = _Contents(record=founding, insight=Insight(goal=founding.goal)), []
        else:
            stored = self._bank(key, uid)
            if stored.head.change_id != first.parent:
                raise HeadMoved
            if stored.head.revision + 1 != first.revision:
                raise ChangeInvalid(f"{first.change_id} skips revisions")
            contents, feed = stored.contents.copied(), stored.feed
        entries = [self._replayed(contents, change) for change in changes]
        if meanwhile is not None:
            meanwhile()
        head = Head(uid=uid, revision=last.revision, change_id=last.change_id)
        self._banks[key] = _Stored(head=head, contents=contents, feed=[*feed, *entries])

    async def load(self, key: BankKey) -> BankState | None:
        self._refuse_if_closed()
        stored = self._banks.get(key)
        return stored.contents.state(stored.head) if stored else None

    async def heads(self, keys: Sequence[BankKey]) -> Mapping[BankKey, Head]:
        self._refuse_if_closed()
        return {key: self._banks[key].head for key in keys if key in self._banks}

    async def changes(self, key: BankKey, uid: str, after: int, limit: int) -> Sequence[BankChange]:
        feed = self._bank(key, uid).feed
        oldest = feed[0].change.revision - 1
        if after < oldest:
            raise RevisionTrimmed(after, oldest)
        asked = [entry for entry in feed if entry.change.revision > after][:limit]
        return [replace(entry.change, steps=STEPS.steps(entry.steps)) for entry in asked]

    async def request(self, key: BankKey, request_id: RequestId) -> RequestRecord | None:
        self._refuse_if_closed()
        stored = self._banks.get(key)
        return stored.contents.requests.get(request_id) if stored else None

    async def put_segment_vectors(self, key: BankKey, uid: str, vectors: Mapping[SegmentRef, Vector]) -> None:
        contents = self._bank(key, uid).contents
        for ref, vector in vectors.items():
            if contents.has_segment(ref):
                contents.segment_vectors[ref] = vector_of(vector_bytes(vector))

    async def segment_vectors(
        self, key: BankKey, uid: str, refs: Sequence[SegmentRef]
    ) -> Mapping[SegmentRef, Vector]:
        self._refuse_if_closed()
        stored = self._banks.get(key)
        kept = stored.contents.segment_vectors if stored and stored.head.uid == uid else {}
        return {ref: kept[ref] for ref in refs if ref in kept}

    async def list_banks(
        self, tenant: Tenant, chosen: BankFilter, after: str, limit: int
    ) -> Sequence[tuple[BankRecord, int]]:
        self._refuse_if_closed()
        listed = [
            (stored.contents.record, stored.head.revision)
            for key, stored in sorted(self._banks.items(), key=lambda item: item[0].bank_id)
            if key.tenant == tenant and key.bank_id > after and _is_chosen(stored.contents.record, chosen)
        ]
        return listed[:limit]

    async def delete(self, key: BankKey, uid: str | None = None, revision: int | None = None) -> PurgeCounts:
        self._refuse_if_closed()
        stored = self._banks.get(key)
        if stored is None or uid not in (None, stored.head.uid):
            raise BankNotFound(key.bank_id)
        if revision not in (None, stored.head.revision):
            raise HeadMoved
        del self._banks[key]
        return stored.contents.counts(changes=len(stored.feed))

    async def leftovers(self, limit: int) -> Sequence[Leftover]:
        self._refuse_if_closed()
        left = [
            Leftover(key=key, interaction_id=work.interaction_id, update_time=work.update_time)
            for key, stored in self._banks.items()
            for work in stored.contents.structurings.values()
            if work.state is not StructuringState.DONE
        ]
        left.sort(key=lambda one: (one.update_time, one.key.tenant, one.key.bank_id, one.interaction_id))
        return left[:limit]

    async def expired(
        self, now: datetime, default_ttl_seconds: float, limit: int
    ) -> Sequence[tuple[BankKey, str]]:
        self._refuse_if_closed()
        default = timedelta(seconds=default_ttl_seconds)
        due = [
            (time, key.tenant, key.bank_id, key, stored.contents.record.uid)
            for key, stored in self._banks.items()
            if (time := stored.contents.record.purge_time(default)) is not None and time <= now
        ]
        return [(key, uid) for _, _, _, key, uid in sorted(due, key=lambda one: one[:3])[:limit]]

    async def trim(self, before: datetime) -> int:
        self._refuse_if_closed()
        return sum(_trim(stored, before) for stored in self._banks.values())

    async def close(self) -> None:
        self._closed = True

    # ---- parts ----

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise StoreUnavailable("the store is closed")

    def _bank(self, key: BankKey, uid: str) -> _Stored:
        self._refuse_if_closed()
        stored = self._banks.get(key)
        if stored is None or stored.head.uid != uid:
            raise BankNotFound(key.bank_id)
        return stored

    @staticmethod
    def _has(stored: _Stored, change: BankChange) -> bool:
        place = change.revision - stored.feed[0].change.revision
        return 0 <= place < len(stored.feed) and stored.feed[place].change.change_id == change.change_id

    @staticmethod
    def _replayed(contents: _Contents, change: BankChange) -> _Entry:
        steps = STEPS.text(change.steps)
        for step in STEPS.steps(steps):
            contents.apply(step)
        for request in change.requests:
            contents.put_request(request)
        return _Entry(change=replace(change, steps=(), requests=()), steps=steps)


def _trim(stored: _Stored, before: datetime) -> int:
    young = [index for index, entry in enumerate(stored.feed) if entry.change.time >= before]
    first = min(young, default=len(stored.feed) - 1)
    contents = stored.contents
    old = [r for r in contents.requests.values() if r.create_time < before]
    for request in old:
        del contents.requests[request.request_id]
    del stored.feed[:first]
    return first + len(old)


def _is_chosen(record: BankRecord, chosen: BankFilter) -> bool:
    return (
        chosen.user in ("", record.user)
        and chosen.collection in ("", record.collection)
        and all(record.labels.get(name) == value for name, value in chosen.labels.items())
    )


def _pair(one: NodeId, other: NodeId) -> Pair:
    _require(one != other, f"{one} cannot be paired with itself")
    return (one, other) if one < other else (other, one)


def _require(holds: bool, problem: str) -> None:
    if not holds:
        raise ChangeInvalid(problem)
