"""How long RetrieveFacts takes among 10,000 records beside its query's vector, and beside other users' data.

Times are of the clock, and of this thread's processor, which a loaded machine leaves as they are.

python -m tests.bench.bench_retrieve_facts [RECORDS]
"""

import asyncio
import random
import sys
import time
from dataclasses import replace
from functools import partial

from core.ids import Collection, RecordId, User
from core.keys import CollectionKey
from core.long_term.steps import RecordPut
from core.usecases.house import House
from core.usecases.long_term.embed_records import embed_records
from core.usecases.long_term.verbs.retrieve_facts import RetrieveFacts, retrieve_facts
from core.usecases.long_term.writing import Edit, write
from core.usecases.user.permission import permission_to_write
from service.adapters.cached_embedder import CachedEmbedder
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.house import open_house
from tests.support.long_term import ADA, new

RECORDS = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
PORTION = 1_000
CALLS = 500
OTHERS = 20
REST = 30.0  # seconds
WORDS = [
    a + b for a in "ka le mi no pu ra se ti vo zu ba de".split() for b in "lor min tas ven dir gol".split()
]


def said(chance: random.Random) -> str:
    return f"{' '.join(chance.choices(WORDS, k=9))} {chance.randrange(10_000)}"


def _edit(steps: tuple[RecordPut, ...], _collection: object, _revision: int) -> Edit[int]:
    return Edit(result=0, steps=steps)


async def fill(house: House, key: CollectionKey, count: int, chance: random.Random) -> None:
    permission = await permission_to_write(house, key)
    for start in range(0, count, PORTION):
        records = [
            replace(new(said(chance)), record_id=RecordId(f"r{start + n}"))
            for n in range(min(PORTION, count - start))
        ]
        steps = tuple(RecordPut(record=record) for record in records)
        await write(house, key, partial(_edit, steps), None, int, permission)
    await embed_records(house, key)


async def measured(house: House, queries: list[str]) -> list[tuple[float, float]]:
    """Milliseconds of each call: by the clock, and of the processor."""
    found = []
    for query in queries:
        began, worked = time.perf_counter(), time.thread_time()
        await retrieve_facts(house, RetrieveFacts(key=ADA, query=query))
        found.append(((time.perf_counter() - began) * 1_000, (time.thread_time() - worked) * 1_000))
    return found


async def main() -> None:
    chance = random.Random(1)
    embedder = CachedEmbedder(HashingEmbedder(384), queries=10_000, passages=10)
    async with open_house(embedder=embedder) as house:
        await fill(house, ADA, RECORDS, chance)
        queries = [said(chance) for _ in range(CALLS)]
        await embedder.embed_queries(queries)
        await measured(house, queries)
        await asyncio.sleep(REST)  # until what was filled is compiled for searching
        alone = await measured(house, queries)
        for number in range(OTHERS):
            other = replace(ADA, user=User(f"u{number}"), collection=Collection("work"))
            await fill(house, other, RECORDS // OTHERS, chance)
        beside = await measured(house, queries)
    for name, times in (("alone", alone), ("beside other users'", beside)):
        for of, part in (
            ("clock", sorted(one for one, _ in times)),
            ("processor", sorted(p for _, p in times)),
        ):
            p50, p99 = part[len(part) // 2], part[-len(part) // 100]
            print(f"{RECORDS:,} records, {name}, {of}: p50 {p50:.2f} ms, p99 {p99:.2f} ms")


if __name__ == "__main__":
    asyncio.run(main())
