"""What every store keeps to: one list of behaviours, run on each of them."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from core.aggregate.change import Head
from core.bank.state import BankState
from core.bank.steps import (
    AttachmentPut,
    BankChange,
    BankPut,
    ClusterPut,
    ConflictPut,
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
from core.errors import (
    BankExists,
    BankNotFound,
    RevisionTrimmed,
    StepUnknown,
    StoreUnavailable,
)
from core.ids import ChangeId, ConflictId, InteractionId, NodeId, RequestId, TaskId, Tenant
from core.internal_errors import HeadMoved, RequestRepeated, RevisionTaken
from core.keys import BankKey
from core.model.conflict import ConflictStatus
from core.model.insight import CompletedTask, Insight, PendingTask
from core.model.interaction import InteractionOrigin, TaskReport, TaskStatus
from core.model.lineage import MergeReason, MergeRecord
from core.model.node import NodeState
from core.model.structuring import MergeMade, Outcome, StructuringState
from core.ports.store import Listing, PurgeCounts, Store
from service.adapters.store.fence import ChangeInvalid
from tests.support import changes as a

N1, N2, N3 = NodeId("n1"), NodeId("n2"), NodeId("n3")
ALL = Listing(labels={})


async def founded(store: Store, key: BankKey = a.KEY, uid: str = "u1", first: int = 1) -> a.Story:
    """A bank of one change: two related nodes from one interaction."""
    story = a.Story(key, uid, first)
    await store.append(key, uid, [a.founding_with_two_nodes(story)])
    return story


async def loaded(store: Store, key: BankKey = a.KEY) -> BankState:
    state = await store.load(key)
    assert isinstance(state, BankState)
    return state


async def after(store: Store, *steps: Step) -> BankState:
    """The bank of two nodes, when it is loaded after one more change."""
    story = await founded(store)
    await store.append(a.KEY, "u1", [story.change(*steps)])
    return await loaded(store)


# ---- the fence ----


async def test_a_bank_that_was_never_made_loads_as_none(store: Store) -> None:
    assert await store.load(a.KEY) is None


async def test_a_new_bank_stands_at_its_first_change(store: Store) -> None:
    story = await founded(store)

    assert (
        (await loaded(store)).head
        == story.head
        == Head(uid="u1", revision=1, change_id=ChangeId("bank-1-u1-1"))
    )


async def test_an_append_moves_the_head(store: Store) -> None:
    story = await founded(store)

    await store.append(a.KEY, "u1", [story.change(a.node_put("n3"))])

    assert (await store.heads([a.KEY]))[a.KEY] == story.head


async def test_a_writer_that_paused_on_an_old_head_is_refused(store: Store) -> None:
    story = await founded(store)
    staged_before_the_pause = story.fork(a.node_put("late"))
    await store.append(a.KEY, "u1", [story.change(a.node_put("n3"))])

    with pytest.raises(HeadMoved):
        await store.append(a.KEY, "u1", [staged_before_the_pause])

    assert [put.node.node_id for put in (await loaded(store)).nodes] == ["n1", "n2", "n3"]


async def test_of_appends_that_race_exactly_one_wins(store: Store) -> None:
    story = await founded(store)
    rivals = [story.fork(a.node_put(f"rival-{number}")) for number in range(10)]

    outcomes = await asyncio.gather(
        *(store.append(a.KEY, "u1", [rival]) for rival in rivals), return_exceptions=True
    )

    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["HeadMoved"] * 9 + ["NoneType"]
    assert len((await loaded(store)).nodes) == 3


async def test_appends_to_many_banks_at_once_all_succeed(store: Store) -> None:
    stories = [a.Story(a.key(f"b{number}")) for number in range(30)]

    await asyncio.gather(*(store.append(s.key, "u1", [a.founding_with_two_nodes(s)]) for s in stories))

    assert await store.heads([s.key for s in stories]) == {s.key: s.head for s in stories}


async def test_a_stale_append_spoils_none_that_is_written_beside_it(store: Store) -> None:
    stories = [await founded(store, a.key(f"b{number}")) for number in range(6)]
    stale = replace(stories[2].fork(a.node_put("n3")), parent=ChangeId("another"))
    fresh = [story.change(a.node_put("n3")) for story in stories if story is not stories[2]]
    keys = [story.key for story in stories if story is not stories[2]]

    outcomes = await asyncio.gather(
        store.append(stories[2].key, "u1", [stale]),
        *(store.append(key, "u1", [change]) for key, change in zip(keys, fresh, strict=True)),
        return_exceptions=True,
    )

    assert isinstance(outcomes[0], HeadMoved)
    assert outcomes[1:] == [None] * 5
    assert [len((await loaded(store, story.key)).nodes) for story in stories] == [3, 3, 2, 3, 3, 3]


async def test_creating_what_exists_is_refused(store: Store) -> None:
    await founded(store)

    with pytest.raises(BankExists):
        await founded(store, uid="u2")

    assert (await loaded(store)).head.uid == "u1"


async def test_of_creates_that_race_exactly_one_wins(store: Store) -> None:
    stories = [a.Story(uid=f"u{number}") for number in range(5)]

    outcomes = await asyncio.gather(
        *(store.append(a.KEY, s.uid, [a.founding_with_two_nodes(s)]) for s in stories), return_exceptions=True
    )

    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["BankExists"] * 4 + ["NoneType"]


async def test_appending_to_a_bank_that_is_not_there_is_refused(store: Store) -> None:
    story = a.Story()
    a.founding_with_two_nodes(story)

    with pytest.raises(BankNotFound):
        await store.append(a.KEY, "u1", [story.change(a.node_put("n3"))])


async def test_a_bank_made_again_under_its_id_never_meets_an_old_writer(store: Store) -> None:
    old = await founded(store, uid="u1")
    await store.delete(a.KEY)
    await founded(store, uid="u2", first=3)

    with pytest.raises(BankNotFound):
        await store.append(a.KEY, "u1", [old.change(a.node_put("ghost"))])

    assert (await loaded(store)).head.uid == "u2"


async def test_no_revision_comes_again_within_a_tenant(store: Store) -> None:
    story = await founded(store)
    await store.append(a.KEY, "u1", [story.change(a.node_put("n3"))])
    elsewhere, early = a.key("b", tenant="other"), a.Story(a.KEY, "u2", first=3)
    await store.delete(a.KEY)  # at 3, one above its last

    with pytest.raises(RevisionTaken) as taken:
        await store.append(a.KEY, "u2", [a.founding_with_two_nodes(early)])

    assert taken.value.floor == 3
    assert await store.heads([a.KEY]) == {}
    await founded(store, elsewhere)
    again = await founded(store, uid="u2", first=4)
    assert await store.heads([a.KEY, elsewhere]) == {
        a.KEY: again.head,
        elsewhere: Head(uid="u1", revision=1, change_id=ChangeId("b-u1-1")),
    }


async def test_a_purge_that_is_refused_takes_no_revision(store: Store) -> None:
    await founded(store)
    with pytest.raises(HeadMoved):
        await store.delete(a.KEY, revision=7)

    await founded(store, a.key("b2"))


async def test_appending_the_same_changes_again_is_appending_them_once(store: Store) -> None:
    story = await founded(store)
    pair = [story.change(a.node_put("n3")), story.change(a.edge("n2", "n3"))]
    await store.append(a.KEY, "u1", pair)

    await store.append(a.KEY, "u1", pair)

    state = await loaded(store)
    assert state.head == story.head
    assert state.edges == ((N1, N2), (N2, N3))
    assert len(await store.changes(a.KEY, "u1", 0, 10)) == 3


async def test_founding_a_bank_again_with_the_same_change_is_founding_it_once(store: Store) -> None:
    founding = a.founding_with_two_nodes(a.Story())
    await store.append(a.KEY, "u1", [founding])

    await store.append(a.KEY, "u1", [founding])

    assert (await loaded(store)).head.revision == 1


# ---- a group of changes ----


async def test_changes_of_one_append_take_consecutive_revisions(store: Store) -> None:
    story = await founded(store)
    group = [story.change(a.node_put(f"m{number}")) for number in range(5)]

    await store.append(a.KEY, "u1", group)

    assert [change.revision for change in await store.changes(a.KEY, "u1", 0, 100)] == [1, 2, 3, 4, 5, 6]


async def test_a_bank_can_begin_with_several_changes(store: Store) -> None:
    story = a.Story()

    await store.append(a.KEY, "u1", [a.founding_with_two_nodes(story), story.change(a.node_put("n3"))])

    assert (await loaded(store)).head.revision == 2


async def test_an_imported_bank_begins_where_its_original_stood(store: Store) -> None:
    story = a.Story()
    founding = replace(story.founding(), revision=57)
    story.head = Head(uid="u1", revision=57, change_id=founding.change_id)
    await store.append(a.KEY, "u1", [founding])

    await store.append(a.KEY, "u1", [story.change(a.node_put("n1"))])

    assert (await loaded(store)).head.revision == 58
    assert _revisions(await store.changes(a.KEY, "u1", 56, 10)) == [57, 58]
    assert _revisions(await store.changes(a.KEY, "u1", 0, 10)) == [57, 58]
    with pytest.raises(
        RevisionTrimmed
    ):  # whoever has seen a part of the original has seen nothing of this one
        await store.changes(a.KEY, "u1", 55, 10)


async def test_of_a_group_all_is_stored_or_nothing(store: Store) -> None:
    story = await founded(store)
    before = await loaded(store)
    good, bad = story.change(a.node_put("n3")), story.change(a.edge("n1", "missing"))

    with pytest.raises(ChangeInvalid):
        await store.append(a.KEY, "u1", [good, bad])

    assert a.same(await loaded(store), before)
    assert len(await store.changes(a.KEY, "u1", 0, 10)) == 1


async def test_an_imported_bank_may_begin_where_the_exported_one_stood(store: Store) -> None:
    founding = replace(a.founding_with_two_nodes(a.Story()), revision=57)

    await store.append(a.KEY, "u1", [founding])

    assert (await loaded(store)).head.revision == 57
    assert [change.revision for change in await store.changes(a.KEY, "u1", 56, 10)] == [57]
    with pytest.raises(RevisionTrimmed):
        await store.changes(a.KEY, "u1", 55, 10)


def _gap(story: a.Story) -> list[BankChange]:
    return [story.change(), replace(story.change(), revision=9)]


def _strangers(story: a.Story) -> list[BankChange]:
    return [story.change(), replace(story.change(), parent=ChangeId("another"))]


def _skips(story: a.Story) -> list[BankChange]:
    return [replace(story.change(), revision=7)]


def _another_banks_record(story: a.Story) -> list[BankChange]:
    return [story.change(BankPut(record=a.record(a.key("other"))))]


def _founding_without_record(story: a.Story) -> list[BankChange]:
    return [replace(story.change(a.node_put("n9")), parent=None, revision=1)]


def _nothing(_: a.Story) -> list[BankChange]:
    return []


@pytest.mark.parametrize(
    "staged", [_gap, _strangers, _skips, _another_banks_record, _founding_without_record, _nothing]
)
async def test_changes_that_do_not_belong_together_are_refused(
    store: Store, staged: Callable[[a.Story], list[BankChange]]
) -> None:
    story = await founded(store)
    before = await loaded(store)

    with pytest.raises(ChangeInvalid):
        await store.append(a.KEY, "u1", staged(story))

    assert a.same(await loaded(store), before)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePaint:
    node_id: str


async def test_an_unknown_step_is_refused_and_nothing_written(store: Store) -> None:
    story = await founded(store)
    before = await loaded(store)

    with pytest.raises(StepUnknown):
        await store.append(a.KEY, "u1", [story.change(a.node_put("n3"), NodePaint(node_id="n3"))])  # type: ignore[arg-type]

    assert a.same(await loaded(store), before)


# ---- what the steps do ----


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


# ---- the feed ----


async def test_the_feed_gives_the_changes_back_without_their_requests(store: Store) -> None:
    story = a.Story()
    written = [
        a.founding_with_two_nodes(story),
        story.change(NodeDrop(node_id=N1), requests=[a.request("r1")], time=a.at(1.5)),
    ]
    await store.append(a.KEY, "u1", written)

    read = await store.changes(a.KEY, "u1", 0, 10)

    assert a.same(read[0], written[0])
    assert a.same(read[1], replace(written[1], requests=()))


async def _feed_of(store: Store, length: int) -> a.Story:
    """A bank of `length` changes, one second after another from second 1."""
    story = a.Story()
    changes = [story.founding(time=a.at(1))]
    changes += [story.change(a.node_put(f"n{number}"), time=a.at(number)) for number in range(2, length + 1)]
    await store.append(a.KEY, "u1", changes)
    return story


def _revisions(changes: Sequence[BankChange]) -> list[int]:
    return [change.revision for change in changes]


async def test_the_feed_pages_by_revision(store: Store) -> None:
    await _feed_of(store, 7)

    assert _revisions(await store.changes(a.KEY, "u1", 0, 3)) == [1, 2, 3]
    assert _revisions(await store.changes(a.KEY, "u1", 3, 3)) == [4, 5, 6]
    assert _revisions(await store.changes(a.KEY, "u1", 6, 3)) == [7]
    assert _revisions(await store.changes(a.KEY, "u1", 7, 3)) == []


async def test_the_feed_of_a_bank_under_another_uid_is_not_found(store: Store) -> None:
    await _feed_of(store, 1)

    with pytest.raises(BankNotFound):
        await store.changes(a.KEY, "u2", 0, 10)
    with pytest.raises(BankNotFound):
        await store.changes(a.key("missing"), "u1", 0, 10)


async def test_a_follower_before_the_trimmed_is_told_where_to_follow_from(store: Store) -> None:
    await _feed_of(store, 6)

    forgotten = await store.trim(a.at(4))

    assert forgotten == 3
    with pytest.raises(RevisionTrimmed) as trimmed:
        await store.changes(a.KEY, "u1", 2, 10)
    assert (trimmed.value.revision, trimmed.value.oldest) == (2, 3)
    assert _revisions(await store.changes(a.KEY, "u1", trimmed.value.oldest, 10)) == [4, 5, 6]


async def test_where_a_founding_was_trimmed_not_even_a_new_follower_sees_everything(store: Store) -> None:
    story = await founded(store, first=8)
    await store.append(a.KEY, "u1", [story.change(a.node_put("n3"))])
    await store.trim(a.at(1_000))

    with pytest.raises(RevisionTrimmed):
        await store.changes(a.KEY, "u1", 0, 10)


async def test_a_banks_newest_change_is_never_trimmed(store: Store) -> None:
    await _feed_of(store, 4)

    assert await store.trim(a.at(1000)) == 3

    assert _revisions(await store.changes(a.KEY, "u1", 3, 10)) == [4]
    assert len((await loaded(store)).nodes) == 3


async def test_trimming_leaves_no_gap_when_clocks_disagree(store: Store) -> None:
    story = a.Story()
    times = [1, 9, 2, 3, 10]
    changes = [story.founding(time=a.at(times[0])), *(story.change(time=a.at(time)) for time in times[1:])]
    await store.append(a.KEY, "u1", changes)

    await store.trim(a.at(5))

    assert _revisions(await store.changes(a.KEY, "u1", 1, 10)) == [2, 3, 4, 5]


async def test_a_bank_goes_on_after_trimming(store: Store) -> None:
    story = await _feed_of(store, 4)
    await store.trim(a.at(1000))

    await store.append(a.KEY, "u1", [story.change(a.node_put("after"))])

    assert _revisions(await store.changes(a.KEY, "u1", 3, 10)) == [4, 5]


# ---- requests ----


async def test_a_request_is_found_with_its_answer(store: Store) -> None:
    story = await founded(store)
    asked = a.request("r1", answer=b"\x00\xffanswer", revision=2)
    await store.append(a.KEY, "u1", [story.change(requests=[asked])])

    assert await a.kept(store, a.KEY, RequestId("r1")) == asked
    assert await a.kept(store, a.KEY, RequestId("r2")) is None
    assert await a.kept(store, a.key("other"), RequestId("r1")) is None


@pytest.mark.parametrize("changed", [{}, {"answer": b"other"}, {"digest": "d2"}, {"verb": "Relate"}])
async def test_a_request_is_stored_once_and_refuses_whatever_comes_with_it_again(
    store: Store, changed: dict[str, Any]
) -> None:
    story = await founded(store)
    await store.append(a.KEY, "u1", [story.change(requests=[a.request("r1")])])
    before = await loaded(store)
    again = [story.change(a.node_put("n3"), requests=[a.request("r2")])]
    again.append(story.change(a.node_put("n4"), requests=[a.request("r1", **changed)]))

    with pytest.raises(RequestRepeated):
        await store.append(a.KEY, "u1", again)

    assert a.same(await loaded(store), before)
    assert await a.kept(store, a.KEY, RequestId("r1")) == a.request("r1")
    assert await a.kept(store, a.KEY, RequestId("r2")) is None


async def test_the_fence_speaks_before_a_request_that_is_stored_already(store: Store) -> None:
    story = await founded(store)
    stale = story.fork(requests=[a.request("r1")])
    await store.append(a.KEY, "u1", [story.change(requests=[a.request("r1")])])

    with pytest.raises(HeadMoved):
        await store.append(a.KEY, "u1", [stale])


async def test_requests_are_trimmed_by_age(store: Store) -> None:
    story = await founded(store)
    records = [a.request("old"), a.request("young", create_time=a.at(10))]
    await store.append(a.KEY, "u1", [story.change(requests=records, time=a.at(20))])

    forgotten = await store.trim(a.at(5))

    left = [r.request_id for r in records if await a.kept(store, a.KEY, r.request_id) is not None]
    assert left == ["young"]
    assert forgotten == 2  # a request and the founding change


# ---- segment vectors ----


async def test_segment_vectors_are_kept_outside_the_feed_bit_for_bit(store: Store) -> None:
    story = await founded(store)
    made = {a.ref("i1", 1): a.vector(11), a.ref("i1", 0): a.vector(10)}

    await store.put_vectors(a.KEY, "u1", "segments", "", made)

    state = await loaded(store)
    assert state.head == story.head
    assert a.bits(state.segment_vectors) == a.bits(made)
    assert list(state.segment_vectors or {}) == [a.ref("i1", 0), a.ref("i1", 1)]


async def test_only_the_segment_vectors_that_exist_are_given(store: Store) -> None:
    await founded(store)
    await store.put_vectors(a.KEY, "u1", "segments", "", {a.ref("i1", 1): a.vector(11)})

    asked = [a.ref("i1", 0), a.ref("i1", 1), a.ref("i9", 0)]

    assert a.bits(await store.vectors(a.KEY, "u1", "segments", "", asked)) == {
        a.ref("i1", 1): a.vector(11).tobytes()
    }
    assert await store.vectors(a.KEY, "u2", "segments", "", asked) == {}


async def test_vectors_of_segments_that_are_not_there_are_passed_over(store: Store) -> None:
    await founded(store)

    await store.put_vectors(
        a.KEY, "u1", "segments", "", {a.ref("i1", 7): a.vector(1), a.ref("i1", 0): a.vector(2)}
    )

    assert a.bits((await loaded(store)).segment_vectors) == {a.ref("i1", 0): a.vector(2).tobytes()}


async def test_segment_vectors_for_another_uid_are_refused(store: Store) -> None:
    await founded(store)

    with pytest.raises(BankNotFound):
        await store.put_vectors(a.KEY, "u2", "segments", "", {a.ref("i1", 0): a.vector(1)})

    assert not (await loaded(store)).segment_vectors


# ---- heads and lists ----


async def test_heads_are_given_of_the_banks_that_exist(store: Store) -> None:
    one, other = await founded(store, a.key("b1")), await founded(store, a.key("b2", tenant="other"))

    heads = await store.heads([a.key("b1"), a.key("b2", tenant="other"), a.key("b2"), a.key("missing")])

    assert heads == {one.key: one.head, other.key: other.head}
    assert await store.heads([]) == {}


async def test_of_many_heads_those_that_moved_are_given(store: Store) -> None:
    still, moved, purged, again = [await founded(store, a.key(name)) for name in ("1", "2", "3", "4")]
    known = await store.heads([still.key, moved.key, purged.key, again.key])
    await store.append(moved.key, "u1", [moved.change(a.node_put("n3"))])
    await store.delete(purged.key)
    await store.delete(again.key)
    successor = await founded(store, again.key, uid="u2", first=9)

    assert await store.moved(known) == {moved.key: moved.head, purged.key: None, again.key: successor.head}
    assert await store.moved({still.key: known[still.key]}) == {}
    assert await store.moved({}) == {}


async def test_banks_are_listed_in_pages_by_id(store: Store) -> None:
    for name in ["c", "a", "e", "b", "d"]:
        await founded(store, a.key(name))

    first = await store.listed(Tenant("acme"), "bank", ALL, "", 2)
    rest = await store.listed(Tenant("acme"), "bank", ALL, "b", 10)

    assert [record.key.bank_id for record, _ in first] == ["a", "b"]
    assert [record.key.bank_id for record, _ in rest] == ["c", "d", "e"]
    assert first[0] == (a.record(a.key("a")), 1)


async def test_banks_are_listed_by_user_collection_and_labels(store: Store) -> None:
    scopes: dict[str, dict[str, Any]] = {
        "b1": {"user": "小明", "collection": "x", "labels": {"队": "甲", "env": "test"}},
        "b2": {"user": "小明", "collection": "y", "labels": {"队": "甲"}},
        "b3": {"user": "amy", "collection": "x", "labels": {"队": "乙", "quo\"te'd": "$.a"}},
        "b4": {},
    }
    for name, fields in scopes.items():
        await store.append(a.key(name), "u1", [a.Story(a.key(name)).founding(**fields)])

    async def listed(**chosen: Any) -> list[str]:
        asked = Listing(**({"labels": {}} | chosen))
        return [record.key.bank_id for record, _ in await store.listed(Tenant("acme"), "bank", asked, "", 10)]

    assert await listed() == ["b1", "b2", "b3", "b4"]
    assert await listed(user="小明") == ["b1", "b2"]
    assert await listed(user="小明", collection="y") == ["b2"]
    assert await listed(collection="x") == ["b1", "b3"]
    assert await listed(labels={"队": "甲"}) == ["b1", "b2"]
    assert await listed(labels={"队": "甲", "env": "test"}) == ["b1"]
    assert await listed(labels={"quo\"te'd": "$.a"}) == ["b3"]
    assert await listed(labels={"env": "prod"}) == []


async def test_tenants_never_meet(store: Store) -> None:
    ours, theirs = a.key("same", "ours"), a.key("same", "theirs")
    our_story, their_story = await founded(store, ours, "u1"), await founded(store, theirs, "u2")
    await store.append(ours, "u1", [our_story.change(a.node_put("secret"), requests=[a.request("r1")])])

    assert len((await loaded(store, theirs)).nodes) == 2
    assert await a.kept(store, theirs, RequestId("r1")) is None
    assert [record.uid for record, _ in await store.listed(Tenant("theirs"), "bank", ALL, "", 9)] == ["u2"]

    await store.delete(ours)

    assert (await loaded(store, theirs)).head == their_story.head


# ---- purge ----


async def test_a_purge_counts_what_it_removed(store: Store) -> None:
    story = await founded(store)
    shared = a.attachment("x", "s3://shared")
    await store.append(
        a.KEY,
        "u1",
        [
            story.change(
                InteractionAdd(
                    interaction=a.interaction(
                        "i2", "一", "二", "三", attachments=(shared, a.attachment("y", "blob:y", stored=True))
                    )
                ),
                AttachmentPut(attachment=shared),
                AttachmentPut(attachment=a.attachment("z", "https://z")),
                StructuringPut(structuring=a.structuring("i2", StructuringState.PENDING)),
                ClusterPut(cluster=a.cluster("i2", 0)),
                ConflictPut(conflict=a.conflict("c1", "n1", "n2")),
                PairSettle(node_id=N1, other_node_id=N2),
                requests=[a.request("r1"), a.request("r2")],
            )
        ],
    )

    counts = await store.delete(a.KEY, "u1")

    assert counts == PurgeCounts(
        nodes=2, edges=1, interactions=2, segments=5, conflicts=1, changes=2, requests=2, files_left=2
    )


async def test_a_purged_bank_is_gone_everywhere(store: Store) -> None:
    story = await founded(store)
    await store.append(
        a.KEY,
        "u1",
        [
            story.change(
                BankPut(record=a.record(finish_time=a.at(0), ttl=timedelta(0))),
                StructuringPut(structuring=a.structuring("i1", StructuringState.PENDING)),
                requests=[a.request("r1")],
            )
        ],
    )

    await store.delete(a.KEY)

    assert await store.load(a.KEY) is None
    assert await store.heads([a.KEY]) == {}
    assert await a.kept(store, a.KEY, RequestId("r1")) is None
    assert await store.listed(a.KEY.tenant, "bank", ALL, "", 10) == []
    assert await store.leftovers(10) == []
    assert await store.expired(a.at(99), 0, 10) == []
    with pytest.raises(BankNotFound):
        await store.changes(a.KEY, "u1", 0, 10)
    with pytest.raises(BankNotFound):
        await store.delete(a.KEY)


async def test_purging_a_bank_under_another_uid_removes_nothing(store: Store) -> None:
    await founded(store)

    with pytest.raises(BankNotFound):
        await store.delete(a.KEY, "u2")

    assert len((await loaded(store)).nodes) == 2


async def test_purging_a_bank_that_has_moved_on_removes_nothing(store: Store) -> None:
    await founded(store)

    with pytest.raises(HeadMoved):
        await store.delete(a.KEY, "u1", 7)

    assert len((await loaded(store)).nodes) == 2
    assert (await store.delete(a.KEY, "u1", 1)).nodes == 2


async def test_a_purge_leaves_the_other_banks_alone(store: Store) -> None:
    await founded(store, a.key("b1"))
    await founded(store, a.key("b2"))
    before = await loaded(store, a.key("b2"))

    await store.delete(a.key("b1"))

    assert a.same(await loaded(store, a.key("b2")), before)


# ---- work to do ----


async def test_leftovers_come_longest_untouched_first_from_all_tenants(store: Store) -> None:
    for tenant, seconds in (("one", (30, 10)), ("two", (20, 40))):
        story = await founded(store, a.key("b", tenant))
        steps: list[Step] = []
        for number, second in enumerate(seconds):
            state = StructuringState.FAILED if number else StructuringState.PENDING
            steps.append(InteractionAdd(interaction=a.interaction(f"x{second}", "文")))
            steps.append(StructuringPut(structuring=a.structuring(f"x{second}", state, second)))
        steps.append(StructuringPut(structuring=a.structuring("i1", StructuringState.DONE, 1)))
        await store.append(story.key, "u1", [story.change(*steps)])

    found = await store.leftovers(3)

    assert [(left.key.tenant, left.interaction_id) for left in found] == [
        ("one", "x10"),
        ("two", "x20"),
        ("one", "x30"),
    ]
    assert found[0].update_time == a.at(10)


async def test_finished_banks_expire_by_their_own_ttl_or_the_default(store: Store) -> None:
    banks: dict[str, dict[str, Any]] = {
        "at-once": {"finish_time": a.at(0), "ttl": timedelta(0)},
        "default": {"finish_time": a.at(0)},
        "later": {"finish_time": a.at(0), "ttl": timedelta(seconds=1000)},
        "unfinished": {"ttl": timedelta(0)},
    }
    for name, fields in banks.items():
        await store.append(a.key(name), f"u-{name}", [a.Story(a.key(name), f"u-{name}").founding(**fields)])

    async def expired(seconds: float, limit: int = 10) -> list[tuple[str, str]]:
        return [(key.name, uid) for key, uid in await store.expired(a.at(seconds), 60.5, limit)]

    assert await expired(-1) == []
    assert await expired(0) == [("at-once", "u-at-once")]
    assert await expired(60.5) == [("at-once", "u-at-once"), ("default", "u-default")]
    assert await expired(60.499999) == [("at-once", "u-at-once")]
    assert [name for name, _ in await expired(5000)] == ["at-once", "default", "later"]
    assert await expired(5000, limit=1) == [("at-once", "u-at-once")]


# ---- closing ----


async def test_a_claim_is_its_holders_until_it_runs_out(store: Store) -> None:
    assert await store.claim("work", "one", 3_600)

    assert not await store.claim("work", "two", 3_600)
    assert await store.claim("other work", "two", 3_600)
    assert await store.claim("work", "one", 0.0)  # prolonged, and over at once
    await asyncio.sleep(0.01)
    assert await store.claim("work", "two", 3_600)
    assert not await store.claim("work", "one", 3_600)


async def test_of_claims_that_race_one_wins(store: Store) -> None:
    taken = await asyncio.gather(*(store.claim("work", f"holder {n}", 60) for n in range(8)))

    assert sorted(taken) == [False] * 7 + [True]


async def test_claims_that_have_run_out_are_trimmed_and_those_that_last_stay(store: Store) -> None:
    await store.claim("over", "one", 0.0)
    await store.claim("lasts", "one", 3_600)
    await asyncio.sleep(0.01)

    assert await store.trim(a.at(0)) == 0

    assert not await store.claim("lasts", "two", 60)


async def test_the_latest_time_is_the_latest_told_or_that_of_the_newest_change(store: Store) -> None:
    story = a.Story()
    times = [await store.latest_time()]
    await store.append(
        a.KEY, "u1", [story.founding(time=a.at(7)), story.change(a.node_put("n1"), time=a.at(3))]
    )
    times.append(await store.latest_time())
    for told in (a.at(2), a.at(9), a.at(8)):
        await store.tell_time(told)
        times.append(await store.latest_time())

    assert times == [None, a.at(7), a.at(2), a.at(9), a.at(9)]


async def test_everything_is_found_by_its_key_and_read_as_it_was_written(store: Store) -> None:
    keys = [a.key("b1", "one"), a.key("b2", "one"), a.key("b1", "two")]
    for key in keys:
        await store.append(key, "u1", [a.founding_with_two_nodes(a.Story(key))])

    found = [await store.keys(None, 2), await store.keys(keys[1], 2), await store.keys(keys[2], 2)]
    read = await store.verify(keys[1])

    assert found == [keys[:2], keys[2:], []]
    assert a.same(read, await store.load(keys[1]))
    assert await store.verify(a.key("b3", "one")) is None
    assert list(await store.check_database()) == []


async def test_a_closed_store_answers_unavailable(store: Store) -> None:
    await store.close()

    with pytest.raises(StoreUnavailable):
        await store.load(a.KEY)
    with pytest.raises(StoreUnavailable):
        await founded(store)
    await store.close()
