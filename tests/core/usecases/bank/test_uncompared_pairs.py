"""How many pairs of sentences the bounds of judgements left out: told, and stored with each topic."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from core.agents.roles import Agents, Cluster, Piece
from core.bank.bank import Bank
from core.errors import AgentUnavailable, StructuringFailed
from core.usecases.bank.record import Context, Message
from core.usecases.bank.structuring.excerpts import MOST_SEGMENTS
from core.usecases.bank.verbs.memorize import Memorize, MemorizeResult, memorize
from core.usecases.bank.verbs.restructure import Restructure, restructure
from core.usecases.house import House
from service.adapters.store.memory_store import MemoryStore
from tests.support.house import KEY, make_bank, open_house
from tests.support.scripted_agents import ScriptedAgents
from tests.support.told_comparer import told_judge

OTHER = {"en": "The kitchen of the house is white.", "zh": "房子的厨房是白的。"}
ROOM = {"en": "Room {} is red.", "zh": "第{}号房间是红的。"}
LEFT = 6
LONG = MOST_SEGMENTS + LEFT


class Structuring:
    """Sums up a topic by its last line; one of its calls fails."""

    def __init__(self, failing: int = -1) -> None:
        self._failing = failing
        self._calls = 0

    def __call__(self, content: str, *_: object) -> str:
        self._calls += 1
        if self._calls == self._failing:
            raise AgentUnavailable("structurer", "connection refused")
        return content.splitlines()[-1]


def topics(pieces: Sequence[Piece], _task: str) -> Sequence[Cluster]:
    """A topic of the first LONG pieces, another of the rest."""
    numbers = [piece.number for piece in pieces]
    cut = (tuple(numbers[:LONG]), tuple(numbers[LONG:]))
    return [Cluster(pieces=each, context=pieces[each[0]].text, keywords=("topic",)) for each in cut if each]


def agents(failing: int = -1) -> Agents:
    scripted = ScriptedAgents()
    scripted.clusterer.clusters.otherwise = topics
    scripted.structurer.summaries.otherwise = Structuring(failing)
    return replace(scripted.roles, judge=told_judge({}))


async def say(house: House, *texts: str) -> MemorizeResult:
    messages = tuple(Message(role="user", text=text) for text in texts)
    return await memorize(house, Memorize(key=KEY, context=Context(messages=messages)))


def counted(bank: Bank) -> list[int]:
    """Of each topic of the bank, in order of the records."""
    outcomes = [work.outcome for each in bank.tree.interactions for work in bank.tree.clusters(each)]
    return [outcome.uncompared_pairs for outcome in outcomes if outcome]


@pytest.mark.parametrize("language", OTHER)
async def test_a_topic_of_more_segments_than_are_read_is_compared_in_part_and_says_so(language: str) -> None:
    async with open_house(agents=agents()) as house:
        await make_bank(house)
        short = await say(house, OTHER[language])
        long = await say(house, *(ROOM[language].format(n) for n in range(LONG)))

        assert (short.uncompared_pairs, long.uncompared_pairs) == (0, LEFT)
        async with house.banks.reading(KEY) as bank:
            assert counted(bank) == [0, LEFT]


async def test_what_was_left_out_before_a_failure_is_told_after_it() -> None:
    store = MemoryStore()
    rooms = [ROOM["en"].format(n) for n in range(LONG)]
    async with open_house(store=store, agents=agents(failing=3)) as house:
        await make_bank(house)
        await say(house, OTHER["en"])
        with pytest.raises(StructuringFailed):
            await say(house, *rooms, "The garden has a fence.")

    async with open_house(store=store, agents=agents()) as house:
        done = await restructure(house, Restructure(key=KEY))
        async with house.banks.reading(KEY) as bank:
            assert len(done.structurings) == 1
            assert counted(bank)[:2] == [0, LEFT]
            assert len(counted(bank)) == 3
