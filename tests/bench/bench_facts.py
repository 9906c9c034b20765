"""How well facts are brought up to date: worlds of ten facts, each told a fact that contradicts one of them.

Right: the contradicted fact is superseded, or contested. False: any other fact of the world that is. Found: the new
fact is among the first five for its question. Reads `letta_core_memory_update_dev.jsonl` from the `shared/data` beside
the checkout, or the file named as the first argument.

    python -m tests.bench.bench_facts [FILE] [--misses]
"""

import asyncio
import sys
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from core.agents.offline.agents import offline_agents
from core.ids import Collection, RecordId, User
from core.keys import CollectionKey
from core.model.record import Origin, Record, RecordKind, RecordState
from core.usecases.house import House
from core.usecases.long_term.judging.judge_facts import judge_facts
from core.usecases.long_term.verbs.add_record import AddRecord, store
from core.usecases.long_term.verbs.retrieve_facts import RetrieveFacts, retrieve_facts
from evaluation.contradictions import TENANT, read_letta
from evaluation.sets import Case
from service.adapters.cached_embedder import CachedEmbedder
from service.adapters.local_embedder import LocalEmbedder
from tests.support.embedders import local_comparer
from tests.support.house import START, open_house, with_settings

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "letta_core_memory_update_dev.jsonl"
ALPHA = 0.3  # as shipped


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of a case: `changed` are the world's facts that no longer stand."""

    case: Case
    changed: frozenset[int]
    found: bool

    @property
    def right(self) -> bool:
        return bool(self.changed & self.case.contradicted)

    @property
    def false(self) -> frozenset[int]:
        return self.changed - self.case.contradicted


def fact(content: str, minutes: int) -> Record:
    time = START + timedelta(minutes=minutes)
    return Record(
        record_id=RecordId(f"f{minutes}"),
        kind=RecordKind.FACT,
        category="life",
        content=content,
        confidence=0.8,
        origin=Origin.STORED,
        event_time=time,
        create_time=time,
        update_time=time,
        valid_from=time,
    )


async def run(house: House, number: int, case: Case) -> Result:
    key = CollectionKey(tenant=TENANT, user=User("ada"), collection=Collection(str(number)))
    told = [*case.world, case.contradicting]
    for minutes, content in enumerate(told):
        await store(house, AddRecord(key=key, record=fact(content, minutes - len(told))))
        await judge_facts(house, key)
    asked = await retrieve_facts(house, RetrieveFacts(key=key, query=case.question))
    async with house.collections.reading(key) as collection:
        states = [collection.records[RecordId(f"f{n - len(told)}")].state for n in range(len(case.world))]
    changed = frozenset(n for n, state in enumerate(states) if state is not RecordState.ACTIVE)
    return Result(
        case=case,
        changed=changed,
        found=any(one.record.content == case.contradicting for one, _ in asked.found),
    )


async def main() -> None:
    named = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    path = Path(named[0]) if named else DATA
    if not path.exists():
        print(f"no data at {path}: nothing measured")
        return
    embedder = CachedEmbedder(LocalEmbedder.open(), passages=8192)
    cases = read_letta(path.read_text(encoding="utf-8"))
    async with open_house(embedder=embedder, agents=offline_agents(embedder, local_comparer())) as opened:
        house = with_settings(opened, retrieval=replace(opened.settings.retrieval, alpha=ALPHA))
        results = [await run(house, number, case) for number, case in enumerate(cases)]
    if "--misses" in sys.argv:
        for result in results:
            if not result.right or result.false or not result.found:
                print(f"right {result.right}, found {result.found}: {result.case.contradicting}")
                print(f"  meant {[result.case.world[n] for n in sorted(result.case.contradicted)]}")
                print(f"  false {[result.case.world[n] for n in sorted(result.false)]}")
    facts = sum(len(result.case.world) for result in results)
    print(f"cases {len(results)}, facts {facts}")
    print(f"right {sum(result.right for result in results) / len(results):.3f}")
    print(f"false {sum(len(result.false) for result in results) / facts:.4f}")
    print(f"found {sum(result.found for result in results) / len(results):.3f}")


if __name__ == "__main__":
    asyncio.run(main())
