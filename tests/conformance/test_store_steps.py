"""What every store keeps to when a bank is loaded: each step does what it says."""

from dataclasses import replace
from datetime import timedelta

import pytest

from core.bank.steps import (
    AttachmentPut,
    BankPut,
    ClusterPut,
    ConflictPut,
    CopiesPut,
    EdgeDrop,
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
    insight_put,
)
from core.ids import ConflictId, InteractionId, NodeId, TaskId
from core.model.conflict import ConflictStatus
from core.model.insight import CompletedTask, Insight, PendingTask
from core.model.interaction import InteractionOrigin, TaskReport, TaskStatus
from core.model.lineage import MergeReason, MergeRecord
from core.model.node import NodeState
from core.model.structuring import MergeMade, Outcome, StructuringState
from core.ports.store import Store
from service.adapters.store.fence import ChangeInvalid
from tests.support import changes as a
from tests.support.stored import N1, N2, N3, after, founded, loaded


async def test_a_new_bank_has_its_goal_as_insight(store: Store) -> None:
    await founded(store)

    assert (await loaded(store)).insight == Insight(goal=a.record().goal)


async def test_a_loaded_bank_is_what_was_appended(store: Store) -> None:
    story = a.Story()
    founding = a.founding_with_two_nodes(story)

    await store.append(a.KEY, "u1", [founding])

    assert isinstance(put := founding.steps[2], NodePut)
    state = await loaded(store)
    assert state.record == a.record()
    assert state.nodes[0].node == put.node
    assert state.edges == ((N1, N2),)
    assert state.interactions == (a.interaction("i1", "公司的首席执行官是张三。", "The CEO is Zhang San."),)
    assert (state.attachments, state.structurings, state.clusters, state.merges, state.conflicts) == ((),) * 5


async def test_vectors_load_bit_for_bit(store: Store) -> None:
    await founded(store)

    vectors = [put.vector for put in (await loaded(store)).nodes]

    assert [v.tobytes() for v in vectors if v is not None] == [a.vector(1).tobytes(), a.vector(2).tobytes()]
    assert all(v is not None and v.dtype == "float32" for v in vectors)


async def test_the_banks_record_can_change(store: Store) -> None:
    changed = a.record(labels={"团队": "记忆"}, ttl=timedelta(seconds=90), finish_time=a.at(3), user="u")

    assert (await after(store, BankPut(record=changed))).record == changed


async def test_the_insight_document_is_replaced_whole(store: Store) -> None:
    done = CompletedTask(
        task_id=TaskId("t1"), type="SEARCH", description="查", status=TaskStatus.SUCCEEDED, context="查到了"
    )
    planned = PendingTask(task_id=TaskId("t2"), type="ANSWER", description="答", how="直接")
    insight = Insight(goal="g", completed=(done,), pending=(planned,), finished=True)

    state = await after(store, InsightPut(insight=insight))

    assert state.insight == insight
    assert state.insight.finished is True


async def test_completed_tasks_are_added_and_one_that_says_more_is_written_again(store: Store) -> None:
    tasks = [
        CompletedTask(task_id=TaskId(f"t{n}"), type="SEARCH", description="查", status=TaskStatus.SUCCEEDED)
        for n in range(4)
    ]
    first = Insight(goal="g", completed=tuple(tasks[:2]))
    second = replace(first, completed=tuple(tasks))
    third = replace(second, completed=(*tasks[:3], replace(tasks[3], context="查到了")), earlier_tasks=4)

    state = await after(
        store,
        insight_put(Insight(goal="g"), first),
        insight_put(first, second),
        last := insight_put(second, third),
    )

    assert state.insight == third
    assert (last.kept, len(last.insight.completed)) == (3, 1)


async def test_an_interaction_keeps_its_text_segments_task_and_attachments(store: Store) -> None:
    interaction = a.interaction(
        "i0",
        "一段话。",
        "Another — with ‘marks’, \n newlines and 😀.",
        "",
        origin=InteractionOrigin.VERDICT,
        source="chat",
        labels={"k": "v"},
        task=TaskReport(type="SOLVE", description="d", status=TaskStatus.FAILED, task_id="t", retry_of="r"),
        attachments=(a.attachment("b", "file:///b"), a.attachment("a", "blob:a", stored=True)),
    )

    assert (await after(store, InteractionAdd(interaction=interaction))).interactions[0] == interaction


