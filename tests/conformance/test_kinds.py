"""What every store keeps to for kinds that are kept by parts, whichever they are."""

import asyncio
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from core.aggregate.aggregate import Tuning
from core.errors import AggregateExists, AggregateNotFound, RevisionTrimmed
from core.ids import RequestId, User
from core.internal_errors import HeadMoved, RequestRepeated, RequirementFailed
from core.keys import Key, UserKey
from core.kinds import KINDS
from core.model.instructions import Level, Owner
from core.model.request import RequestRecord
from core.model.user import UserState
from core.ports.store import Listing, Require, Store
from tests.support import changes as a
from tests.support.kinds import CASES, DAY, NOW, OTHER, TENANT, USERS, Case, Story, asked, told, whole


@pytest.mark.parametrize("user", USERS)
async def test_what_is_loaded_is_what_was_lived_through(store: Store, case: Case, user: str) -> None:
    story = await whole(store, case, user)

    state = await store.load(story.key)

    assert state == story.held().state()
    assert case.kind.load(state, Tuning(), None).state() == state
    assert case.kind.key_of(TENANT, story.key.name) == story.key


async def test_the_feed_gives_the_changes_back(store: Store, case: Case) -> None:
    story = await whole(store, case)

    entries = await store.changes(story.key, story.uid, 1, 10)

    assert [(e.change_id, e.parent, e.revision, e.time, e.steps) for e in entries] == [
        (c.change_id, c.parent, c.revision, c.time, c.steps) for c in story.changes[1:]
    ]


async def test_a_writer_on_an_old_head_is_refused(store: Store, case: Case) -> None:
    story = await told(store, Story(case))
    late = story.fork(case.loses(story.record))
    await store.append(story.key, story.uid, [story.change(case.goes_on(story.record))])

    with pytest.raises(HeadMoved):
        await store.append(story.key, story.uid, [late])

    assert await store.load(story.key) == story.held().state()


async def test_of_creates_that_race_one_wins_and_the_others_are_told_by_the_kinds_own_error(
    store: Store, case: Case
) -> None:
    stories = [Story(case, uid=f"u-{number}") for number in range(8)]

    ended = await asyncio.gather(*(told(store, story) for story in stories), return_exceptions=True)

    assert sum(isinstance(each, Story) for each in ended) == 1
    lost = [each for each in ended if not isinstance(each, Story)]
    assert {type(each) for each in lost} == {type(case.kind.taken(stories[0].key))}
    assert all(isinstance(each, AggregateExists) for each in lost)


async def test_what_is_not_there_is_told_by_the_kinds_own_error(store: Store, case: Case) -> None:
    story = await whole(store, case)
    await store.delete(story.key)

    assert await store.load(story.key) is None
    for call in (
        store.changes(story.key, story.uid, 0, 10),
        store.append(story.key, story.uid, [story.fork(case.loses(story.record))]),
        store.delete(story.key),
    ):
        with pytest.raises(AggregateNotFound) as missing:
            await call
        assert type(missing.value) is type(case.kind.missing(story.key))


async def test_one_made_again_under_its_name_has_nothing_of_the_one_before(store: Store, case: Case) -> None:
    gone = await whole(store, case)
    await store.delete(gone.key)

    again = await told(store, Story(case, uid="u-2", first=len(gone.changes) + 2))

    assert await store.load(again.key) == again.held().state()


async def test_an_erasing_change_leaves_no_older_entry(store: Store, case: Case) -> None:
    story = await told(store, Story(case))
    await store.append(story.key, story.uid, [story.change(case.goes_on(story.record))])

    await store.append(story.key, story.uid, [story.change(case.loses(story.record))], erase=True)

    with pytest.raises(RevisionTrimmed) as trimmed:
        await store.changes(story.key, story.uid, 0, 10)
    assert trimmed.value.oldest == 2
    assert [entry.revision for entry in await store.changes(story.key, story.uid, 2, 10)] == [3]
    assert await store.load(story.key) == story.held().state()


async def test_what_is_due_or_over_is_found_by_its_time(store: Store, case: Case) -> None:
    times = {"ada": NOW - DAY, "ben": NOW + DAY, "cho": NOW - 2 * DAY}
    stories = {user: await told(store, Story(case, user=user, due=at)) for user, at in times.items()}

    async def found(now: datetime) -> list[tuple[Key, str]]:
        if case.due == "due_time":
            return list(await store.due(now, 10))
        return list(await store.expired(now, 0.0, 10))

    assert {key for key, _ in await found(NOW)} == {stories["ada"].key, stories["cho"].key}
    assert {uid for _, uid in await found(NOW)} == {"u-1"}
    assert len(await found(NOW + 2 * DAY)) == 3


async def test_a_request_is_found_with_its_answer(store: Store, case: Case) -> None:
    story = await told(store, Story(case))
    record = RequestRecord(
        request_id=RequestId("r"),
        verb="Verb",
        digest="d",
        create_time=NOW,
        answer='{"a":"答"}'.encode(),
        revision=2,
    )
    await store.append(story.key, story.uid, [story.change(case.goes_on(story.record), record)])

    assert await a.kept(store, story.key, RequestId("r")) == record
    assert await a.kept(store, story.key, RequestId("other")) is None


async def test_kinds_tenants_and_users_never_meet(store: Store) -> None:
    stories = [
        await told(store, Story(case, tenant=tenant, user=user))
        for case in CASES.values()
        for tenant in (TENANT, OTHER)
        for user in USERS
    ]

    gone = stories.pop()
    await store.delete(gone.key)

    assert await store.load(gone.key) is None
    for story in stories:
        assert await store.load(story.key) == story.held().state()
    for case in CASES.values():
        listed = await store.listed(TENANT, case.kind.name, Listing(), "", 10)
        mine = [story for story in stories if story.case is case and story.key.tenant == TENANT]
        assert {record.key for record, _ in listed} == {story.key for story in mine}


