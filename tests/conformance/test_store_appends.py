"""What every store keeps to when changes are appended: the fence, and groups that are stored whole."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from core.aggregate.change import Head
from core.bank.steps import BankChange, BankPut
from core.errors import BankExists, BankNotFound, RevisionTrimmed, StepUnknown
from core.ids import ChangeId
from core.internal_errors import HeadMoved, RevisionTaken
from core.ports.store import Store
from service.adapters.store.fence import ChangeInvalid
from tests.support import changes as a
from tests.support.stored import N1, N2, N3, founded, loaded, revisions

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


async def test_changes_of_one_append_take_consecutiverevisions(store: Store) -> None:
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
    assert revisions(await store.changes(a.KEY, "u1", 56, 10)) == [57, 58]
    assert revisions(await store.changes(a.KEY, "u1", 0, 10)) == [57, 58]
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
