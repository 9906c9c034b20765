"""What the SQLite store costs: appends, one after another and gathered; loading; purging.

    python -m tests.bench.bench_sqlite_store [nodes]

A node has 384 dimensions, a summary of some 160 characters and one segment with a vector.
"""

import asyncio
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil

from core.bank.steps import BankChange, EdgePut, InteractionAdd, NodePut, Step
from core.ids import InteractionId, NodeId
from core.model.bank import EmbeddingSpace
from service.adapters.store.sqlite_store import SqliteStore
from tests.support import changes as a

SPACE = EmbeddingSpace(name="bench", dimension=384)
GROUP = 100  # nodes in one change


def show(what: str, figure: str) -> None:
    print(f"{what:<52}{figure:>24}")


def large_change(story: a.Story, group: int) -> BankChange:
    """An interaction of GROUP segments, a node for each, and edges between neighbours."""
    numbers = range(group * GROUP, (group + 1) * GROUP)
    text = "会议纪要第三条:预算增加百分之十二。The budget grows by 12 % from March. "
    steps: list[Step] = [InteractionAdd(interaction=a.interaction(f"i{group}", *[text] * GROUP))]
    steps += [
        NodePut(
            node=a.node(
                f"n{number}",
                summary=text * 3,
                interaction_ids=(InteractionId(f"i{group}"),),
                segments=(a.ref(f"i{group}", number % GROUP),),
            ),
            vector=a.vector(number, SPACE.dimension),
        )
        for number in numbers
    ]
    steps += [
        EdgePut(node_id=NodeId(f"n{number}"), other_node_id=NodeId(f"n{number - 1}"))
        for number in numbers
        if number
    ]
    return story.change(*steps)


async def fill(store: SqliteStore, nodes: int) -> None:
    story = a.Story()
    changes = [story.founding(space=SPACE), *(large_change(story, group) for group in range(nodes // GROUP))]
    start = time.perf_counter()
    for change in changes:
        await store.append(a.KEY, "u1", [change])
    show(f"append {nodes} nodes, {GROUP} a change", f"{time.perf_counter() - start:.2f} s")
    start = time.perf_counter()
    for group in range(nodes // GROUP):
        vectors = {a.ref(f"i{group}", index): a.vector(index, SPACE.dimension) for index in range(GROUP)}
        await store.put_vectors(a.KEY, "u1", "segments", "", vectors)
    show(f"keep {nodes} segment vectors, {GROUP} a call", f"{time.perf_counter() - start:.2f} s")


async def load(store: SqliteStore) -> None:
    taken = []
    for _ in range(5):
        start = time.perf_counter()
        await store.load(a.KEY)
        taken.append(time.perf_counter() - start)
    show("load it, median of 5", f"{np.median(taken):.2f} s")


async def small_appends(store: SqliteStore) -> None:
    story, taken = a.Story(a.key("small")), []
    await store.append(story.key, "u1", [a.founding_with_two_nodes(story)])
    for number in range(500):
        change = story.change(a.node_put("n1", number))
        start = time.perf_counter()
        await store.append(story.key, "u1", [change])
        taken.append((time.perf_counter() - start) * 1e3)
    show("append one node, alone: p50, p99", "{:.2f}, {:.2f} ms".format(*np.percentile(taken, [50, 99])))


async def gathered_appends(store: SqliteStore, writers: int) -> None:
    async def write(number: int) -> None:
        story = a.Story(a.key(f"writer-{number}"))
        await store.append(story.key, "u1", [a.founding_with_two_nodes(story)])
        for turn in range(30):
            await store.append(story.key, "u1", [story.change(a.node_put("n1", turn))])

    start = time.perf_counter()
    await asyncio.gather(*(write(number) for number in range(writers)))
    show(
        f"append one node, {writers} banks at once",
        f"{writers * 31 / (time.perf_counter() - start):.0f} a second",
    )


async def purge(store: SqliteStore, path: Path) -> None:
    size = (await asyncio.to_thread(path.stat)).st_size / 1e6
    start = time.perf_counter()
    await store.delete(a.key("small"))
    show(f"purge a small bank of a file of {size:.0f} MB", f"{time.perf_counter() - start:.2f} s")


async def main(nodes: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bank.db"
        store = await SqliteStore.open(path)
        await fill(store, nodes)
        await load(store)
        await small_appends(store)
        for writers in (8, 64):
            await gathered_appends(store, writers)
        await purge(store, path)
        await store.close()
    show("memory of this process at the end", f"{psutil.Process().memory_info().rss / 1e6:.0f} MB")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
