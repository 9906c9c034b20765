"""Cost as work grows: nodes in a bank, turns in a conversation, conversations of a user, banks in a process,
connections to it.

    python -m tests.bench.growth [--nodes 100 1000 10000 100000] [--turns 100 1000 10000 100000]
        [--conversations 10 100 1000] [--banks 1 10 100 1000 10000] [--connections 1 10 100 1000]
        [--embedding] [--patience 1800] [--out build/growth]

The real server in a process of its own, a new one for each size, asked by a client in this one. Sizes grow
until one takes longer than the patience: it is left out, and said. A kind without sizes (`--banks` alone) is not
measured. Prints tables, and writes one page with them and their plots.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from tests.bench import plotting
from tests.bench.corpus import SEED
from tests.bench.growth import banks, connections, conversations, nodes, turns
from tests.bench.growth.curves import Curves, Measures, shown
from tests.bench.growth.started import MODELLESS, PROGRAM

Measure = Callable[[int, Path], Awaitable[Measures]]


async def grow(curves: Curves, sizes: Sequence[int], measure: Measure, patience: float) -> Curves:
    """Measure each size in a folder of its own, up to the one that takes too long."""
    for place, size in enumerate(sizes):
        print(f"{size:,} {curves.growing}", file=sys.stderr)
        start = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            try:
                async with asyncio.timeout(patience):
                    curves.points[size] = await measure(size, Path(folder))
            except TimeoutError:
                left = ", ".join(f"{one:,}" for one in sizes[place:])
                curves.left_out.append(f"Left out: {left} {curves.growing}, not done in {patience:,.0f} s.")
                break
        found = ", ".join(f"{name} {shown(value)}" for name, value in curves.points[size].items())
        print(f"  {time.perf_counter() - start:,.0f} s: {found}", file=sys.stderr)
    return curves


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, nargs="*", default=[100, 1_000, 10_000, 100_000])
    parser.add_argument("--turns", type=int, nargs="*", default=[100, 1_000, 10_000, 100_000])
    parser.add_argument("--conversations", type=int, nargs="*", default=[10, 100, 1_000])
    parser.add_argument("--banks", type=int, nargs="*", default=[1, 10, 100, 1_000, 10_000])
    parser.add_argument("--connections", type=int, nargs="*", default=[1, 10, 100, 1_000])
    parser.add_argument("--embedding", action="store_true", help="turns by the real embedder, too")
    parser.add_argument("--patience", type=float, default=1_800.0, help="seconds for one size")
    parser.add_argument("--seconds", type=float, default=0.5, help="of a slice of calls")
    parser.add_argument("--rounds", type=int, default=3, help="of slices, service and floor by turns")
    parser.add_argument("--out", type=Path, default=Path("build/growth"), help="for the report")
    return parser.parse_args()


async def main() -> None:
    given = arguments()
    seconds, rounds = given.seconds, given.rounds
    program = PROGRAM if given.embedding else MODELLESS
    kinds: list[tuple[Curves, list[int], Measure]] = [
        (nodes.curves(), given.nodes, lambda size, folder: nodes.measure(size, seconds, rounds, folder)),
        (turns.curves(), given.turns, lambda size, folder: turns.measure(size, program, folder)),
        (
            conversations.curves(),
            given.conversations,
            lambda size, folder: conversations.measure(size, program, folder),
        ),
        (banks.curves(), given.banks, banks.measure),
        (
            connections.curves(),
            given.connections,
            lambda size, folder: connections.measure(size, seconds, rounds, folder),
        ),
    ]
    facts = plotting.machine() | {"seed": str(SEED)}
    found = []
    for curves, sizes, measure in kinds:
        if sizes:
            found.append(await grow(curves, sorted(sizes), measure, given.patience))
            print(found[-1].text())
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / "report.html"
    path.write_text(plotting.page("Cost as work grows", facts, [one.html() for one in found]), "utf-8")
    print(f"\nreport: {path}")


if __name__ == "__main__":
    asyncio.run(main())
