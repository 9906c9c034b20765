"""Which candidates for judging, and which conflicts, a burst of short facts has, beside the same facts with rest.

    python -m tests.bench.bench_burst [--facts 60]

In a burst a node that a relation rewords keeps the vector of its own words until the bank rests
(`core.usecases.bank.structuring.reworded`). Each fact is memorized for itself, into two banks by turns: in one, what is
reworded is embedded before the next fact comes; in the other, when all are told. Facts are named by their words: a pair
is a fact and one that the Judge was given beside it. Among the facts are statements that later ones contradict, in
English and Chinese. "asked again": the candidates that each fact would be given when all are told.
"""

import argparse
import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from core.agents.offline.agents import offline_agents
from core.agents.roles import Agents, Judge, RelatedOpinion, Topic
from core.bank.bank import Bank
from core.bank.search import judging_candidates
from core.ports.embedder import Embedder
from core.usecases.bank.record import Context
from core.usecases.bank.structuring.reworded import embed_noted
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.house import House
from service.adapters.cached_embedder import CachedEmbedder
from service.adapters.local_embedder import LocalEmbedder
from tests.bench.bench_short_facts import facts
from tests.bench.measuring import table
from tests.support.embedders import local_comparer
from tests.support.house import KEY, make_bank, open_house

CONTRADICTED = (
    ("The river ferry carries bicycles.", "The river ferry carries no bicycles."),
    ("The museum archive opens at nine.", "The museum archive opens at eleven."),
    ("Mara Lind is allergic to walnuts.", "Mara Lind is not allergic to walnuts."),
    ("The solar roof has forty panels.", "The solar roof has sixty panels."),
    ("Tom Becker lives in Oslo.", "Tom Becker does not live in Oslo."),
    ("The north bridge is closed on Sundays.", "The north bridge is open on Sundays."),
    ("渡轮九点从三号码头出发。", "渡轮不是九点从三号码头出发。"),
    ("博物馆的档案室在二楼。", "博物馆的档案室在四楼。"),
    ("王明对花生过敏。", "王明对花生不过敏。"),
    ("太阳能屋顶已经修好了。", "太阳能屋顶还没有修好。"),
)

Pair = tuple[str, str]


def told(count: int) -> list[str]:
    """Returns so many facts: what is contradicted in the first half, what contradicts it in the second."""
    others = facts()
    filling = [next(others) for _ in range(count - 2 * len(CONTRADICTED))]
    half = len(filling) // 2
    halves = (
        (filling[:half], [first for first, _ in CONTRADICTED]),
        (filling[half:], [s for _, s in CONTRADICTED]),
    )
    return [text for part, stated in halves for text in mixed(part, stated)]


def mixed(many: Sequence[str], few: Sequence[str]) -> Iterator[str]:
    """Yields all, the few spread among the many."""
    share = max(1, len(many) // len(few))
    for number, one in enumerate(few):
        yield from many[number * share : (number + 1) * share]
        yield one
    yield from many[len(few) * share :]


class Listening:
    """A Judge, and the pairs that it was given in phase 1."""

    def __init__(self, inner: Judge) -> None:
        self._inner = inner
        self.pairs: set[Pair] = set()

    async def conflicts_and_merges(self, new: Topic, candidates: Sequence[Topic]) -> Sequence[object]:
        self.pairs |= {(new.summary, one.summary) for one in candidates}
        return await self._inner.conflicts_and_merges(new, candidates)

    async def related(self, new: Topic, candidates: Sequence[Topic]) -> Sequence[RelatedOpinion]:
        return await self._inner.related(new, candidates)


@dataclass(slots=True)
class Found:
    """What came of the facts in one bank: pairs judged, conflicts, pairs asked again before and after it rested."""

    judged: set[Pair] = field(default_factory=set)
    conflicts: set[frozenset[str]] = field(default_factory=set)
    waiting: int = 0
    again: set[Pair] = field(default_factory=set)
    rested: set[Pair] = field(default_factory=set)


async def stored(embedder: Embedder, agents: Agents, texts: Sequence[str], *, rests: bool) -> Found:
    judge, found = Listening(agents.judge), Found()
    agents = replace(agents, judge=judge)  # type: ignore[arg-type]  # opinions pass through as they are
    async with open_house(embedder=embedder, agents=agents, unasked=False) as house:
        await make_bank(house)
        for text in texts:
            await memorize(house, Memorize(key=KEY, context=Context(text=text)))
            if rests:
                await embed_noted(house, KEY)
        found.again, found.waiting, found.conflicts = await asked_again(house)
        await embed_noted(house, KEY)
        found.rested, _, _ = await asked_again(house)
    found.judged = judge.pairs
    return found


async def asked_again(house: House) -> tuple[set[Pair], int, set[frozenset[str]]]:
    """Returns the candidates of every node, how many nodes wait for a vector, and the conflicts by what they quote."""
    async with house.banks.reading(KEY) as bank:
        conflicts = {frozenset(side.quote for side in one.sides) for one in bank.conflicts.values()}
        return set(candidates(house, bank)), len(bank.record.unembedded), conflicts


def candidates(house: House, bank: Bank) -> Iterator[Pair]:
    k, alpha = house.settings.retrieval.top_k, house.settings.retrieval.alpha
    for node in bank.nodes.values():
        vector = bank.node_vectors.get(node.node_id)
        for name in judging_candidates(bank, node, vector, k, alpha, {node.node_id}):
            yield node.summary, bank.nodes[name].summary


def share(part: set[Pair] | set[frozenset[str]], whole: set[Pair] | set[frozenset[str]]) -> str:
    return f"{len(part & whole) / max(1, len(whole)):.3f} of {len(whole)}"


async def main(count: int) -> None:
    texts = told(count)
    embedder = CachedEmbedder(LocalEmbedder.open(), passages=8192)
    agents = offline_agents(embedder, local_comparer())
    burst = await stored(embedder, agents, texts, rests=False)
    rested = await stored(embedder, agents, texts, rests=True)
    rows = [
        ("pairs judged at once", share(burst.judged, rested.judged)),
        ("conflicts found", share(burst.conflicts, rested.conflicts)),
        (f"pairs asked again, while {burst.waiting} nodes wait", share(burst.again, rested.again)),
        ("pairs asked again, after the bank rested", share(burst.rested, rested.rested)),
    ]
    print(f"{len(texts)} facts; of what they have with rest between them, a burst has\n")
    print(table(("what", "share"), rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--facts", type=int, default=60)
    asyncio.run(main(parser.parse_args().facts))
