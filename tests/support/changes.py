"""Builders of values for tests: small, deterministic, and valid unless a test says otherwise."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from core.aggregate.change import Change, Head
from core.aggregate.codec import encode
from core.bank.state import BankState
from core.bank.steps import STEPS, BankChange, BankPut, EdgePut, InteractionAdd, NodePut, Step
from core.ids import BankId, ChangeId, ConflictId, InteractionId, NodeId, RequestId, SegmentRef, Tenant
from core.keys import BankKey, Key
from core.model.bank import BankRecord, EmbeddingSpace
from core.model.conflict import Conflict, ConflictStatus, Side
from core.model.copies import Copies
from core.model.interaction import Attachment, Interaction, Span
from core.model.node import Node
from core.model.request import RequestRecord
from core.model.structuring import ClusterWork, Purpose, Structuring, StructuringState
from core.model.vector import Vector
from core.ports.store import Store

DIMENSION = 4
START = datetime(2024, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
KEY = BankKey(tenant=Tenant("acme"), bank_id=BankId("bank-1"))


def at(seconds: float) -> datetime:
    """A time, counted from the moment all stories begin."""
    return START + timedelta(seconds=seconds)


def key(bank_id: str, tenant: str = "acme") -> BankKey:
    return BankKey(tenant=Tenant(tenant), bank_id=BankId(bank_id))


def ref(interaction_id: str, index: int) -> SegmentRef:
    return SegmentRef(InteractionId(interaction_id), index)


def vector(seed: int, dimension: int = DIMENSION) -> Vector:
    """A unit vector, another one for each seed."""
    drawn = np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)
    return (drawn / np.linalg.norm(drawn)).astype(np.float32)


def record(of: BankKey = KEY, uid: str = "u1", **changed: Any) -> BankRecord:
    fields: dict[str, Any] = {
        "goal": "找出首席执行官 (find the CEO)",
        "space": EmbeddingSpace(name="test", dimension=DIMENSION),
        "create_time": START,
        "update_time": START,
    }
    return BankRecord(key=of, uid=uid, **(fields | changed))


def node(node_id: str, **changed: Any) -> Node:
    fields: dict[str, Any] = {
        "summary": f"{node_id} 的摘要: what {node_id} says",
        "context": f"about {node_id}",
        "keywords": (node_id, "关键词"),
        "base_context": f"about {node_id}",
        "base_keywords": (node_id,),
        "event_time": START,
        "create_time": START,
        "update_time": START,
    }
    return Node(node_id=NodeId(node_id), **(fields | changed))


def node_put(node_id: str, seed: int = 1, **changed: Any) -> NodePut:
    return NodePut(node=node(node_id, **changed), vector=vector(seed))


def edge(one: str, other: str) -> EdgePut:
    return EdgePut(node_id=NodeId(one), other_node_id=NodeId(other))


def interaction(interaction_id: str, *texts: str, **changed: Any) -> Interaction:
    """An interaction whose segments are the texts, one after another."""
    spans, start = [], 0
    for text in texts:
        spans.append(Span(start=start, end=start + len(text), speaker="李雷"))
        start += len(text)
    fields: dict[str, Any] = {"event_time": START, "create_time": START}
    return Interaction(
        interaction_id=InteractionId(interaction_id),
        text="".join(texts),
        spans=tuple(spans),
        **(fields | changed),
    )


def structuring(interaction_id: str, state: StructuringState, seconds: float = 0) -> Structuring:
    return Structuring(
        interaction_id=InteractionId(interaction_id),
        purpose=Purpose.MEMORIZE,
        state=state,
        update_time=at(seconds),
    )


def cluster(interaction_id: str, number: int, **changed: Any) -> ClusterWork:
    fields: dict[str, Any] = {"segments": (0,), "context": "一句话", "keywords": ("词", "word")}
    return ClusterWork(interaction_id=InteractionId(interaction_id), number=number, **(fields | changed))


def copies(node_id: str, *refs: SegmentRef, **changed: Any) -> Copies:
    """So many copies of a node, all of them kept."""
    fields: dict[str, Any] = {"count": len(refs), "first_time": START, "last_time": at(60), "refs": refs}
    return Copies(node_id=NodeId(node_id), **(fields | changed))


def conflict(conflict_id: str, *node_ids: str, **changed: Any) -> Conflict:
    fields: dict[str, Any] = {
        "sides": tuple(
            Side(node_id=NodeId(node_id), segments=(ref("i1", 0),), quote="the CEO is A")
            for node_id in node_ids
        ),
        "description": "CEO 是谁",
        "confidence": 0.9,
        "reasoning": "同一职位,不同的人",
        "status": ConflictStatus.OPEN,
        "create_time": START,
    }
    return Conflict(conflict_id=ConflictId(conflict_id), **(fields | changed))


def attachment(attachment_id: str, uri: str, *, stored: bool = False) -> Attachment:
    return Attachment(attachment_id=attachment_id, type="image", uri=uri, stored=stored)  # type: ignore[arg-type]


async def kept(store: Store, key: Key, request_id: RequestId) -> RequestRecord | None:
    """What the store has of one request."""
    return (await store.requests(key, [request_id])).get(request_id)


def request(request_id: str, **changed: Any) -> RequestRecord:
    fields: dict[str, Any] = {
        "verb": "AddNode",
        "digest": "d1",
        "create_time": START,
        "answer": b"{}",
        "revision": 1,
    }
    return RequestRecord(request_id=RequestId(request_id), **(fields | changed))


class Story:
    """The changes of one bank, one after another: each names the one before as its parent."""

    def __init__(self, of: BankKey = KEY, uid: str = "u1", first: int = 1) -> None:
        """`first`: the revision that it begins at."""
        self.key = of
        self.uid = uid
        self.head: Head | None = None
        self._named = 0
        self._first = first

    def change(
        self, *steps: Step, requests: Sequence[RequestRecord] = (), time: datetime = START
    ) -> BankChange:
        """The next change, taken as appended."""
        made = self.fork(*steps, requests=requests, time=time)
        self.head = Head(uid=self.uid, revision=made.revision, change_id=made.change_id)
        return made

    def fork(
        self, *steps: Step, requests: Sequence[RequestRecord] = (), time: datetime = START
    ) -> BankChange:
        """A change on the present head that the story does not follow: a rival of the next one."""
        self._named += 1
        return Change(
            change_id=ChangeId(f"{self.key.bank_id}-{self.uid}-{self._named}"),
            parent=self.head.change_id if self.head else None,
            revision=self.head.revision + 1 if self.head else self._first,
            time=time,
            steps=steps,
            requests=tuple(requests),
        )

    def founding(self, *steps: Step, time: datetime = START, **changed: Any) -> BankChange:
        """The change that creates the bank, with the record's fields changed as given."""
        return self.change(BankPut(record=record(self.key, self.uid, **changed)), *steps, time=time)


