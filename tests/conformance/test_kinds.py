"""What every store keeps to for kinds that are kept by parts, whichever they are."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from core.aggregate.aggregate import Tuning
from core.aggregate.change import Change
from core.aggregate.kind import Kind
from core.errors import AggregateExists, AggregateNotFound, HeadMoved, RevisionTrimmed
from core.ids import ChangeId, RequestId, RunId, Tenant, User
from core.instructions.kind import INSTRUCTIONS, RUN
from core.instructions.steps import InstructionsPut, RunPut, SourcePut, VersionsDrop
from core.keys import Key, RunKey
from core.kinds import KINDS
from core.model.instructions import InstructionsRecord, Level, Owner, Pin, RunRecord, Source, SourceRef
from core.model.request import RequestRecord
from core.ports.store import Listing, Store
from service.adapters.store.memory_store import MemoryStore
from service.adapters.store.sqlite_store import SqliteStore

TENANT, OTHER = Tenant("acme"), Tenant("zeta")
NOW = datetime(2024, 5, 1, 9, 0, tzinfo=UTC)
DAY = timedelta(days=1)
USERS = ("ada", "王/明", "a%2Fb")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One kind: how an aggregate of a user begins, goes on and loses content; `record` may be due or to be purged."""

    kind: Kind[Any, Any]
    key: Callable[[Tenant, str], Key]
    record: Callable[..., Any]
    begins: Callable[[Any], tuple[Any, ...]]
    goes_on: Callable[[Any], tuple[Any, ...]]
    loses: Callable[[Any], tuple[Any, ...]]
    due: str  # the record's field that says when it is to be looked after


def source(path: str, text: str, version: int = 1) -> Source:
    return Source(
        path=path,
        text=text,
        version=version,
        first_version=1,
        characters=len(text),
        tokens=1,
        create_time=NOW,
        update_time=NOW + version * DAY,
        update_by="ada",
    )


def pin(path: str, version: int) -> Pin:
    ref = SourceRef(owner=Owner(level=Level.USER, name="王/明"), path=path)
    return Pin(ref=ref, uid="u-1", revision=7, versions={path: version})


def instructions_record(tenant: Tenant, user: str, uid: str, **more: Any) -> InstructionsRecord:
    key = Owner(level=Level.USER, name=user).key(tenant)
    return InstructionsRecord(key=key, uid=uid, create_time=NOW, user=user, **more)


def run_record(tenant: Tenant, user: str, uid: str, **more: Any) -> RunRecord:
    key = RunKey(tenant=tenant, user=User(user), run_id=RunId("r-1"))
    times = {"run_time": NOW, "expire_time": NOW + 7 * DAY, "purge_time": NOW + 14 * DAY} | more
    return RunRecord(key=key, uid=uid, create_time=NOW, user=user, **times)


CASES = {
    "instructions": Case(
        kind=INSTRUCTIONS,
        key=lambda tenant, user: Owner(level=Level.USER, name=user).key(tenant),
        record=instructions_record,
        begins=lambda record: (InstructionsPut(record=record), SourcePut(source=source("规则.md", "一"))),
        goes_on=lambda record: (
            SourcePut(source=source("规则.md", "二", 2)),
            SourcePut(source=source("a/../b.md", "x")),
            InstructionsPut(record=replace(record, last_version=3)),
        ),
        loses=lambda record: (VersionsDrop(path="规则.md", versions=(1, 9)),),
        due="due_time",
    ),
    "run": Case(
        kind=RUN,
        key=lambda tenant, user: RunKey(tenant=tenant, user=User(user), run_id=RunId("r-1")),
        record=run_record,
        begins=lambda record: (RunPut(record=record),),
        goes_on=lambda record: (RunPut(record=replace(record, pins=(pin("规则.md", 2), pin("b.md", 1)))),),
        loses=lambda record: (RunPut(record=replace(record, pins=())),),
        due="purge_time",
    ),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    opened: Store = (
        MemoryStore() if request.param == "memory" else await SqliteStore.open(tmp_path / "bank.db")
    )
    yield opened
    await opened.close()


class Story:
    """The changes of one aggregate, one after another."""

    def __init__(
        self,
        case: Case,
        tenant: Tenant = TENANT,
        user: str = "ada",
        uid: str = "u-1",
        due: datetime | None = None,
    ) -> None:
        self.case, self.uid = case, uid
        self.record = case.record(tenant, user, uid, **({case.due: due} if due else {}))
        self.key: Key = self.record.key
        self.changes: list[Change[Any]] = []
        self.change(case.begins(self.record))

    def change(self, steps: tuple[Any, ...], *requests: RequestRecord) -> Change[Any]:
        made = self.fork(steps, *requests)
        self.changes.append(made)
        return made

    def fork(self, steps: tuple[Any, ...], *requests: RequestRecord) -> Change[Any]:
        """What could follow, told by nobody else."""
        revision = len(self.changes) + 1
        return Change(
            change_id=ChangeId(f"{self.key.kind}-{self.key.name}-{self.uid}-{revision}-{id(steps)}"),
            parent=self.changes[-1].change_id if self.changes else None,
            revision=revision,
            time=NOW + revision * timedelta(minutes=1),
            steps=steps,
            requests=requests,
        )

    def held(self) -> Any:
        """The aggregate as one that lived through it has it."""
        made = self.case.kind.found(self.changes[0], self.uid, Tuning())
        for change in self.changes[1:]:
            made.apply(change)
        return made


async def told(store: Store, story: Story) -> Story:
    for change in story.changes:
        await store.append(story.key, story.uid, [change])
    return story


async def whole(store: Store, case: Case, user: str = "ada") -> Story:
    story = Story(case, user=user)
    story.change(case.goes_on(story.record))
    story.change(case.loses(story.record))
    return await told(store, story)


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
    await store.delete((await whole(store, case)).key)

    again = await told(store, Story(case, uid="u-2"))

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

    assert await store.request(story.key, RequestId("r")) == record
    assert await store.request(story.key, RequestId("other")) is None


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


async def test_all_that_is_a_users_is_found_for_a_purge(store: Store) -> None:
    stories = [await told(store, Story(case, user=user)) for case in CASES.values() for user in USERS]
    project = Owner(level=Level.PROJECT, name="ada").key(TENANT)
    await told(store, of_another_owner(stories[0].case, project))

    for user in USERS:
        keys = await store.keys_of_user(TENANT, User(user), include_banks=True, limit=10)

        assert {key for key, _ in keys} == {CASES[name].key(TENANT, user) for name in CASES}


def of_another_owner(case: Case, key: Any) -> Story:
    story = Story(case)
    story.record = replace(story.record, key=key, user="")
    story.key, story.changes = key, []
    story.change(case.begins(story.record))
    return story


def test_these_are_kinds_that_the_service_has() -> None:
    assert {case.kind.name for case in CASES.values()} <= set(KINDS)