async def test_all_that_is_a_users_is_found_for_a_purge_but_the_users_own_record(store: Store) -> None:
    for case in CASES.values():
        for user in USERS:
            await told(store, Story(case, user=user))
    project = Owner(level=Level.PROJECT, name="ada").key(TENANT)
    await told(store, of_another_owner(CASES["instructions"], project))
    bank = a.Story(a.key("trip", TENANT))
    await store.append(bank.key, "u1", [bank.founding(user="ada")])
    owned = {case.key(TENANT, "ada") for name, case in CASES.items() if name != "user"}

    async def found(user: str, *, include_banks: bool, limit: int = 10) -> set[Key]:
        keys = await store.keys_of_user(TENANT, User(user), include_banks=include_banks, limit=limit)
        return {key for key, _ in keys}

    assert await found("ada", include_banks=False) == owned
    assert await found("ada", include_banks=True) == owned | {bank.key}
    assert len(await found("ada", include_banks=True, limit=3)) == 3
    for user in USERS[1:]:
        mine = {case.key(TENANT, user) for name, case in CASES.items() if name != "user"}
        assert await found(user, include_banks=True) == mine
    assert await found("", include_banks=True) == set()


def of_another_owner(case: Case, key: Any) -> Story:
    story = Story(case)
    story.record = replace(story.record, key=key, user="")
    story.key, story.changes = key, []
    story.change(case.begins(story.record))
    return story


def test_every_kind_but_the_bank_is_tried() -> None:
    assert {case.kind.name for case in CASES.values()} == set(KINDS) - {"bank"}


# ---- once, and no other way ----


async def test_an_append_whose_outcome_was_lost_is_sent_again_and_stored_once(
    store: Store, case: Case
) -> None:
    story = await whole(store, case)

    for change in story.changes:
        await store.append(story.key, story.uid, [change])

    assert await store.load(story.key) == story.held().state()
    assert len(await store.changes(story.key, story.uid, 0, 10)) == 3


async def test_a_request_is_stored_once_and_refuses_whatever_comes_with_it_again(
    store: Store, case: Case
) -> None:
    story = await told(store, Story(case))
    first = asked("r")
    await store.append(story.key, story.uid, [story.change(case.goes_on(story.record), first)])

    for again in (first, replace(first, digest="d2"), replace(first, verb="Other")):
        with pytest.raises(RequestRepeated):
            await store.append(story.key, story.uid, [story.fork(case.loses(story.record), again)])

    assert await a.kept(store, story.key, RequestId("r")) == first
    assert await store.load(story.key) == story.held().state()


# ---- what must hold of others ----

OWNER = UserKey(tenant=TENANT, user=User("ada"))
ABSENT = UserKey(tenant=TENANT, user=User("nobody"))
HELD: dict[str, tuple[dict[str, Any], Require]] = {
    "as it is": ({"generation": 2}, Require(key=OWNER, uid="u-owner", generation=2)),
    "switched off, which may be": ({"enabled": False}, Require(key=OWNER, enabled=False)),
    "purging, which may be": ({"state": UserState.PURGING}, Require(key=OWNER, enabled=False)),
    "absent, which may be": ({}, Require(key=ABSENT, uid="u-owner", if_there=True)),
}
BROKEN: dict[str, tuple[dict[str, Any], Require]] = {
    "absent": ({}, Require(key=ABSENT)),
    "another": ({}, Require(key=OWNER, uid="u-other")),
    "another, where it is there": ({}, Require(key=OWNER, uid="u-other", if_there=True)),
    "switched off": ({"enabled": False}, Require(key=OWNER)),
    "switched off, where it is there": ({"enabled": False}, Require(key=OWNER, if_there=True)),
    "purging": ({"state": UserState.PURGING}, Require(key=OWNER, uid="u-owner")),
    "of another generation": ({"generation": 3}, Require(key=OWNER, generation=2, enabled=False)),
}
WRITERS = {name: case for name, case in CASES.items() if name != "user"}


async def with_owner(store: Store, fields: dict[str, Any]) -> None:
    owner = Story(CASES["user"], uid="u-owner")
    owner.change(owner.case.begins(replace(owner.record, **fields)))
    await told(store, owner)


@pytest.mark.parametrize("held", HELD)
async def test_a_change_is_stored_where_what_it_requires_holds(store: Store, held: str) -> None:
    fields, require = HELD[held]
    await with_owner(store, fields)

    for case in WRITERS.values():
        story = Story(case)
        story.change(case.goes_on(story.record))
        for change in story.changes:
            await store.append(story.key, story.uid, [change], requires=[require])

        assert await store.load(story.key) == story.held().state()


@pytest.mark.parametrize("broken", BROKEN)
async def test_nothing_of_a_change_is_stored_where_what_it_requires_does_not_hold(
    store: Store, broken: str
) -> None:
    fields, require = BROKEN[broken]
    await with_owner(store, fields)

    for case in WRITERS.values():
        story = Story(case)
        with pytest.raises(RequirementFailed) as failed:
            await store.append(story.key, story.uid, story.changes, requires=[require])
        assert failed.value.key == require.key
        assert await store.load(story.key) is None

        await told(store, story)
        late = story.fork(case.goes_on(story.record), asked("r"))
        with pytest.raises(RequirementFailed):
            await store.append(story.key, story.uid, [late], requires=[require])
        assert await store.load(story.key) == story.held().state()
        assert await a.kept(store, story.key, RequestId("r")) is None