def founding_with_two_nodes(story: Story) -> BankChange:
    """A bank with an interaction of two segments and the two related nodes made from them."""
    return story.founding(
        InteractionAdd(interaction=interaction("i1", "公司的首席执行官是张三。", "The CEO is Zhang San.")),
        node_put("n1", 1, interaction_ids=(InteractionId("i1"),), segments=(ref("i1", 0),)),
        node_put("n2", 2, interaction_ids=(InteractionId("i1"),), segments=(ref("i1", 1),)),
        edge("n1", "n2"),
    )


def same(one: BankState | BankChange | None, other: BankState | BankChange | None) -> bool:
    """Whether two values are equal, vectors bit for bit (they hold arrays, which `==` cannot compare)."""
    return one is not None and other is not None and _written(one) == _written(other)


def _written(value: object) -> object:
    """The value in its written form: vectors compare by their bytes."""
    if isinstance(value, Change):
        beside = (value.change_id, value.parent, value.revision, value.time, value.requests)
        return *beside, STEPS.text(value.steps)
    return encode(value)


def bits(vectors: Mapping[SegmentRef, Vector] | None) -> dict[SegmentRef, bytes]:
    """Vectors by segment, as the bytes they are."""
    return {place: made.tobytes() for place, made in (vectors or {}).items()}
