"""A user's documents and runs are the user's: nothing is written or told while memory is off, a purge takes all."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from core.errors import MemoryOff
from core.ids import RunId, Tenant, User
from core.internal_errors import InstructionsNotFound, RunNotFound
from core.keys import RunKey, UserKey
from core.model.instructions import Level, Owner, SourceRef
from core.usecases.house import House
from core.usecases.instructions.delete_source import DeleteSource, delete_source
from core.usecases.instructions.edit_source import EditSource, edit_source
from core.usecases.instructions.get_source import GetSource, get_source
from core.usecases.instructions.load_sources import LoadSources, MissingReason, SourcesLoaded, load_sources
from core.usecases.instructions.put_source import PutSource, put_source
from core.usecases.user.update_user import UpdateUser, update_user
from core.usecases.whole_user.purge_user import PurgeUser, purge_user
from service.adapters.store.sqlite_store import SqliteStore
from tests.support.house import open_house

TENANT, USER, PATH = Tenant("acme"), User("王 / ming"), "偏好.md"
MING, WEB = Owner(level=Level.USER, name=USER), Owner(level=Level.PROJECT, name="web")
KEY, RUN = UserKey(tenant=TENANT, user=USER), RunKey(tenant=TENANT, user=USER, run_id=RunId("r1"))
TOLD = "回复使用中文-zebra"


@pytest_asyncio.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    store = await SqliteStore.open(tmp_path / "memory.db")
    async with open_house(store=store) as made:
        yield made
    await store.close()


async def put(house: House, owner: Owner, text: str) -> None:
    await put_source(house, PutSource(tenant=TENANT, owner=owner, path=PATH, text=text))


async def load(house: House) -> SourcesLoaded:
    refs = tuple(SourceRef(owner=owner, path=PATH) for owner in (WEB, MING))
    return await load_sources(house, LoadSources(tenant=TENANT, refs=refs, user=USER, run_id=RUN.run_id))


async def switch(house: House, *, on: bool) -> None:
    await update_user(house, UpdateUser(key=KEY, fields=frozenset({"enabled"}), enabled=on))


async def test_nothing_is_written_for_a_user_whose_memory_is_off(house: House) -> None:
    await put(house, MING, "one")
    await switch(house, on=False)

    with pytest.raises(MemoryOff):
        await put(house, MING, "two")
    with pytest.raises(MemoryOff):
        await edit_source(
            house, EditSource(tenant=TENANT, owner=MING, path=PATH, old_text="one", new_text="two")
        )
    await put(house, WEB, "not hers")

    seen = await get_source(house, GetSource(tenant=TENANT, owner=MING, path=PATH))
    assert (seen.source.text, seen.source.version) == ("one", 1)
    gone = await delete_source(house, DeleteSource(tenant=TENANT, owner=MING, path=PATH))
    assert gone.result.versions == 1


async def test_an_agent_is_told_the_rest_while_its_users_memory_is_off(house: House) -> None:
    await put(house, MING, "hers")
    await put(house, WEB, "the project's")
    await switch(house, on=False)

    off = await load(house)
    await switch(house, on=True)
    on = await load(house)

    assert [source.path for _, source in off.sources] == [PATH]
    assert [(each.ref.owner, each.reason) for each in off.missing] == [(MING, MissingReason.MEMORY_OFF)]
    assert "hers" not in off.block
    assert "the project's" in on.block
    assert "hers" in on.block


async def test_a_purge_takes_a_users_documents_and_runs_and_leaves_no_trace(
    house: House, tmp_path: Path
) -> None:
    await put(house, MING, TOLD)
    await put(house, MING, f"{TOLD}, revised")
    await put(house, WEB, "the project's")
    await load(house)

    purged = await purge_user(house, PurgeUser(key=KEY))

    assert dict(purged.aggregates) == {"instructions": 1, "run": 1}
    with pytest.raises(InstructionsNotFound):
        async with house.instructions.reading(MING.key(TENANT)):
            pass
    with pytest.raises(RunNotFound):
        async with house.runs.reading(RUN):
            pass
    kept = await asyncio.to_thread(all_bytes, tmp_path)
    assert b"the project's" in kept
    for trace in (TOLD, USER, RUN.name):
        assert trace.encode() not in kept


def all_bytes(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


async def test_what_is_written_beside_a_purge_is_purged_or_comes_after_it(house: House) -> None:
    async def keep_writing(number: int) -> None:
        for turn in range(5):
            try:
                await put(house, MING, f"{number}.{turn}")
                await load(house)
            except MemoryOff:
                return

    writers = [asyncio.create_task(keep_writing(number)) for number in range(4)]
    await asyncio.sleep(0)
    await purge_user(house, PurgeUser(key=KEY))
    await asyncio.gather(*writers)
    await purge_user(house, PurgeUser(key=KEY))

    left = await house.store.keys_of_user(TENANT, USER, include_banks=True, limit=10)
    assert list(left) == []
