"""Episodes that are recalled: each thing that was tried once."""

import pytest

from core.ids import ConversationId, InvocationId, RecordId
from core.model.record import Episode, RecordKind
from core.usecases.house import House
from core.usecases.long_term.verbs.add_record import AddRecord, add_record
from core.usecases.long_term.verbs.recall_episodes import RecallEpisodes, recall_episodes
from tests.support.house import open_house
from tests.support.long_term import ADA, new

TOLD = {
    "en": ("Book the ferry to Naxos", "Find a hotel on Naxos"),
    "zh": ("预订去杭州的车票", "在杭州找一家酒店"),
}


async def keep(house: House, name: str, goal: str, *steps: str, run: str = "") -> None:
    told = new(
        goal,
        RecordKind.EPISODE,
        record_id=RecordId(name),
        conversation_id=ConversationId("c1"),
        invocation_id=InvocationId(run),
        episode=Episode(goal=goal, steps=steps, outcome="done"),
    )
    await add_record(house, AddRecord(key=ADA, record=told))


async def recalled(house: House, query: str, top_k: int) -> set[str]:
    found = await recall_episodes(house, RecallEpisodes(key=ADA, query=query, top_k=top_k))
    return {one.record.record_id for one, _ in found.found}


@pytest.mark.parametrize("language", TOLD)
async def test_a_conversation_and_its_only_run_are_one_episode(language: str) -> None:
    first, other = TOLD[language]
    async with open_house() as house:
        await keep(house, "whole", first, first)
        await keep(house, "run", first, "called a tool", run="i1")
        await keep(house, "other", other, other, "called a tool")

        assert await recalled(house, first, 2) == {"run", "other"}


async def test_a_conversation_stands_where_not_all_of_its_runs_do() -> None:
    first, other = TOLD["en"]
    async with open_house() as house:
        await keep(house, "whole", first, first, other)
        await keep(house, "run", first, "called a tool", run="i1")

        assert await recalled(house, first, 3) == {"whole", "run"}
