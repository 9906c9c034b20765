"""What time does to instruction documents and runs: superseded versions go, runs expire and are forgotten."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
import pytest_asyncio

from core.errors import LimitReached, RevisionTrimmed, RunExpired
from core.ids import RunId, Tenant, User
from core.instructions.kind import TRIM
from core.internal_errors import RunNotFound
from core.keys import RunKey, UserKey
from core.model.instructions import Level, Owner, SourceRef
from core.usecases.house import House
from core.usecases.instructions.list_versions import ListVersions, list_versions
from core.usecases.instructions.load_sources import LoadSources, SourcesLoaded, load_sources
from core.usecases.instructions.put_source import PutSource, put_source
from core.usecases.limits import Limits
from core.usecases.user.update_user import UpdateUser, update_user
from service.assembly.upkeep import one_round
from service.settings.memories import BanksSection
from tests.support.house import TickingClock, open_house

TENANT, ADA, PATH = Tenant("acme"), Owner(level=Level.USER, name="ada"), "AGENTS.md"
RUN = RunKey(tenant=TENANT, user=User(""), run_id=RunId("r1"))


@pytest_asyncio.fixture
async def house() -> AsyncIterator[House]:
    async with open_house() as made:
        yield made


async def days_go_by(house: House, days: float) -> None:
    assert isinstance(house.clock, TickingClock)
    house.clock.skip(timedelta(days=days))
    await one_round(house, BanksSection())
    await house.chores.finished(ADA.key(TENANT), TRIM.name)


async def put(house: House, text: str) -> None:
    await put_source(house, PutSource(tenant=TENANT, owner=ADA, path=PATH, text=text))


async def load(house: House, *, refresh: bool = False) -> SourcesLoaded:
    refs = (SourceRef(owner=ADA, path=PATH),)
    return await load_sources(
        house, LoadSources(tenant=TENANT, refs=refs, run_id=RUN.run_id, refresh=refresh, include_text=True)
    )


async def kept(house: House) -> list[int]:
    listed = await list_versions(house, ListVersions(tenant=TENANT, owner=ADA, path=PATH))
    return [source.version for source in listed.sources]


async def test_a_version_is_kept_a_week_after_it_was_replaced_and_the_newest_for_good(house: House) -> None:
    await put(house, "one")
    await days_go_by(house, 30)
    await put(house, "two")
    await days_go_by(house, 4)
    await put(house, "three")
    assert await kept(house) == [3, 2, 1]

    await days_go_by(house, 4)
    assert await kept(house) == [3, 2]

    await days_go_by(house, 4)
    assert await kept(house) == [3]


async def test_a_version_that_went_leaves_no_trace_in_the_feed(house: House) -> None:
    await put(house, "one")
    await put(house, "two")
    await days_go_by(house, 8)

    key = ADA.key(TENANT)
    async with house.instructions.reading(key) as instructions:
        uid, revision = instructions.uid, instructions.revision
    with pytest.raises(RevisionTrimmed) as trimmed:
        await house.store.changes(key, uid, 0, 10)

    assert trimmed.value.oldest == revision - 1


async def test_a_run_sees_its_versions_for_a_week_and_is_refused_then_until_it_is_refreshed(
    house: House,
) -> None:
    await put(house, "one")
    await load(house)
    await put(house, "two")
    await days_go_by(house, 6.9)
    assert "one" in (await load(house)).block

    await days_go_by(house, 0.2)
    with pytest.raises(RunExpired):
        await load(house)

    assert "two" in (await load(house, refresh=True)).block
    assert "two" in (await load(house)).block


async def test_a_run_is_forgotten_after_twice_its_life_and_its_id_begins_anew(house: House) -> None:
    await put(house, "one")
    await load(house)
    await put(house, "two")

    await days_go_by(house, 14.1)

    with pytest.raises(RunNotFound):
        async with house.runs.reading(RUN):
            pass
    assert "two" in (await load(house)).block


async def test_a_round_that_finds_nothing_due_changes_nothing(house: House) -> None:
    await put(house, "one")
    await put(house, "two")

    await days_go_by(house, 1)

    async with house.instructions.reading(ADA.key(TENANT)) as instructions:
        assert instructions.revision == 2


async def test_a_user_has_so_many_runs_until_the_oldest_is_forgotten() -> None:
    async with open_house(limits=Limits(runs_per_user=2)) as house:
        await put(house, "one")
        for run_id in ("r1", "r2", "r2"):
            await begin(house, run_id)

        with pytest.raises(LimitReached, match="runs_per_user"):
            await begin(house, "r3")
        await begin(house, "r3", user="bob")
        for number in range(3):
            await begin(house, f"of nobody {number}", user=None)
        await days_go_by(house, 15)
        await begin(house, "r3")


async def test_a_users_quota_of_runs_is_the_limit_where_it_is_less(house: House) -> None:
    await put(house, "one")
    quotas = UpdateUser(key=UserKey(tenant=TENANT, user=User("ada")), fields={"quotas"}, quotas={"run": 1})
    await update_user(house, quotas)
    await begin(house, "r1")

    with pytest.raises(LimitReached, match=r"quotas\.run"):
        await begin(house, "r2")


async def begin(house: House, run_id: str, user: str | None = "ada") -> None:
    refs = (SourceRef(owner=ADA, path=PATH),)
    asked = LoadSources(tenant=TENANT, refs=refs, run_id=RunId(run_id), user=User(user) if user else None)
    await load_sources(house, asked)
