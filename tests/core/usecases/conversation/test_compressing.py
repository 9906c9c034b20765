"""Working memory in a model's words: bounded as before, whatever the model does."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from core.agents.memory_roles import Compression, MemoryAgents
from core.agents.offline.remembering import offline_memory_agents
from core.conversation.invocation import COMPRESS, due
from core.errors import AgentReplyInvalid, AgentUnavailable
from core.model.invocation import Item, ItemType
from core.usecases.conversation.learning.compress_items import compress_items
from core.usecases.conversation.verbs.add_working_items import AddWorkingItems, NewItem, add_working_items
from core.usecases.conversation.verbs.end_invocation import end_invocation
from core.usecases.conversation.verbs.get_working_memory import (
    GetWorkingMemory,
    WorkingMemory,
    get_working_memory,
)
from core.usecases.house import House
from service.adapters.store.memory_store import MemoryStore
from tests.core.usecases.conversation.test_invocations import RUN, start, the_end
from tests.support.house import CountingIds, open_house
from tests.support.reading import local_reader
from tests.support.talking import KEY

SAID = {
    "en": ("Ferry {0} leaves at {0}:30 from pier {0}. ", "told of {}"),
    "zh": ("{0}号渡轮{0}:30从{0}号码头出发。", "讲到{}"),
}


class Scripted:
    """A Compressor that tells the numbers it was given, and can be away, or wrong."""

    def __init__(self, words: str = "told of {}") -> None:
        self.words = words
        self.fails: Exception | None = None
        self.asked: list[tuple[str, tuple[int, ...], int]] = []

    async def compress(self, before: str, items: Sequence[Item], room: int) -> Compression:
        numbers = tuple(item.number for item in items)
        self.asked.append((before, numbers, room))
        if self.fails is not None:
            raise self.fails
        figures = " ".join(str(number) for number in numbers)
        text = f"{before}\n{self.words.format(figures)}".strip()
        return Compression(text=text, items=numbers)


def agents(compressor: Scripted) -> MemoryAgents:
    return replace(offline_memory_agents(local_reader()), compressor=compressor)


async def add(house: House, first: int, last: int, language: str = "en") -> None:
    filler, _ = SAID[language]
    items = tuple(
        NewItem(type=ItemType.OBSERVATION, content=filler.format(n) * 20, tool="ferry", step=n)
        for n in range(first, last + 1)
    )
    await add_working_items(house, AddWorkingItems(key=RUN, items=items))


async def seen(house: House) -> WorkingMemory:
    return await get_working_memory(house, GetWorkingMemory(key=RUN))


async def is_due(house: House) -> bool:
    async with house.invocations.reading(RUN) as invocation:
        return COMPRESS in due(invocation, house.clock.now())


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_older_items_are_told_in_the_models_words_and_later_ones_by_rules_until_it_answers(
    language: str,
) -> None:
    model = Scripted(SAID[language][1])
    async with open_house(memory_agents=agents(model), unasked=False) as house:
        await start(house)
        await add(house, 1, 10, language)
        before = await seen(house)
        await compress_items(house, RUN)
        told = await seen(house)
        await add(house, 11, 11, language)
        later = await seen(house)

    expected = SAID[language][1].format("1 2 3 4 5 6")
    assert [item.type for item in told.items] == [ItemType.COMPRESSED, *[ItemType.OBSERVATION] * 4]
    assert told.items[0].content == expected
    assert before.items[0].content != expected
    assert later.items[0].content.startswith(expected + "\n[7] ferry: ")
    assert max(before.tokens, told.tokens, later.tokens) <= 2_000
    assert model.asked == [("", (1, 2, 3, 4, 5, 6), 750)]


async def test_a_model_is_asked_again_only_for_a_stretch_that_is_worth_it_and_carries_on_what_it_told() -> (
    None
):
    model = Scripted()
    async with open_house(memory_agents=agents(model), unasked=False) as house:
        await start(house)
        await add(house, 1, 10)
        await compress_items(house, RUN)
        assert not await is_due(house)
        await add(house, 11, 20)
        assert await is_due(house)
        await compress_items(house, RUN)
        told = await seen(house)

    (_, (before, numbers, _)) = model.asked
    assert before == "told of 1 2 3 4 5 6"
    assert numbers == tuple(range(7, 17))
    assert told.items[0].content == "told of 1 2 3 4 5 6\ntold of 7 8 9 10 11 12 13 14 15 16"


@pytest.mark.parametrize(
    "failure", [AgentUnavailable("compressor", "away"), AgentReplyInvalid("compressor", "not JSON")]
)
async def test_a_model_that_cannot_be_had_or_used_leaves_the_work_due_and_loses_nothing(
    failure: Exception,
) -> None:
    model = Scripted()
    async with open_house(memory_agents=agents(model), unasked=False) as house:
        await start(house)
        await add(house, 1, 10)
        without = await seen(house)
        model.fails = failure
        with pytest.raises(type(failure)):
            await compress_items(house, RUN)
        still, raw = await seen(house), await get_working_memory(house, GetWorkingMemory(key=RUN, raw=True))
        assert await is_due(house)
        model.fails = None
        await compress_items(house, RUN)
        at_last = await seen(house)

    assert still.items == without.items
    assert len(raw.items) == 10
    assert at_last.items[0].content == "told of 1 2 3 4 5 6"


async def test_a_text_that_leaves_out_what_must_stay_does_not_land() -> None:
    class Forgetful(Scripted):
        async def compress(self, before: str, items: Sequence[Item], room: int) -> Compression:
            return Compression(text="nothing much", items=())

    async with open_house(memory_agents=agents(Forgetful()), unasked=False) as house:
        await start(house)
        await add(house, 1, 10)
        by_rules = await seen(house)
        with pytest.raises(AgentReplyInvalid):
            await compress_items(house, RUN)

        assert (await seen(house)).items == by_rules.items


async def test_another_process_shows_what_the_model_told_and_it_goes_with_the_invocation() -> None:
    store, ids, model = MemoryStore(), CountingIds(), Scripted()
    async with open_house(store=store, ids=ids, memory_agents=agents(model), unasked=False) as house:
        await start(house)
        await add(house, 1, 10)
        await compress_items(house, RUN)
    async with open_house(store=store, ids=ids) as house:
        told = await seen(house)
        await end_invocation(house, the_end())

        assert told.items[0].content == "told of 1 2 3 4 5 6"
        assert RUN not in await store.heads([RUN])


async def test_an_end_while_the_model_is_asked_is_not_waited_for_and_takes_nothing_in() -> None:
    class Ended(Scripted):
        async def compress(self, before: str, items: Sequence[Item], room: int) -> Compression:
            await end_invocation(house, the_end())
            return await super().compress(before, items, room)

    async with open_house(memory_agents=agents(Ended()), unasked=False) as house:
        await start(house)
        await add(house, 1, 10)
        with pytest.raises(Exception, match="i1"):
            await compress_items(house, RUN)

        assert RUN not in await house.store.heads([RUN])
        async with house.conversations.reading(KEY) as conversation:
            assert "i1" in conversation.invocations
