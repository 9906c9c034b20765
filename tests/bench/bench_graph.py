"""What the query graph costs: edits, neighbourhoods, compiling it anew, by size; and what a merge inherits.

python -m tests.bench.bench_graph
"""

import asyncio
import gc
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from core.bank.graph import Links, QueryGraph, inherited_links
from core.ids import NodeId
from core.kinds import KINDS
from core.usecases.bank.structuring import rounds
from core.usecases.bank.verbs.add_nodes import AddNodes, NewNode, add_nodes
from core.usecases.bank.verbs.merge_nodes import MergeNodes, merge_nodes
from service.adapters.store.sqlite_store import SqliteStore
from tests.support.house import CLIENT_SPACE, KEY, make_bank, open_house


def microseconds(act: Callable[[], object], rounds: int = 200) -> str:
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        act()
        taken.append((time.perf_counter() - start) * 1e6)
    return f"{np.median(taken):9.1f} µs median {max(taken):9.1f} µs worst"


def measure(count: int) -> None:
    rng = np.random.default_rng(7)
    names = [NodeId(f"n{i:06}") for i in range(count)]
    graph = QueryGraph()
    start = time.perf_counter()
    for name in names:
        graph.add_node(name)
    for a, b in rng.integers(count, size=(4 * count, 2)).tolist():
        if a != b:
            graph.add_edge(names[a], names[b])
    filled = time.perf_counter() - start

    def some() -> NodeId:
        return names[int(rng.integers(count))]

    def edit() -> None:
        a, b = some(), some()
        if a != b:
            graph.add_edge(a, b)

    ten = [some() for _ in range(10)]
    print(f"{count:,} nodes, {graph.edge_count:,} edges: filled one by one in {filled * 1e3:.0f} ms")
    for state in ("tail", "compiled"):
        if state == "compiled":
            start = time.perf_counter()
            job = graph.compaction(at_rest=True)
            if job is None:
                raise RuntimeError("a graph that is all tail is worth compiling")
            taken = time.perf_counter()
            job.build()
            built = time.perf_counter()
            graph.adopt(job)
            print(
                f"  compaction: taken {(taken - start) * 1e3:.1f} ms, built {(built - taken) * 1e3:.1f} ms, "
                f"adopted {(time.perf_counter() - built) * 1e3:.1f} ms"
            )
        print(f"  {state:8} neighbors              {microseconds(lambda: graph.neighbors(some()))}")
        print(f"  {state:8} 1 hop around 10 nodes  {microseconds(lambda: graph.neighborhood(ten, 1))}")
        print(f"  {state:8} 3 hops, at most 200    {microseconds(lambda: graph.neighborhood(ten, 3, 200))}")
        print(f"  {state:8} add an edge            {microseconds(edit)}")
    print(f"  all edges                       {microseconds(graph.edges, 3)}")


def united(near: Mapping[NodeId, Collection[NodeId]], gone: Iterable[NodeId] = ()) -> Links:
    """What `inherited_links` says, by Python sets: the floor."""
    left_out, links = {*near, *gone}, dict[NodeId, tuple[NodeId, ...]]()
    for node_id in sorted(near):
        for other in near[node_id]:
            if other not in left_out:
                links[other] = (*links.get(other, ()), node_id)
    return links


def measure_inheritance() -> None:
    rng, names = np.random.default_rng(7), [NodeId(f"n{i:06}") for i in range(1_000)]
    print("what a merge inherits")
    for merged, degree in ((2, 4), (2, 12), (8, 40)):
        near = {
            names[i]: [names[int(n)] for n in rng.choice(1_000, degree, replace=False)] for i in range(merged)
        }
        for name, inherit in (("igraph", inherited_links), ("Python sets", united)):
            taken = microseconds(partial(inherit, near))
            print(f"  {merged} nodes of {degree:2} edges, {name:12} {taken}")


async def measure_merges(pairs: int = 1_000, degree: int = 12) -> None:
    """Whole calls of MergeNodes, by turns with either: the caller's words and vectors, on SQLite."""
    rng = np.random.default_rng(7)
    names = [NodeId(f"n{i:05}") for i in range(4 * pairs)]

    def new(place: int) -> NewNode:
        near = {names[int(n)] for n in rng.integers(max(place, 1), size=degree)} if place else set()
        vector = rng.standard_normal(4).astype(np.float32)
        return NewNode(
            node_id=names[place], summary=names[place], embedding=vector, related_node_ids=tuple(near)
        )

    with TemporaryDirectory() as folder:
        store = await SqliteStore.open(Path(folder) / "memory.db", kinds=KINDS)
        async with open_house(store=store) as house:
            await make_bank(house, space=CLIENT_SPACE)
            for place in range(0, len(names), 100):
                await add_nodes(
                    house, AddNodes(key=KEY, nodes=tuple(new(p) for p in range(place, place + 100)))
                )
            gc.freeze()
            ways = {"igraph": inherited_links, "Python sets": united}
            taken: dict[str, list[float]] = {name: [] for name in ways}
            for number, pair in enumerate(rng.permutation(len(names))[: 2 * pairs].reshape(-1, 2).tolist()):
                name = list(taken)[number % 2]
                setattr(rounds, "inherited_links", ways[name])  # noqa: B010  the floor in its place
                vector = rng.standard_normal(4).astype(np.float32)
                ids = tuple(names[place] for place in pair)
                merge = MergeNodes(key=KEY, node_ids=ids, summary="both", embedding=vector)
                start = time.process_time()
                await merge_nodes(house, merge)
                taken[name].append((time.process_time() - start) * 1e6)
        await store.close()
    print(f"MergeNodes, whole, of 2 nodes of about {2 * degree} edges (processor time)")
    for name, times in taken.items():
        steady = np.mean(sorted(times)[: len(times) * 9 // 10])
        print(f"  {name:12} {np.median(times):9.1f} µs median {steady:9.1f} µs mean of 9 in 10")


if __name__ == "__main__":
    measure_inheritance()
    asyncio.run(measure_merges())
    for size in (1_000, 10_000, 100_000):
        measure(size)
