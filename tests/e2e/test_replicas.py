"""Several server processes over one PostgreSQL database: kills, processes that fall asleep, files, a store away."""

import asyncio
import itertools
import signal
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from memorybank_client import MemoryBankClient, MemoryBankError, Unavailable
from service.adapters.store.postgres_link import Server as Database
from tests.support.postgres import cluster, empty_database
from tests.support.process import CLIENT_SPACE, Server, server_process, vector
from tests.support.relay import relayed
from tests.support.scale import scaled

BANK = "shared"
KILLS = 1 if scaled(1) == 1 else 30
NAPS = 1 if scaled(1) == 1 else 20
NAP_SECONDS = 0.5 if scaled(1) == 1 else 15.0
AWAY_SECONDS = 1.0 if scaled(1) == 1 else 30.0
READS = 20 if scaled(1) == 1 else 10_000


def on(database: Database) -> dict[str, str]:
    return {"store.url": database.url, "store.password": database.password, "store.timeout_seconds": "3"}


@asynccontextmanager
async def two_servers(folder: Path) -> AsyncIterator[tuple[Server, Server]]:
    async with AsyncExitStack() as closing:
        settings = on(empty_database())
        one, other = [
            await closing.enter_async_context(server_process(folder / name, settings)) for name in ("1", "2")
        ]
        yield one, other


async def revisions_of(client: MemoryBankClient, least: int) -> dict[str, int]:
    found: dict[str, int] = {}
    token = ""
    while True:
        page = await client.list_nodes(bank_id=BANK, min_revision=least, page_size=500, page_token=token)
        found |= {node.node_id: node.revision for node in page.nodes}
        if not (token := page.next_page_token):
            return found


# ---- processes ----


@pytest.mark.slow
async def test_a_process_that_slept_while_others_wrote_its_bank_writes_on_top_of_them(tmp_path: Path) -> None:
    async with two_servers(tmp_path) as (sleeper, other), sleeper.client() as slept, other.client() as awake:
        await slept.create_bank(bank_id=BANK, embedding_space=CLIENT_SPACE)
        for nap in range(NAPS):
            before = await slept.add_node(bank_id=BANK, node_id=f"a{nap}", summary="a", embedding=vector(nap))
            sleeper.process.send_signal(signal.SIGSTOP)
            meanwhile = await awake.add_node(
                bank_id=BANK, node_id=f"b{nap}", summary="b", embedding=vector(nap)
            )
            late = asyncio.create_task(
                slept.add_node(bank_id=BANK, node_id=f"c{nap}", summary="c", embedding=vector(nap))
            )
            await asyncio.sleep(NAP_SECONDS)
            sleeper.process.send_signal(signal.SIGCONT)
            after = await late
            assert (meanwhile.revision, after.revision) == (before.revision + 1, before.revision + 2)

        for client in (slept, awake):
            found = await revisions_of(client, 3 * NAPS + 1)
            assert sorted(found.values()) == list(range(2, 3 * NAPS + 2))
        await _never_stale(slept, awake)


async def _never_stale(left: MemoryBankClient, right: MemoryBankClient) -> None:
    """What one has written, or purged, the next read through the other sees."""
    await left.delete_bank(bank_id=BANK)
    await left.create_bank(bank_id=BANK, embedding_space=CLIENT_SPACE)
    for turn in range(READS):
        writer, reader = (left, right) if turn % 2 else (right, left)
        word = f"word{turn}"
        added = await writer.add_node(bank_id=BANK, summary=word, keywords=[word], embedding=vector(turn))
        found = await reader.search(bank_id=BANK, text=word, top_k=1, min_revision=added.revision)
        assert [hit.node.summary for hit in found.hits] == [word]

    await left.delete_bank(bank_id=BANK)
    made = await right.create_bank(bank_id=BANK, embedding_space=CLIENT_SPACE)
    assert made.revision > READS + 1  # no revision comes again
    found = await left.search(bank_id=BANK, text="word1", min_revision=made.revision)
    assert list(found.hits) == []


@pytest.mark.slow
async def test_what_was_acknowledged_before_a_process_was_killed_is_there_once(tmp_path: Path) -> None:
    settings, acknowledged = on(empty_database()), dict[str, int]()
    at_work, numbers = True, itertools.count()

    async def write(client: MemoryBankClient) -> None:
        while at_work:
            node_id = f"n{next(numbers)}"
            while True:
                try:
                    added = await client.add_node(
                        bank_id=BANK,
                        node_id=node_id,
                        summary=node_id,
                        embedding=vector(1),
                        request_id=f"add-{node_id}",
                    )
                    break
                except MemoryBankError:
                    await asyncio.sleep(0.05)  # the same again, until the process is back
            acknowledged[node_id] = added.revision

    async with server_process(tmp_path / "2", settings) as other, other.client() as steady:
        await steady.create_bank(bank_id=BANK, embedding_space=CLIENT_SPACE)
        writing = [asyncio.create_task(write(steady))]
        for _ in range(KILLS):
            async with server_process(tmp_path / "1", settings) as victim, victim.client() as client:
                at_victim = [
                    asyncio.create_task(_until_killed(client, numbers, acknowledged)) for _ in range(2)
                ]
                await asyncio.sleep(1.0)
                await victim.kill()
                await asyncio.gather(*at_victim)
        at_work = False
        await asyncio.gather(*writing)

        found = await revisions_of(steady, max(acknowledged.values()))
        assert acknowledged.items() <= found.items()
        changes = sorted(found.values())
        assert changes == list(range(2, len(changes) + 2)), "a revision was given twice, or to nothing"
    print(
        f"{KILLS} kills, {len(acknowledged)} acknowledged writes, {len(found)} stored: none lost, none doubled"
    )


async def _until_killed(
    client: MemoryBankClient, numbers: "itertools.count[int]", acknowledged: dict[str, int]
) -> None:
    client = client.within(2)
    while True:
        node_id = f"n{next(numbers)}"
        try:
            added = await client.add_node(bank_id=BANK, node_id=node_id, summary=node_id, embedding=vector(2))
        except MemoryBankError:
            return
        acknowledged[node_id] = added.revision


@pytest.mark.slow
async def test_a_store_that_is_away_is_told_and_back_within_seconds(tmp_path: Path) -> None:
    async with relayed(cluster().port) as relay:
        database = cluster().over_tcp(empty_database(), relay.port)
        async with server_process(tmp_path, on(database)) as server, server.client(retries=False) as client:
            await client.create_bank(bank_id=BANK, embedding_space=CLIENT_SPACE)
            relay.down()
            told = 0
            until = time.monotonic() + AWAY_SECONDS
            while time.monotonic() < until:
                with pytest.raises(Unavailable) as away:
                    await client.within(15).add_node(bank_id=BANK, summary="a", embedding=vector(1))
                assert away.value.retry_after
                told += 1
            relay.is_down = False

            back = time.monotonic()
            await client.add_node(bank_id=BANK, node_id="back", summary="a", embedding=vector(1))

            assert (await revisions_of(client, 1)).keys() == {"back"}
            print(f"{told} calls told that the store was away; back after {time.monotonic() - back:.2f} s")
    assert database.password not in (tmp_path / "log").read_text()
