"""How well recoveries and routed records are found, through the use cases, with the local embedder.

Recoveries: 20 tools × 10 errors, each failure told again in other words; then five causes of each, told apart by the
message alone. Routing: 120 queries in two languages, each with the one record that answers it, by the Router's way and
by searching everything.

    python -m tests.bench.bench_strategies
"""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence

from core.ids import Collection, RecordId
from core.keys import CollectionKey
from core.long_term.recovery import Failure
from core.long_term.routing import Intent, Layer, Route
from core.model.record import Episode, Recovery
from core.usecases.house import House
from core.usecases.long_term.embed_records import embed_records
from core.usecases.long_term.verbs.find_recoveries import FindRecoveries, find_recoveries
from core.usecases.long_term.verbs.record_recovery import RecordRecovery, record_recovery
from core.usecases.long_term.verbs.retrieve_memories import RetrieveMemories, retrieve_memories
from service.adapters.cached_embedder import CachedEmbedder
from service.adapters.local_embedder import LocalEmbedder
from tests.core.long_term.test_recovery import ERRORS, LEAD_INS, TOOLS
from tests.core.usecases.long_term.routed import RECORDS
from tests.core.usecases.long_term.test_routing import KINDS
from tests.support.house import open_house
from tests.support.long_term import ADA, tell

TOP, LEAST = 8, 0.7
CAUSES = (
    ("the argument {a} came as text", "参数 {a} 是文本"),
    ("page {n} of {a} was asked for, there are fewer", "请求 {a} 的第 {n} 页，超出页数"),
    ("the token of {a} is older than {n} minutes", "{a} 的令牌已超过 {n} 分钟"),
    ("{a} has a body of {n} bytes, too large", "{a} 的请求体有 {n} 字节，过大"),
    ("the time zone of {a} is missing", "{a} 缺少时区"),
)


Causes = Sequence[tuple[str, str]]


def a_key(name: str) -> CollectionKey:
    return CollectionKey(tenant=ADA.tenant, user=ADA.user, collection=Collection(name))


async def keep(
    house: House, key: CollectionKey, error: str, tool: str, message: str, argument: str
) -> RecordId:
    mended = Recovery(
        error_type=error,
        tool=tool,
        message=message,
        original_json="{}",
        fixed_json=f'{{"{argument}": 1}}',
    )
    kept = await record_recovery(house, RecordRecovery(key=key, recovery=mended))
    return kept.kept.record_ids[0]


async def recoveries(house: House, name: str, causes: Causes | None = None, *, abroad: bool = False) -> None:
    """Keep a recovery of each failure, then look for it: told anew in any words, or with a cause in the same language,
    or `abroad`, in the other one. Prints the share that comes first."""
    chance, key, known = random.Random(3), a_key(name), []
    for tool in TOOLS:
        for error, said in ERRORS.items():
            for number, wordings in enumerate(causes or (said,)):
                language = chance.randrange(2)
                message = wordings[language].format(a="alpha", n=12)
                kept = await keep(house, key, error, tool, message, f"change_{number}")
                again = wordings if causes is None else (wordings[language ^ abroad],)
                known.append((kept, error, tool, again))
    first = total = below = 0
    for kept, error, tool, again in known:
        for lead_in in LEAD_INS if causes is None else ("",):
            told = chance.choice(again).format(a=chance.choice(("beta", "delta")), n=chance.randrange(1_000))
            asked = FindRecoveries(key=key, failure=Failure(error, tool, lead_in + told), min_match=LEAST)
            found = (await find_recoveries(house, asked)).found
            total += 1
            first += bool(found) and found[0][0].record_id == kept
            below += sum(score < LEAST for _, score, _ in found)
    print(f"{name}: {len(known):,} recoveries, {total:,} failures")
    print(f"  right first {first / total:.3f}, found below {LEAST}: {below}")


async def routing(house: House) -> None:
    for number, (kind, category, content, *_) in enumerate(RECORDS):
        episode = Episode(goal=content) if kind == "E" else None
        await tell(
            house,
            content,
            kind=KINDS[kind],
            category=category,
            record_id=RecordId(f"r{number}"),
            episode=episode,
        )
    await embed_records(house, ADA)
    counts: Counter[str] = Counter()
    for number, (*_, one, other) in enumerate(RECORDS):
        for query in (one, other):
            along = await found_at(house, query, None)
            overall = await found_at(house, query, Route(intent=Intent.ASK, layers=(Layer.L2,), widened=True))
            wanted = f"r{number}"
            counts["along the route"] += wanted in along[0]
            counts["of everything"] += wanted in overall[0]
            counts["lost by routing"] += wanted in overall[0] and wanted not in along[0]
            counts["searched narrowly"] += not along[1]
            counts["queries"] += 1
    print(f"routing: {counts['queries']} queries, the answer among the first {TOP}")
    for name in ("along the route", "of everything", "lost by routing", "searched narrowly"):
        print(f"  {name}: {counts[name]}")


async def found_at(house: House, query: str, route: Route | None) -> tuple[list[str], bool]:
    answer = await retrieve_memories(house, RetrieveMemories(key=ADA, query=query, route=route, top_k=TOP))
    return [one.record.record_id for one, _ in answer.found], answer.route.widened


async def main() -> None:
    embedder = CachedEmbedder(LocalEmbedder.open(), passages=8192)
    async with open_house(embedder=embedder, unasked=False) as house:
        await recoveries(house, "one mending to a tool and error, in any words")
        await recoveries(house, "five causes to a tool and error, in the same language", CAUSES)
        await recoveries(house, "five causes to a tool and error, in the other language", CAUSES, abroad=True)
        await routing(house)


if __name__ == "__main__":
    asyncio.run(main())
