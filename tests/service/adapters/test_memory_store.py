"""What the store in memory promises beyond the port: it changes in place, and undoes what it refuses."""

import pytest

from core.bank.steps import (
    AttachmentPut,
    BankPut,
    ClusterPut,
    ConflictPut,
    EdgeDrop,
    EdgePut,
    InsightPut,
    InteractionAdd,
    MergeAdd,
    NodeDrop,
    PairForget,
    PairSettle,
    SegmentRefute,
    StructuringPut,
)
from core.ids import ConflictId, NodeId, RequestId
from core.model.insight import Insight
from core.model.lineage import MergeReason, MergeRecord
from core.model.structuring import StructuringState
from service.adapters.store.fence import ChangeInvalid
from service.adapters.store.memory_store import MemoryStore
from tests.support import changes as a

N1, N2, N3 = NodeId("n1"), NodeId("n2"), NodeId("n3")


async def test_a_change_that_is_refused_at_its_end_has_changed_nothing() -> None:
    merge = MergeRecord(into=N1, absorbed=(), reason=MergeReason.MERGE, description="", time=a.START)
    store, story = MemoryStore(), a.Story()
    await store.append(a.KEY, "u1", [a.founding_with_two_nodes(story)])
    begun = [
        a.node_put("n3"),
        PairSettle(node_id=N1, other_node_id=N2),
        PairSettle(node_id=N1, other_node_id=N3),
    ]
    await store.append(a.KEY, "u1", [story.change(*begun, requests=[a.request("r1")])])
    before, requests = await store.load(a.KEY), await a.kept(store, a.KEY, RequestId("r1"))
    all_kinds = [
        BankPut(record=a.record(goal="another")),
        InsightPut(insight=Insight(goal="another")),
        InteractionAdd(interaction=a.interaction("i2", "more")),
        AttachmentPut(attachment=a.attachment("a1", "file:///here")),
        StructuringPut(structuring=a.structuring("i1", StructuringState.PENDING)),
        ClusterPut(cluster=a.cluster("i1", 0)),
        a.node_put("n1", 9, summary="another"),
        a.node_put("n4"),
        EdgeDrop(node_id=N1, other_node_id=N2),
        EdgePut(node_id=N1, other_node_id=N3),
        MergeAdd(record=merge),
        ConflictPut(conflict=a.conflict("c1", "n1", "n2")),
        PairForget(node_id=N2),
        SegmentRefute(ref=a.ref("i1", 0), conflict_id=ConflictId("c1"), start=0, end=1),
        NodeDrop(node_id=N3),
    ]
    refused = story.fork(*all_kinds, NodeDrop(node_id=NodeId("n9")), requests=[a.request("r1", answer=b"[]")])

    with pytest.raises(ChangeInvalid):
        await store.append(a.KEY, "u1", [refused])

    assert a.same(await store.load(a.KEY), before)
    assert await a.kept(store, a.KEY, RequestId("r1")) == requests
    assert [change.revision for change in await store.changes(a.KEY, "u1", 0, 10)] == [1, 2]
    await store.append(a.KEY, "u1", [story.change(*all_kinds)])
    assert (await store.heads([a.KEY]))[a.KEY].revision == 3
