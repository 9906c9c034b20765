"""How well contradictions are found on the whole write path, on worlds of ten facts.

For each question of each world, in a fresh bank: memorize its ten facts one by one, then a fact that
contradicts one of them. Right: a conflict of the last fact whose other side cites the contradicted
fact's segment and at most one more. False: every one of the ten facts that was put into a conflict,
the contradicted one in the last conflict aside. Reads `letta_core_memory_update_dev.jsonl` from the
`shared/data` beside the checkout, or the file named as the first argument.

    python -m tests.bench.bench_memory_update [FILE] [--misses]
"""

import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.agents.offline.agents import offline_agents
from core.bank.bank import Bank
from core.ids import BankId, InteractionId, Tenant
from core.model.conflict import Conflict
from core.usecases.create_bank import CreateBank, create_bank
from core.usecases.house import House
from core.usecases.memorize import Memorize, Memorized, memorize
from core.usecases.record import Context
from service.adapters.cached_embedder import CachedEmbedder
from service.adapters.local_embedder import LocalEmbedder
from tests.support.house import open_house

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "letta_core_memory_update_dev.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    world: tuple[str, ...]
    question: str
    contradicting: str
    contradicted: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    case: Case
    right: bool
    false: frozenset[int]
    conflicts: tuple[Conflict, ...]


def cases(path: Path) -> Iterator[Case]:
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        extra = row["agent_args"]["extra"]
        yield Case(
            world=tuple(extra["facts"]),
            question=row["input"],
            contradicting=extra["contradicting_fact"],
            contradicted=frozenset(extra["supporting_fact_indices"]),
        )


async def run(house: House, number: int, case: Case) -> Result:
    """One question in a bank of its own."""
    key = (
        await create_bank(house, CreateBank(tenant=Tenant("bench"), bank_id=BankId(f"b{number}")))
    ).result.key
    facts: dict[InteractionId, int] = {}
    for index, fact in enumerate(case.world):
        done = await memorize(house, Memorize(key=key, context=Context(text=fact)))
        facts[done.interaction_id] = index
    last = await memorize(house, Memorize(key=key, context=Context(text=case.contradicting)))
    async with house.banks.reading(key) as bank:
        result = judged(case, bank, facts, last)
    await house.banks.delete(key)
    return result


def judged(case: Case, bank: Bank, facts: dict[InteractionId, int], last: Memorized) -> Result:
    found = [bank.conflicts[c] for c in last.conflict_ids]
    right = any(_is_right(conflict, facts, case.contradicted) for conflict in found)
    false: set[int] = set()
    for conflict in bank.conflicts.values():
        cited = {
            facts[ref.interaction_id]
            for s in conflict.sides
            for ref in s.segments
            if ref.interaction_id in facts
        }
        false |= cited - (case.contradicted if conflict in found else frozenset())
    return Result(case=case, right=right, false=frozenset(false), conflicts=tuple(bank.conflicts.values()))


def _is_right(conflict: Conflict, facts: dict[InteractionId, int], contradicted: frozenset[int]) -> bool:
    """Some other side cites the contradicted fact, and all of them together at most one more."""
    cited = {
        facts[ref.interaction_id]
        for side in conflict.sides[1:]
        for ref in side.segments
        if ref.interaction_id in facts
    }
    return bool(cited & contradicted) and len(cited - contradicted) <= 1


def report(results: Sequence[Result]) -> None:
    worlds = sorted({result.case.world for result in results})
    print(f"{'worlds':<14}{'questions':>10}{'right':>8}{'false facts':>13}")
    halves = {"first half": worlds[::2], "second half": worlds[1::2], "all": worlds}
    for name, chosen in halves.items():
        part = [r for r in results if r.case.world in set(chosen)]
        if not part:
            continue
        right = sum(r.right for r in part) / len(part)
        false = sum(len(r.false) for r in part) / sum(len(r.case.world) for r in part)
        print(f"{name:<14}{len(part):>10}{right:>8.3f}{false:>12.2%}")


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
    async with open_house(embedder=embedder, agents=offline_agents(embedder)) as house:
        results = [await run(house, number, case) for number, case in enumerate(cases(path))]
    if "--misses" in sys.argv:
        for number, result in enumerate(results):
            if not result.right or result.false:
                print(f"{number}: {'right' if result.right else 'missed'}")
                show(result)
    report(results)


if __name__ == "__main__":
    asyncio.run(main())
