"""What turns are worth: read once, stored, and gone with the turns."""

import numpy as np
import pytest

from core.aggregate.aggregate import Tuning
from core.conversation.conversation import Conversation
from core.usecases.conversation.verbs.delete_turns import DeleteTurns, delete_turns
from core.usecases.conversation.verbs.end_conversation import EndConversation, end_conversation
from core.usecases.house import House
from service.adapters.store.memory_store import MemoryStore
from service.holding.held import Holding
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.house import CountingIds, open_house
from tests.support.reading import local_reader
from tests.support.talking import KEY, said, say

SPACE = HashingEmbedder().space
SAID = (
    "My sister Hanna runs a bakery in Porto.",
    "What is a good way to start with bread ovens?",
    "我对核桃过敏。",
    "Write a short paragraph about night trains.",
)


async def ended(house: House) -> None:
    await say(house, *(said(text, "I see.") for text in SAID))
    await end_conversation(house, EndConversation(key=KEY, wait=True))


async def worths(house: House) -> list[float]:
    async with house.conversations.reading(KEY) as conversation:
        refs = [conversation.refs(turn)[0] for turn in conversation.newest(10)]
        return [float(worth) for worth in conversation.worths_of(refs)]


async def stored(house: House) -> dict[int, int]:
    async with house.conversations.reading(KEY) as conversation:
        return of(conversation)


def of(conversation: Conversation) -> dict[int, int]:
    return {
        step: worth
        for each in conversation.worths.values()
        for step, worth in zip(each.steps, each.worths, strict=True)
    }


async def test_statements_are_worth_more_than_questions_and_orders_and_stay_so_when_loaded() -> None:
    store, ids = MemoryStore(), CountingIds()
    async with open_house(store=store, ids=ids, unasked=False) as house:
        await say(house, *(said(text, "I see.") for text in SAID))
        unread = await worths(house)
        await end_conversation(house, EndConversation(key=KEY, wait=True))
        read = await worths(house)
    async with open_house(store=store, ids=ids, unasked=False) as house:
        loaded = await worths(house)
    other = Holding(tuning=Tuning(space=SPACE.name, dimension=SPACE.dimension, reader="another"))
    async with open_house(store=store, ids=ids, unasked=False, holding=other) as house:
        by_another = await worths(house)

    assert np.isnan(unread).all()
    assert read[0] > 0.5
    assert read[2] > 0.5
    assert read[1] == 0.0
    assert read[3] < 0.3
    assert loaded == read
    assert np.isnan(by_another).all()


async def test_a_deleted_turn_leaves_nothing_and_the_others_keep_theirs() -> None:
    async with open_house(unasked=False) as house:
        await ended(house)
        before = await stored(house)

        await delete_turns(house, DeleteTurns(key=KEY, steps=(1, 3)))

        assert await stored(house) == {step: before[step] for step in (2, 4)}
        assert len(await worths(house)) == 2


async def test_what_was_read_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, runs = local_reader(), []
    embedder = await reader._model()
    assert embedder is not None
    inner = embedder.passages.rows

    async def rows(texts: list[str], *more: object) -> object:
        runs.append(list(texts))
        return await inner(texts, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(embedder.passages, "rows", rows)
    reader.forget()
    first = await reader.read(SAID)
    again = await reader.read(SAID)

    assert [each and each.worth for each in again] == [each and each.worth for each in first]
    assert runs == [list(SAID)]
