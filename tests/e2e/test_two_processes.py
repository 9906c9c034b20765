"""Two server processes over one store: every write is seen by the next read, none is lost, nobody starves."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from memorybank.v1.types_pb2 import CONFLICT_STATUS_OPEN, NODE_STATE_CONTESTED
from memorybank_client import MemoryBankClient, NotFound
from tests.support.process import CLIENT_SPACE, server_process, vector
from tests.support.scale import scaled

BANK = "shared"
READS = 1_000
WRITERS = 8
SECONDS = 6.0
RACES = 12


@asynccontextmanager
async def two_servers(folder: Path) -> AsyncIterator[tuple[MemoryBankClient, MemoryBankClient]]:
    """Clients that carry nothing from one call to the next: what is fresh must be asked for."""
    async with AsyncExitStack() as closing:
        one, other = [await closing.enter_async_context(server_process(folder)) for _ in range(2)]
        first = await closing.enter_async_context(
            MemoryBankClient(one.address, read_your_writes=False).within(180)
        )
        second = await closing.enter_async_context(
            MemoryBankClient(other.address, read_your_writes=False).within(180)
        )
        yield first, second


async def come_and_go(clients: tuple[MemoryBankClient, ...], stop: asyncio.Event) -> int:
    """Banks of the same few ids are made, written, read and purged through either process; how many.

    Each life is of another length, so that a revision of one is often a revision of the one before too.
    """
    chance, lives = random.Random(3), 0
    while not stop.is_set():
        bank_id, marked = f"passing-{lives % 3}", f"life-{lives}"
        await chance.choice(clients).create_bank(bank_id=bank_id, embedding_space=CLIENT_SPACE)
        for number in range(chance.randint(1, 5)):
            writer = chance.choice(clients)
            added = await writer.add_node(
                bank_id=bank_id, node_id=f"n{number}", summary=marked, embedding=vector(lives)
            )
            reader = chance.choice(clients)
            found = await reader.search(bank_id=bank_id, text="life", min_revision=added.revision)
            assert [hit.node.summary for hit in found.hits] == [marked] * (number + 1), "another life's nodes"
        purged = await chance.choice(clients).delete_bank(bank_id=bank_id)
        for client in clients:
            with pytest.raises(NotFound):
                await client.get_node(bank_id=bank_id, node_id="n0", min_revision=purged.revision)
        lives += 1
    return lives


@pytest.mark.slow
async def test_a_read_after_a_write_is_never_stale_through_either_process(tmp_path: Path) -> None:
    reads, chance, stop = scaled(READS), random.Random(5), asyncio.Event()
    milliseconds: list[float] = []
    async with two_servers(tmp_path) as clients:
        await clients[0].create_bank(bank_id=BANK, embedding_space=CLIENT_SPACE)
        passing = asyncio.create_task(come_and_go(clients, stop))
        for turn in range(reads):
            writer, reader = clients[turn % 2], clients[chance.random() < 0.75 and 1 - turn % 2]
            node_id, word = f"n{turn % 100}", f"word{turn}"
            if turn >= 100:
                await writer.delete_node(bank_id=BANK, node_id=node_id)
            added = await writer.add_node(
                bank_id=BANK, node_id=node_id, summary=word, keywords=[word], embedding=vector(turn)
            )
            start = time.perf_counter()
            found = await reader.search(bank_id=BANK, text=word, top_k=1, min_revision=added.revision)
            milliseconds.append(1_000 * (time.perf_counter() - start))
            assert [hit.node.summary for hit in found.hits] == [word], f"stale at turn {turn}"
        stop.set()
        lives = await passing
    milliseconds.sort()
    print(
        f"{reads} reads after writes, none stale, {lives} other banks come and gone; "
        f"p50 {milliseconds[reads // 2]:.1f} ms, p99 {milliseconds[reads * 99 // 100]:.1f} ms"
    )


@pytest.mark.slow
async def test_eight_writers_through_two_processes_lose_nothing_and_none_of_them_starves(
    tmp_path: Path,
) -> None:
    async with two_servers(tmp_path) as clients:
        await clients[0].create_bank(bank_id=BANK, embedding_space=CLIENT_SPACE)
        end = time.perf_counter() + scaled(1) * SECONDS
        revisions: dict[str, int] = {}

        async def write(writer: int) -> None:
            client, number = clients[writer % 2], 0
            while time.perf_counter() < end:
                node_id = f"w{writer}-{number}"
                added = await client.add_node(
                    bank_id=BANK, node_id=node_id, summary=node_id, embedding=vector(number)
                )
                assert revisions.setdefault(node_id, added.revision) == added.revision
                number += 1

        await asyncio.gather(*(write(writer) for writer in range(WRITERS)))

        last = max(revisions.values())
        assert sorted(revisions.values()) == list(range(2, last + 1)), (
            "a revision was given twice, or to nobody"
        )
        for client in clients:
            assert await node_ids(client, last) == set(revisions)
        shares = Counter(node_id.partition("-")[0] for node_id in revisions)
        print(
            f"{len(revisions)} commits in {scaled(1) * SECONDS:.0f} s, by writer {dict(sorted(shares.items()))}"
        )
        assert min(shares.values()) >= 0.05 * len(revisions)


async def node_ids(client: MemoryBankClient, revision: int) -> set[str]:
    """All nodes, page by page."""
    found: set[str] = set()
    token = ""
    while True:
        page = await client.list_nodes(bank_id=BANK, min_revision=revision, page_size=500, page_token=token)
        assert found.isdisjoint(node.node_id for node in page.nodes)
        found |= {node.node_id for node in page.nodes}
        token = page.next_page_token
        if not token:
            return found


PAIRS = [
    ("公司的CEO是张三。", "公司的CEO是李四。"),
    ("The CEO of the company is Anna Berg.", "The CEO of the company is Karl Brandt."),
    ("The bridge was opened in 1931.", "The bridge was opened in 1937."),
    ("大桥的长度是320米。", "大桥的长度是450米。"),
]


@pytest.mark.slow
async def test_two_contradictory_memories_that_race_are_always_found_in_conflict(tmp_path: Path) -> None:
    async with two_servers(tmp_path) as clients:
        for race in range(scaled(RACES)):
            bank_id, sides = f"race-{race}", PAIRS[race % len(PAIRS)]
            order = clients if race // len(PAIRS) % 2 == 0 else clients[::-1]
            await clients[0].create_bank(bank_id=bank_id)

            told = await asyncio.gather(
                *(
                    client.memorize(bank_id=bank_id, text=text)
                    for client, text in zip(order, sides, strict=True)
                )
            )

            revision = max(answer.revision for answer in told)
            for client in clients:
                listed = await client.list_conflicts(bank_id=bank_id, min_revision=revision)
                (conflict,) = listed.conflicts
                assert conflict.status == CONFLICT_STATUS_OPEN
                assert {side.node_id for side in conflict.sides} == {
                    n for answer in told for n in answer.node_ids
                }
                nodes = (await client.list_nodes(bank_id=bank_id, min_revision=revision)).nodes
                assert [node.state for node in nodes] == [NODE_STATE_CONTESTED] * 2
            first = sum(bool(answer.conflict_ids) for answer in told)
            assert first == 1, "who comes second finds the conflict"
    print(f"{scaled(RACES)} races of two processes, every one found in conflict")