async def test_an_interaction_is_never_written_twice(store: Store) -> None:
    with pytest.raises(ChangeInvalid):
        await after(store, InteractionAdd(interaction=a.interaction("i1", "another text")))

    assert (await loaded(store)).interactions[0].text == "公司的首席执行官是张三。The CEO is Zhang San."


async def test_a_megabyte_of_text_is_kept_whole(store: Store) -> None:
    text = "这是一个很长的句子,with English in it. " * 40_000
    interaction = a.interaction("i2", text)

    state = await after(store, InteractionAdd(interaction=interaction))

    assert state.interactions[1].text == text


async def test_an_uploaded_attachment_is_kept_until_put_again(store: Store) -> None:
    first, again = a.attachment("x", "blob:1", stored=True), a.attachment("x", "blob:2", stored=True)

    state = await after(store, AttachmentPut(attachment=first), AttachmentPut(attachment=again))

    assert state.attachments == (again,)


async def test_structuring_and_clusters_are_kept(store: Store) -> None:
    done = replace(
        a.structuring("i1", StructuringState.DONE, 5), planned=True, next_segment=2, insight=Insight(goal="x")
    )
    outcome = Outcome(
        node_id=N3,
        merges=(MergeMade(into_node_id=N3, absorbed_node_ids=(N1, N2)),),
        related=((N1, N3),),
        conflict_id=ConflictId("c1"),
        uncompared_pairs=12,
    )
    planned = [a.cluster("i1", number) for number in range(11)]

    state = await after(
        store,
        StructuringPut(structuring=a.structuring("i1", StructuringState.PENDING)),
        *(ClusterPut(cluster=one) for one in reversed(planned)),
        ClusterPut(cluster=replace(planned[3], outcome=outcome)),
        StructuringPut(structuring=done),
    )

    assert state.structurings == (done,)
    assert [c.number for c in state.clusters] == list(range(11))
    assert state.clusters[3].outcome == outcome
    assert state.clusters[4] == planned[4]


async def test_putting_a_node_again_without_a_vector_keeps_the_one_it_has(store: Store) -> None:
    reworded = a.node("n1", context="改写", state=NodeState.CONTESTED, revision=2, labels={"a": "b"})

    state = await after(store, NodePut(node=reworded))

    assert state.nodes[0].node == reworded
    assert state.nodes[0].vector is not None
    assert state.nodes[0].vector.tobytes() == a.vector(1).tobytes()
    assert state.edges == ((N1, N2),)


async def test_putting_a_node_again_with_a_vector_replaces_it(store: Store) -> None:
    state = await after(store, a.node_put("n1", 7))

    assert state.nodes[0].vector is not None
    assert state.nodes[0].vector.tobytes() == a.vector(7).tobytes()


async def test_a_node_may_have_no_vector(store: Store) -> None:
    state = await after(store, NodePut(node=a.node("n3")))

    assert state.nodes[2].vector is None


async def test_a_dropped_node_takes_its_edges_and_settled_pairs_along(store: Store) -> None:
    state = await after(
        store,
        a.node_put("n3"),
        a.edge("n2", "n3"),
        PairSettle(node_id=N1, other_node_id=N3),
        PairSettle(node_id=N3, other_node_id=N2),
        NodeDrop(node_id=N1),
    )

    assert [put.node.node_id for put in state.nodes] == [N2, N3]
    assert state.edges == ((N2, N3),)
    assert state.settled == ((N2, N3),)


async def test_a_node_that_comes_back_has_none_of_what_it_had(store: Store) -> None:
    state = await after(store, NodeDrop(node_id=N1), NodePut(node=a.node("n1")))

    assert state.nodes[0].vector is None
    assert state.edges == ()


async def test_copies_of_a_node_are_replaced_and_go_with_it(store: Store) -> None:
    first, second = a.ref("i1", 0), a.ref("i1", 1)
    more = a.copies("n2", second, first, count=1_000)

    state = await after(
        store,
        CopiesPut(copies=a.copies("n2", second)),
        CopiesPut(copies=a.copies("n1", second)),
        CopiesPut(copies=more),
        NodePut(node=a.node("n2", segments=(first,), interaction_ids=(InteractionId("i1"),))),
        NodeDrop(node_id=N1),
        NodePut(node=a.node("n1")),
    )

    assert state.copies == (more,)


