"""How well contradictions are found on the whole write path, on worlds of ten facts: halves, and every miss.

The figures are `memorybank eval`'s; this shows what was missed, too. Reads `letta_core_memory_update_dev.jsonl`
from the `shared/data` beside the checkout, or the file named as the first argument.

    python -m tests.bench.bench_memory_update [FILE] [--misses]
"""

import asyncio
import sys
from pathlib import Path

from core.agents.offline.agents import offline_agents
from evaluation.contradictions import Result, read_letta, run
from evaluation.contradictions_report import first_hits, found_table
from service.adapters.cached_embedder import CachedEmbedder
from service.adapters.local_embedder import LocalEmbedder
from tests.support.embedders import local_comparer
from tests.support.house import open_house

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "letta_core_memory_update_dev.jsonl"
SEED = 1  # of the intervals


def show(result: Result) -> None:
    for index in sorted(result.case.contradicted):
        print(f"  fact  {result.case.world[index]}")
    print(f"  new   {result.case.contradicting}")
    for index in sorted(result.false):
        print(f"  false {result.case.world[index]}")
    for conflict in result.conflicts:
        print(f"  found {[side.quote for side in conflict.sides]}")


async def main() -> None:
    named = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    path = Path(named[0]) if named else DATA
    if not path.exists():
        print(f"no data at {path}: nothing measured")
        return
    embedder = CachedEmbedder(LocalEmbedder.open(), passages=8192)
    cases = read_letta(path.read_text(encoding="utf-8"))
    async with open_house(embedder=embedder, agents=offline_agents(embedder, local_comparer())) as house:
        results = [await run(house, number, case) for number, case in enumerate(cases)]
    if "--misses" in sys.argv:
        for number, result in enumerate(results):
            if not result.right or result.false:
                print(f"{number}: {'right' if result.right else 'missed'}")
                show(result)
    print(f"## {path.stem}\n\n{found_table(results, SEED)}\n\n{first_hits(results)}")


if __name__ == "__main__":
    asyncio.run(main())
