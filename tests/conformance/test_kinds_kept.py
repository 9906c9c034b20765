"""What stores keep beside the feed of kinds that are kept by parts: vectors, lists, counts; and how it goes."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.conversation.steps import ConversationPut
from core.errors import AggregateNotFound, RevisionTrimmed
from core.ids import Collection, ConversationId
from core.internal_errors import HeadMoved
from core.model.conversation import ConversationState
from core.ports.store import Listing, PurgeCounts, Store
from service.adapters.store.sqlite_store import SqliteStore
from tests.support.kinds import CASES, DAY, NOW, OTHER, SECRET, TENANT, USERS, Case, Story, asked, told

# ---- derived vectors ----

KEPT_BY_ITEMS = {name: case for name, case in CASES.items() if case.part}
ONE, OTHER_ONE = (np.array(values, np.float32) for values in ([0.6, 0.8], [1.0, 0.0]))


@pytest.fixture(params=KEPT_BY_ITEMS)
def by_items(request: pytest.FixtureRequest) -> Case:
    return KEPT_BY_ITEMS[request.param]


async def vectors_of(store: Store, story: Story, space: str, uid: str = "u-1") -> dict[str, list[float]]:
    case = story.case
    found = await store.vectors(story.key, uid, case.part, space, [case.item, "no-such"])
    return {item: vector.tolist() for item, vector in found.items()}


async def loaded_vectors(store: Store, story: Story, space: str) -> dict[str, list[float]]:
    state = await store.load(story.key, space)
    assert state is not None
    return {item: vector.tolist() for item, vector in state.vectors.get(story.case.part, {}).items()}


async def test_vectors_are_those_of_their_embedding_space(store: Store, by_items: Case) -> None:
    story = await told(store, Story(by_items))
    place = (story.key, story.uid, by_items.part)
    await store.put_vectors(*place, "e5", {by_items.item: ONE, "no-such": ONE})

    assert await vectors_of(store, story, "e5") == {by_items.item: ONE.tolist()}
    assert await vectors_of(store, story, "bge") == {}
    assert await vectors_of(store, story, "e5", uid="u-2") == {}
    assert await loaded_vectors(store, story, "bge") == {}
    assert await loaded_vectors(store, story, "e5") == {by_items.item: ONE.tolist()}

    await store.put_vectors(*place, "bge", {by_items.item: OTHER_ONE})

    assert await vectors_of(store, story, "bge") == {by_items.item: OTHER_ONE.tolist()}
    assert await vectors_of(store, story, "e5") == {}


async def test_an_item_that_goes_takes_its_vector_along(store: Store, by_items: Case) -> None:
    story = await told(store, Story(by_items))
    await store.put_vectors(story.key, story.uid, by_items.part, "e5", {by_items.item: ONE})

    await store.append(story.key, story.uid, [story.change(by_items.loses(story.record))])

    assert await vectors_of(store, story, "e5") == {}
    assert await loaded_vectors(store, story, "e5") == {}


async def test_vectors_for_one_that_is_gone_are_refused(store: Store, by_items: Case) -> None:
    story = await told(store, Story(by_items))

    with pytest.raises(AggregateNotFound):
        await store.put_vectors(story.key, "u-2", by_items.part, "e5", {by_items.item: ONE})
    await store.put_vectors(story.key, story.uid, by_items.part, "e5", {by_items.item: ONE})
    await store.delete(story.key)
    with pytest.raises(AggregateNotFound):
        await store.put_vectors(story.key, story.uid, by_items.part, "e5", {by_items.item: ONE})

    again = await told(store, Story(by_items, uid="u-2", first=9))
    assert await vectors_of(store, again, "e5", uid="u-2") == {}


# ---- lists and counts ----

NAMES = ("Zoe", "a b", "a%2Fb", "a/b", "ada", "zoë", "é", "王明", "𠮷田", "\uffee")


async def test_lists_are_in_the_order_of_names_by_bytes_and_go_on_where_they_ended(
    store: Store, case: Case
) -> None:
    stories = [await told(store, Story(case, user=user)) for user in NAMES]
    await told(store, Story(case, user="ada", tenant=OTHER))

    names: list[str] = []
    while page := await store.listed(TENANT, case.kind.name, Listing(), names[-1] if names else "", 3):
        assert [revision for _, revision in page] == [1] * len(page)
        names += [record.key.name for record, _ in page]

    assert names == sorted((story.key.name for story in stories), key=lambda name: name.encode())


async def test_lists_and_counts_are_of_one_user(store: Store, case: Case) -> None:
    for user in USERS:
        await told(store, Story(case, user=user))

    for user in USERS:
        listed = await store.listed(TENANT, case.kind.name, Listing(user=user), "", 10)

        assert [record.key for record, _ in listed] == [case.key(TENANT, user)]
        assert await store.count(TENANT, case.kind.name, user) == 1
    assert await store.count(TENANT, case.kind.name, "nobody") == 0
    assert await store.count(OTHER, case.kind.name, "ada") == 0


async def test_conversations_are_listed_by_collection_state_and_labels(store: Store) -> None:
    case = CASES["conversation"]
    told_of: dict[str, dict[str, Any]] = {
        "ada": {"labels": {"队": "甲"}},
        "ben": {"collection": Collection("home"), "labels": {"队": "甲", "env": "test"}},
        "cho": {"collection": Collection("home"), "state": ConversationState.ENDED},
    }
    for user, fields in told_of.items():
        story = Story(case, user=user)
        story.change((ConversationPut(record=replace(story.record, **fields)),))
        await told(store, story)

    async def listed(**chosen: Any) -> list[str]:
        found = await store.listed(TENANT, case.kind.name, Listing(**chosen), "", 10)
        return [record.user for record, _ in found]

    assert await listed(collection="home") == ["ben", "cho"]
    assert await listed(state="ended") == ["cho"]
    assert await listed(state="active", labels={"队": "甲"}) == ["ada", "ben"]
    assert await listed(labels={"队": "甲", "env": "test"}) == ["ben"]
    assert await listed(user="ben", state="ended") == []


async def test_the_conversations_with_the_newest_turns_come_first(store: Store) -> None:
    case, days = CASES["conversation"], {"one": 3, "two": 5, "three": None, "four": 5, "off": 9, "empty": 8}
    for name, day in days.items():
        story = Story(case)
        story.record = replace(
            story.record,
            key=replace(story.record.key, conversation_id=ConversationId(name)),
            enabled=name != "off",
            turn_count=int(name != "empty"),
            last_turn_time=None if day is None else NOW + day * DAY,
        )
        story.key, story.changes = story.record.key, []
        story.change(case.begins(story.record))
        await told(store, story)

    async def newest(limit: int, **chosen: Any) -> list[str]:
        found = await store.newest(TENANT, case.kind.name, Listing(**chosen), limit)
        assert {one.collection for one in found} <= {chosen.get("collection", story.record.collection)}
        return [one.key.conversation_id for one in found]

    assert await newest(9, user="ada") == ["two", "four", "one", "three"]
    assert await newest(2, user="ada") == ["two", "four"]
    assert await newest(9, user="ada", collection="elsewhere") == []
    assert await newest(9, user="ben") == []


async def test_the_longest_due_or_over_comes_first(store: Store, case: Case) -> None:
    times = {"ada": NOW - DAY, "ben": NOW - 3 * DAY, "cho": NOW - 2 * DAY}
    for user, at in times.items():
        await told(store, Story(case, user=user, due=at))

    due, expired = await store.due(NOW, 2), await store.expired(NOW, 0.0, 2)

    found, others = (due, expired) if case.due == "due_time" else (expired, due)
    assert [key for key, _ in found] == [case.key(TENANT, user) for user in ("ben", "cho")]
    assert others == []
    assert await store.oldest_due_time() == (NOW - 3 * DAY if case.due == "due_time" else None)


# ---- purge, trim, erase ----


async def test_a_purge_counts_what_it_removed(store: Store, case: Case) -> None:
    story = await told(store, Story(case))
    await store.append(
        story.key, story.uid, [story.change(case.goes_on(story.record), asked("r1"), asked("r2"))]
    )
    await store.append(story.key, story.uid, [story.change(case.loses(story.record))])

    with pytest.raises(AggregateNotFound):
        await store.delete(story.key, "u-2")
    with pytest.raises(HeadMoved):
        await store.delete(story.key, story.uid, 2)
    counts = await store.delete(story.key, story.uid, 3)

    assert counts == PurgeCounts(items=case.counts, changes=3, requests=2)


async def test_trimming_many_entries_leaves_the_end_without_gaps(store: Store, case: Case) -> None:
    story = Story(case)
    for _ in range(450):
        story.change(())
    young, old = NOW + timedelta(minutes=9), NOW + timedelta(minutes=1)
    story.changes = [
        replace(change, time=young if change.revision == 100 or 430 <= change.revision != 440 else old)
        for change in story.changes
    ]
    await store.append(story.key, story.uid, story.changes)

    forgotten = await store.trim(NOW + timedelta(minutes=5))

    assert forgotten == 99
    with pytest.raises(RevisionTrimmed) as trimmed:
        await store.changes(story.key, story.uid, 98, 10)
    assert trimmed.value.oldest == 99
    left = await store.changes(story.key, story.uid, 99, 1_000)
    assert [entry.revision for entry in left] == list(range(100, 452))

    assert await store.trim(NOW + DAY) == 351
    assert [entry.revision for entry in await store.changes(story.key, story.uid, 450, 10)] == [451]


async def test_what_was_erased_leaves_no_byte_on_disk(store: Store, by_items: Case, tmp_path: Path) -> None:
    story = await told(store, Story(by_items))
    before = files_with(tmp_path, SECRET)

    await store.append(story.key, story.uid, [story.change(by_items.loses(story.record))], erase=True)
    await store.scrub()

    assert before or not isinstance(store, SqliteStore)  # the others have no file here
    assert files_with(tmp_path, SECRET) == []


def files_with(folder: Path, text: str) -> list[str]:
    return [path.name for path in folder.iterdir() if text.encode() in path.read_bytes()]