async def test_an_edge_has_no_direction_and_is_there_once(store: Store) -> None:
    state = await after(store, a.edge("n2", "n1"), a.edge("n1", "n2"))

    assert state.edges == ((N1, N2),)


async def test_an_edge_is_dropped_from_either_end(store: Store) -> None:
    state = await after(store, EdgeDrop(node_id=N2, other_node_id=N1))

    assert state.edges == ()


async def test_a_whole_merge_is_one_change(store: Store) -> None:
    merged = MergeRecord(
        into=N3,
        absorbed=(a.node("n1", interaction_ids=("i1",), segments=(a.ref("i1", 0),)), a.node("n2")),
        reason=MergeReason.CONFLICT,
        description="合并",
        time=a.at(9),
        conflict_id=ConflictId("c1"),
        verdict="以官网为准",
    )

    state = await after(
        store, a.node_put("n3"), NodeDrop(node_id=N1), NodeDrop(node_id=N2), MergeAdd(record=merged)
    )

    assert state.merges == (merged,)
    assert [put.node.node_id for put in state.nodes] == [N3]


async def test_merges_load_in_the_order_they_happened(store: Store) -> None:
    names = [f"x{number}" for number in (5, 1, 12, 3)]
    records = [
        MergeRecord(into=NodeId(name), absorbed=(), reason=MergeReason.MERGE, description="", time=a.at(0))
        for name in names
    ]

    state = await after(store, *(MergeAdd(record=record) for record in records))

    assert [record.into for record in state.merges] == names


async def test_a_conflict_is_replaced_by_its_later_self(store: Store) -> None:
    found = a.conflict("c1", "n1", "n2", confidence=0.123456789)
    resolved = replace(
        found,
        status=ConflictStatus.RESOLVED,
        close_time=a.at(4),
        verdict="张三",
        verdict_interaction_id=InteractionId("i1"),
        node_id=N3,
    )

    state = await after(store, ConflictPut(conflict=found), ConflictPut(conflict=resolved))

    assert state.conflicts == (resolved,)


async def test_settled_pairs_are_sorted_and_forgotten_by_node(store: Store) -> None:
    state = await after(
        store,
        PairSettle(node_id=N3, other_node_id=N1),
        PairSettle(node_id=N1, other_node_id=N3),
        PairSettle(node_id=N2, other_node_id=N1),
        PairSettle(node_id=N3, other_node_id=N2),
        PairForget(node_id=N2),
    )

    assert state.settled == ((N1, N3),)


async def test_refuted_words_name_their_conflict_by_place_and_once(store: Store) -> None:
    later = SegmentRefute(ref=a.ref("i1", 1), conflict_id=ConflictId("c9"), start=2, end=3)
    first = SegmentRefute(ref=a.ref("i1", 1), conflict_id=ConflictId("c1"), start=0, end=1)
    whole = SegmentRefute(ref=a.ref("i1", 0), conflict_id=ConflictId("c9"))

    state = await after(store, later, first, whole, later)

    assert state.refuted == (whole, first, later)


@pytest.mark.parametrize(
    "step",
    [
        a.edge("n1", "missing"),
        a.edge("n1", "n1"),
        NodeDrop(node_id=NodeId("missing")),
        CopiesPut(copies=a.copies("missing", a.ref("i1", 0))),
        SegmentRefute(ref=a.ref("i1", 2), conflict_id=ConflictId("c1")),
        SegmentRefute(ref=a.ref("missing", 0), conflict_id=ConflictId("c1")),
        StructuringPut(structuring=a.structuring("missing", StructuringState.PENDING)),
        ClusterPut(cluster=a.cluster("missing", 0)),
        PairSettle(node_id=N1, other_node_id=N1),
    ],
    ids=lambda step: type(step).__name__,
)
async def test_a_step_that_names_what_is_not_there_is_refused(store: Store, step: Step) -> None:
    with pytest.raises(ChangeInvalid):
        await after(store, step)

    assert (await loaded(store)).head.revision == 1


async def test_everything_loads_in_the_order_of_its_ids(store: Store) -> None:
    names = ["b", "a10", "a2", "B", "_"]

    state = await after(store, *(a.node_put(name) for name in names), *(a.edge(name, "n1") for name in names))

    assert [put.node.node_id for put in state.nodes] == sorted([*names, "n1", "n2"])
    assert list(state.edges) == sorted(state.edges)
