"""What the query graph costs: edits, neighbourhoods, and compiling it anew, by size.

python -m tests.bench.bench_graph
"""

import time
from collections.abc import Callable

import numpy as np

from core.bank.graph import Graph
from core.ids import NodeId


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
    graph = Graph()
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


if __name__ == "__main__":
    for size in (1_000, 10_000, 100_000):
        measure(size)
