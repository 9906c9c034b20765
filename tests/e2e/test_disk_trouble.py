"""What a disk does to a SQLite store: a log cut anywhere, as by a power cut, and no room for what is written."""

import random
import resource
import shutil
from collections.abc import Awaitable
from pathlib import Path

import pytest

from core.bank.state import BankState
from memorybank_client import MemoryBankClient, Unavailable
from service.adapters.store.sqlite_store import SqliteStore
from service.assembly.stores import DATABASE
from tests.support import changes as a
from tests.support.process import CLIENT_SPACE, modelless_process, vector
from tests.support.scale import scaled

CUTS = scaled(12)
APPENDS = 30
ROOM = 40_000  # bytes that a file may grow beyond its size, before the disk counts as full
UNLIMITED = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)


async def test_a_log_that_is_cut_anywhere_leaves_the_first_changes_whole_and_no_others(
    tmp_path: Path,
) -> None:
    (before := tmp_path / "before").mkdir()
    story = a.Story()
    store = await SqliteStore.open(before / DATABASE)
    await store.append(a.KEY, "u1", [a.founding_with_two_nodes(story)])
    for number in range(APPENDS):
        await store.append(a.KEY, "u1", [story.change(a.node_put(f"m{number}"))])
    crashed = [path.name for path in before.iterdir() if not path.name.endswith("-shm")]
    for name in crashed:
        shutil.copy(before / name, tmp_path / name)
    await store.close()
    log = (tmp_path / f"{DATABASE}-wal").read_bytes()
    dice = random.Random(7)

    found = set()
    for cut in sorted({0, len(log), *(dice.randrange(len(log)) for _ in range(CUTS))}):
        (there := tmp_path / f"cut-{cut}").mkdir()
        shutil.copy(tmp_path / DATABASE, there / DATABASE)
        (there / f"{DATABASE}-wal").write_bytes(log[:cut])
        found.add(await changes_left(there / DATABASE))

    assert max(found) == APPENDS
    assert len(found) > CUTS // 2, "cuts at different places leave different histories"


async def changes_left(path: Path) -> int:
    """How many of the appends a database has that was opened after a cut; -1: not even the bank."""
    store = await SqliteStore.open(path)
    try:
        assert not await store.check_database()
        state = await store.load(a.KEY)  # compares every row with its checksum
        if state is None:
            return -1
        assert isinstance(state, BankState)
        names = {put.node.node_id for put in state.nodes} - {"n1", "n2"}
        assert names == {f"m{number}" for number in range(len(names))}
        assert state.head.revision == 1 + len(names)
        return len(names)
    finally:
        await store.close()


@pytest.mark.skipif(scaled(1) == 1, reason="starts two servers: in soak")
async def test_on_a_full_disk_writes_are_unavailable_reads_go_on_and_what_was_told_stays(
    tmp_path: Path,
) -> None:
    acknowledged: dict[str, int] = {}

    async def add(client: MemoryBankClient, number: int) -> None:
        name = f"n{number}"
        added = await client.add_node(
            bank_id="b", node_id=name, summary=name * 200, embedding=vector(1), request_id=name
        )
        acknowledged[name] = added.revision

    async with modelless_process(tmp_path) as server, server.client(retries=False) as client:
        await client.create_bank(bank_id="b", embedding_space=CLIENT_SPACE)
        await add(client, 0)
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (largest_file(tmp_path) + ROOM, UNLIMITED[1]))
        number = 1
        while (refusal := await refused(add(client, number))) is None:
            number += 1
        read = await client.get_node(bank_id="b", node_id="n0")
        again = [await refused(add(client, number)) for _ in range(3)]

        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, UNLIMITED)
        await add(client, number)
        await server.kill()

    assert refusal.retry_after
    assert all(each is not None for each in again), "and no other answer comes of it"
    assert read.node.summary == "n0" * 200
    async with modelless_process(tmp_path) as server, server.client() as client:
        left = {
            node.node_id: node.revision
            for node in (await client.list_nodes(bank_id="b", page_size=1000)).nodes
        }
    assert left == acknowledged, "what was told, once, and nothing else"


async def refused(call: Awaitable[None]) -> Unavailable | None:
    """How a call was refused, if it was."""
    try:
        await call
    except Unavailable as failure:
        return failure
    return None


def largest_file(folder: Path) -> int:
    return max(path.stat().st_size for path in folder.iterdir() if path.name.startswith(DATABASE))
