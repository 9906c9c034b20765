"""Routing by intent and domain never costs recall: 120 labelled queries in two languages, on the real embedder."""

import pytest

from core.agents.offline.recalling import OfflineRouter
from core.ids import RecordId
from core.long_term.routing import Intent, Layer, Route
from core.model.record import Episode, RecordKind
from core.usecases.house import House
from core.usecases.long_term.embed_records import embed_records
from core.usecases.long_term.verbs.retrieve_memories import RetrieveMemories, retrieve_memories
from service.adapters.cached_embedder import CachedEmbedder
from tests.core.usecases.long_term.routed import RECORDS
from tests.support.embedders import local_embedder
from tests.support.house import open_house
from tests.support.long_term import ADA, tell

KINDS = {"F": RecordKind.FACT, "E": RecordKind.EPISODE, "M": RecordKind.MEMORY}
EVERYTHING = Route(intent=Intent.ASK, layers=(Layer.L2,), widened=True)
TOP = 8


async def found(house: House, query: str, route: Route | None) -> tuple[list[str], bool]:
    answer = await retrieve_memories(house, RetrieveMemories(key=ADA, query=query, route=route, top_k=TOP))
    return [one.record.record_id for one, _ in answer.found], answer.route.widened


@pytest.mark.slow
async def test_routing_finds_no_less_than_searching_everything() -> None:
    embedder = CachedEmbedder(local_embedder())
    async with open_house(embedder=embedder) as house:
        for number, (kind, category, content, *_) in enumerate(RECORDS):
            episode = Episode(goal=content) if kind == "E" else None
            named = RecordId(f"r{number}")
            await tell(house, content, kind=KINDS[kind], category=category, record_id=named, episode=episode)
        await embed_records(house, ADA)

        lost, everything, narrowed = [], 0, 0
        for number, (*_, first, second) in enumerate(RECORDS):
            for query in (first, second):
                along, widened = await found(house, query, None)
                overall, _ = await found(house, query, EVERYTHING)
                everything += f"r{number}" in overall
                lost += [query] if f"r{number}" in overall and f"r{number}" not in along else []
                narrowed += not widened

        assert 2 * len(RECORDS) == 120
        assert lost == []
        assert everything >= 114
        assert narrowed >= 20  # it does narrow, where the domain is sure


@pytest.mark.parametrize(
    ("query", "intent", "category"),
    [
        ("Which database does the project use?", Intent.ASK, "work"),
        ("Should we retry the failing upload?", Intent.DECIDE, None),
        ("What lessons came from the outage?", Intent.REFLECT, None),
        ("What is the user's favourite colour?", Intent.ASK, "preference"),
        ("她的生日是哪天？", Intent.ASK, "life"),
        ("这次该选哪家酒店？", Intent.DECIDE, None),
        ("总结一下上次失败的教训。", Intent.REFLECT, None),
        ("用户最近心情怎么样？", Intent.ASK, "emotion"),
    ],
)
async def test_words_tell_intent_and_domain(query: str, intent: Intent, category: str | None) -> None:
    opinion = await OfflineRouter(CachedEmbedder(local_embedder())).route(query)

    assert opinion.intent is intent
    assert category is None or category in opinion.categories
