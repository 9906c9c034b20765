"""A conversation that is not read for a while lets go of its indexes; the next reader or writer has them again."""

import pytest

from core.aggregate.aggregate import Tuning
from core.conversation.conversation import Conversation
from core.usecases.conversation.verbs.search_turns import SearchTurns, search_turns
from core.usecases.house import House
from service.holding.held import REST_SECONDS, Holding
from service.holding.open import OpenAggregates
from service.holding.pool import UNREAD_SECONDS
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.house import open_house
from tests.support.talking import KEY, said, say, talked, tend

EMBEDDER = HashingEmbedder()
HOLDING = Holding(tuning=Tuning(space=EMBEDDER.space.name, dimension=EMBEDDER.space.dimension))


async def at_rest(house: House, monkeypatch: pytest.MonkeyPatch) -> Conversation:
    """Returns the conversation after an hour without a reader."""
    held: OpenAggregates = house.conversations  # type: ignore[assignment] # the port's one implementation
    pool = held._pool
    resting = pool.find(KEY)
    assert resting is not None
    await pool.writer(resting).finished()
    now = pool._now()
    monkeypatch.setattr(pool, "_now", lambda: now + REST_SECONDS + UNREAD_SECONDS)
    monkeypatch.setattr(resting, "_rest", None)
    await held.confirm_recent()
    monkeypatch.undo()
    conversation: Conversation = resting.aggregate  # type: ignore[assignment] # as its key says
    assert conversation.rests
    return conversation


async def test_what_is_not_read_rests_and_is_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_house(embedder=EMBEDDER, holding=HOLDING, unasked=False) as house:
        await talked(house, 30)
        await tend(house)
        conversation = await at_rest(house, monkeypatch)

        found = await search_turns(house, SearchTurns(among=KEY, text="When does ferry 12 leave?", top_k=1))

        assert [one.hit.turn.step for one in found.hits] == [13]
        assert not conversation.rests


async def test_what_rests_is_written_to(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_house(embedder=EMBEDDER, holding=HOLDING, unasked=False) as house:
        await talked(house, 3)
        await tend(house)
        await at_rest(house, monkeypatch)

        added = await say(house, said("暗号是橘子酱。"))
        found = await search_turns(house, SearchTurns(among=KEY, text="暗号是什么？", top_k=1))

        assert [turn.step for turn in added.turns] == [4]
        assert [one.hit.turn.step for one in found.hits] == [4]


async def test_what_is_being_read_does_not_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_house(embedder=EMBEDDER, holding=HOLDING, unasked=False) as house:
        await talked(house, 3)
        await tend(house)
        async with house.conversations.reading(KEY):
            with pytest.raises(AssertionError):
                await at_rest(house, monkeypatch)
