"""A search through all of a user's conversations, beside what changes meanwhile."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from core.aggregate.aggregate import Tuning
from core.aggregate.change import Head
from core.conversation.conversation import Conversation
from core.ids import ConversationId
from core.keys import ConversationKey, Key
from core.usecases.conversation.across import AllConversations
from core.usecases.conversation.tiers.embed_turns import embed_turns
from core.usecases.conversation.verbs.delete_turns import DeleteTurns, delete_turns
from core.usecases.conversation.verbs.search_turns import SearchTurns, TurnsFound, search_turns
from core.usecases.house import House
from service.adapters.store.memory_store import MemoryStore
from service.holding.held import Holding
from tests.support.conversations import SPACE
from tests.support.house import open_house
from tests.support.talking import KEY, said, say

NAMES = ("one", "two", "三")


def key(name: str) -> ConversationKey:
    return replace(KEY, conversation_id=ConversationId(name))


async def talk(house: House) -> None:
    for name in NAMES:
        await say(house, said(f"Ferry {name} leaves at nine."), said("我对花生过敏。"), key=key(name))
        await embed_turns(house, key(name), house.workshop.ledger(key(name)))


async def search(house: House, text: str, top_k: int = 3) -> TurnsFound:
    among = AllConversations(tenant=KEY.tenant, user=KEY.user)
    return await search_turns(house, SearchTurns(among=among, text=text, top_k=top_k))


class Forgetting:
    """Conversations of which one loses its first turn before it is read for the second time."""

    def __init__(self, house: House, losing: ConversationKey) -> None:
        self._house, self._losing, self._reads = house, losing, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._house.conversations, name)

    @asynccontextmanager
    async def reading(self, key: ConversationKey, min_revision: int = 0) -> AsyncIterator[Conversation]:
        self._reads += key == self._losing
        if key == self._losing and self._reads == 2:
            await delete_turns(self._house, DeleteTurns(key=key, steps=(1,)))
        async with self._house.conversations.reading(key, min_revision) as conversation:
            yield conversation


async def test_a_turn_that_is_deleted_meanwhile_is_passed_over() -> None:
    async with open_house(unasked=False) as house:
        await talk(house)
        before = await search(house, "ferry two leaves at nine")
        losing: Any = Forgetting(house, key("two"))

        found = await search(replace(house, conversations=losing), "ferry two leaves at nine")

    assert before.hits[0].conversation_id == "two"
    assert found.hits == before.hits[1:]
    assert found.conversations == 3


class Counting(MemoryStore):
    """Counts of how many aggregates each query asks the heads."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[int] = []

    async def heads(self, keys: Sequence[Key]) -> Mapping[Key, Head]:
        self.asked.append(len(keys))
        return await super().heads(keys)


async def test_conversations_that_were_not_read_of_late_are_confirmed_by_one_query() -> None:
    store = Counting()
    never_fresh = Holding(max_staleness=-1.0, tuning=Tuning(space=SPACE.name, dimension=SPACE.dimension))
    async with open_house(store=store, holding=never_fresh, unasked=False) as house:
        await talk(house)
        store.asked.clear()

        await house.conversations.confirm([key(name) for name in NAMES])

    assert store.asked == [3]
