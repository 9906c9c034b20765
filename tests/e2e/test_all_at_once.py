"""A large change, a slow agent and too little memory for all banks at once: reads go on, nothing is lost."""

import asyncio
import time
from collections.abc import Awaitable
from pathlib import Path

import pytest

from memorybank.v1.query_graph_pb2 import NewNode
from memorybank.v1.retrieval_pb2 import SEARCH_MODE_EMBEDDING, SEARCH_TARGET_SEGMENTS
from memorybank.v1.types_pb2 import STRUCTURING_STATE_DONE
from memorybank_client import MemoryBankClient
from tests.support.process import CLIENT_SPACE, slow_process, vector
from tests.support.scale import scaled

SECONDS = 2  # what the slow agent takes
SEGMENTS = 40 if scaled(1) == 1 else scaled(100)
OTHERS = 10  # banks that are read and written meanwhile, and have no place in memory
NODES = 100  # of each at first
BUDGET = {"banks.memory_budget_bytes": "1"}  # no bank fits: only the one that came last stays
PLACES = ("harbour", "mill", "chapel", "market", "orchard", "quarry", "school", "bridge", "tower", "station")


def long_text() -> str:
    """Paragraphs of a segment each, of ten topics, every other one in Chinese."""
    english = (
        "Report {n}: the {place} was inspected; {n} defects were noted and {m} of them mended within a week."
    )
    chinese = "第{n}号报告:{place}检查完毕,发现{n}处缺陷,其中{m}处已在一周之内修复。"
    return "\n\n".join(
        (chinese if n % 2 else english).format(n=n, m=n // 2, place=PLACES[n * len(PLACES) // SEGMENTS])
        for n in range(SEGMENTS)
    )


class Stopwatch:
    """What reads took, by kind, in milliseconds."""

    def __init__(self) -> None:
        self.taken: dict[str, list[float]] = {}

    async def __call__(self, kind: str, read: Awaitable[object]) -> None:
        start = time.perf_counter()
        await read
        self.taken.setdefault(kind, []).append(1_000 * (time.perf_counter() - start))

    def share(self, kind: str, percent: int) -> float:
        """What so many percent of the reads did not exceed."""
        ranked = sorted(self.taken[kind])
        return ranked[min(len(ranked) * percent // 100, len(ranked) - 1)]

    def line(self, kind: str) -> str:
        p50, p99, longest = (self.share(kind, percent) for percent in (50, 99, 100))
        count = len(self.taken[kind])
        return f"{kind:<36}{count:>5} reads, p50 {p50:5.1f}, p99 {p99:5.1f}, max {longest:5.1f} ms"


async def fill(client: MemoryBankClient, bank_id: str) -> None:
    await client.create_bank(bank_id=bank_id, embedding_space=CLIENT_SPACE)
    nodes = [NewNode(node_id=f"n{n}", summary=f"note {n} 笔记", embedding=vector(n)) for n in range(NODES)]
    await client.batch_add_nodes(bank_id=bank_id, nodes=nodes)


@pytest.mark.slow
async def test_reads_go_on_while_much_is_embedded_an_agent_is_slow_and_banks_are_evicted(
    tmp_path: Path,
) -> None:
    others = [f"other-{n}" for n in range(OTHERS)]
    watch, written = Stopwatch(), 0
    async with slow_process(tmp_path, scaled(SECONDS), BUDGET) as server, server.client() as client:
        await client.create_bank(bank_id="working")
        for bank_id in others:
            await fill(client, bank_id)
        working = asyncio.create_task(client.memorize(bank_id="working", text=long_text()))

        while not working.done():
            bank_id = others[written % OTHERS]
            await client.add_node(
                bank_id=bank_id, node_id=f"w{written}", summary="another note", embedding=vector(written)
            )
            written += 1
            await watch(
                "node of an evicted bank", client.get_node(bank_id=others[written % OTHERS], node_id="n7")
            )
            await watch(
                "search in an evicted bank",
                client.search(bank_id=others[(written + 1) % OTHERS], embedding=vector(written)),
            )
            await watch("record of the bank at work", client.get_bank(bank_id="working"))
            await watch(
                "search by words in the bank at work", client.search(bank_id="working", text="harbour")
            )
        answer = await working

        print(f"\n{SEGMENTS} segments structured into {len(answer.node_ids)} nodes, {written} writes besides")
        for kind in watch.taken:
            print(watch.line(kind))
            assert watch.share(kind, 50) < 1_000 * SECONDS / 2, "reads do not wait for the agent"
        assert answer.state == STRUCTURING_STATE_DONE
        structurer = next(role for role in answer.usage.roles if role.role == "structurer")
        assert structurer.milliseconds >= 1_000 * scaled(SECONDS), "the agent was slow indeed"
        for place, bank_id in enumerate(others):
            counts = (await client.get_bank(bank_id=bank_id)).counts
            assert counts.nodes == NODES + len(range(place, written, OTHERS))
        counts = (await client.get_bank(bank_id="working")).counts
        assert (counts.segments, counts.unstructured_interactions) == (SEGMENTS, 0)
        found = await client.search(
            bank_id="working",
            text="the",
            top_k=1_000,
            mode=SEARCH_MODE_EMBEDDING,
            target=SEARCH_TARGET_SEGMENTS,
        )
        assert len(found.hits) == SEGMENTS, "every segment has its vector"
