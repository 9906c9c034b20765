"""Facts that are told in a burst and then left alone, beside the same facts told one by one with a rest after each."""

from collections.abc import Sequence

import pytest

from core.agents.offline.agents import offline_agents
from core.bank.bank import Bank
from core.bank.query import Query
from core.bank.search import search
from core.ids import NodeId
from core.usecases.bank.record import Context
from core.usecases.bank.structuring.reworded import embed_noted
from core.usecases.bank.verbs.memorize import Memorize, memorize
from service.adapters.cached_embedder import CachedEmbedder
from tests.support.embedders import local_comparer, local_embedder
from tests.support.house import KEY, make_bank, open_house

FACTS = (
    "Mara Lind has been in charge of the harbour crane since 2011.",
    "The harbour crane was repaired by Jonas Weber in 2016.",
    "Jonas Weber moved from Oslo to Lisbon in 2014.",
    "The night ferry to Bergen leaves at 21:30.",
    "Aiko Tanaka tunes the organ of the old church.",
    "The organ of the old church has 1,200 pipes.",
    "Mara Lind has been in charge of the harbour crane since 2019.",
    "老教堂的管风琴由田中爱子调音。",
    "开往卑尔根的夜间渡轮21:30出发。",
    "开往卑尔根的夜间渡轮23:00出发。",
)
ASKED = (
    "who is in charge of the crane",
    "when does the ferry leave",
    "organ",
    "渡轮几点出发",
    "Jonas Weber",
    "管风琴",
)

Kept = tuple[dict[str, bytes], list[list[str]], list[list[tuple[str, float]]]]


async def told(facts: Sequence[str], embedder: CachedEmbedder, *, rests_between: bool) -> Kept:
    """Vectors by summary, the quotes of conflicts, and what each search finds, when all is at rest."""
    agents = offline_agents(embedder, local_comparer())
    async with open_house(embedder=embedder, agents=agents, unasked=False) as house:
        await make_bank(house)
        for fact in facts:
            await memorize(house, Memorize(key=KEY, context=Context(text=fact)))
            if rests_between:
                await embed_noted(house, KEY)
        await embed_noted(house, KEY)
        vectors = await embedder.embed_queries(ASKED)
        async with house.banks.reading(KEY) as bank:
            asked = zip(ASKED, vectors, strict=True)
            queries = [Query(top_k=5, alpha=0.3, text=text, vector=vector) for text, vector in asked]
            return (
                {bank.nodes[n].summary: vector_of(bank, n) for n in bank.nodes},
                sorted(sorted(side.quote for side in c.sides) for c in bank.conflicts.values()),
                [
                    [(hit.node.summary, round(hit.score, 4)) for hit in search(bank, query).hits if hit.node]
                    for query in queries
                ],
            )


def vector_of(bank: Bank, node_id: NodeId) -> bytes:
    vector = bank.node_vectors.get(node_id)
    assert vector is not None
    return vector.tobytes()


@pytest.mark.slow
async def test_at_rest_a_burst_leaves_what_facts_one_by_one_leave() -> None:
    embedder = CachedEmbedder(local_embedder())

    one_by_one = await told(FACTS, embedder, rests_between=True)
    burst = await told(FACTS, embedder, rests_between=False)

    assert one_by_one[1]  # there are conflicts
    assert burst[1] == one_by_one[1]
    assert burst[0] == one_by_one[0]
    assert burst[2] == one_by_one[2]
