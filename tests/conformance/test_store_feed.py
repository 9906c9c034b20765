"""What every store keeps to beside the rows: the feed, the answers to requests, the vectors of segments."""

from dataclasses import replace
from typing import Any

import pytest

from core.bank.steps import NodeDrop
from core.errors import BankNotFound, RevisionTrimmed
from core.ids import RequestId
from core.internal_errors import HeadMoved, RequestRepeated
from core.ports.store import Store
from tests.support import changes as a
from tests.support.stored import N1, founded, loaded, revisions

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


async def test_the_feed_pages_by_revision(store: Store) -> None:
    await _feed_of(store, 7)

    assert revisions(await store.changes(a.KEY, "u1", 0, 3)) == [1, 2, 3]
    assert revisions(await store.changes(a.KEY, "u1", 3, 3)) == [4, 5, 6]
    assert revisions(await store.changes(a.KEY, "u1", 6, 3)) == [7]
    assert revisions(await store.changes(a.KEY, "u1", 7, 3)) == []


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
    assert revisions(await store.changes(a.KEY, "u1", trimmed.value.oldest, 10)) == [4, 5, 6]


async def test_where_a_founding_was_trimmed_not_even_a_new_follower_sees_everything(store: Store) -> None:
    story = await founded(store, first=8)
    await store.append(a.KEY, "u1", [story.change(a.node_put("n3"))])
    await store.trim(a.at(1_000))

    with pytest.raises(RevisionTrimmed):
        await store.changes(a.KEY, "u1", 0, 10)


async def test_a_banks_newest_change_is_never_trimmed(store: Store) -> None:
    await _feed_of(store, 4)

    assert await store.trim(a.at(1000)) == 3

    assert revisions(await store.changes(a.KEY, "u1", 3, 10)) == [4]
    assert len((await loaded(store)).nodes) == 3


async def test_trimming_leaves_no_gap_when_clocks_disagree(store: Store) -> None:
    story = a.Story()
    times = [1, 9, 2, 3, 10]
    changes = [story.founding(time=a.at(times[0])), *(story.change(time=a.at(time)) for time in times[1:])]
    await store.append(a.KEY, "u1", changes)

    await store.trim(a.at(5))

    assert revisions(await store.changes(a.KEY, "u1", 1, 10)) == [2, 3, 4, 5]


async def test_a_bank_goes_on_after_trimming(store: Store) -> None:
    story = await _feed_of(store, 4)
    await store.trim(a.at(1000))

    await store.append(a.KEY, "u1", [story.change(a.node_put("after"))])

    assert revisions(await store.changes(a.KEY, "u1", 3, 10)) == [4, 5]


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
