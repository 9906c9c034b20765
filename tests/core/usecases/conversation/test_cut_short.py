"""A process that dies between two writes, before or after each of them: whoever comes next finds nothing twice, nothing
lost."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

from core.aggregate.aggregate import Tuning
from core.aggregate.change import Change
from core.conversation.conversation import Conversation
from core.errors import ConversationNotFound, MemoryBankError, StoreUnavailable
from core.keys import Key, UserKey
from core.model.conversation import Tiers
from core.usecases.conversation.tiers.count_hits import count_hits
from core.usecases.conversation.verbs.get_conversation import GetConversation, get_conversation
from core.usecases.conversation.verbs.update_conversation import UpdateConversation, update_conversation
from core.usecases.house import House
from core.usecases.whole_user.purge_user import PurgeUser, purge_user
from service.adapters.store.memory_store import MemoryStore
from service.holding.held import Holding
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.house import open_house
from tests.support.talking import KEY, talked, tend

EMBEDDER = HashingEmbedder()
TUNING = Tuning(
    space=EMBEDDER.space.name,
    dimension=EMBEDDER.space.dimension,
    tiers=Tiers(short_turns=3, max_clusters=2, hit_threshold=1, summary_every=4),
)
TURNS = 12


class CutStore(MemoryStore):
    """Fails at one append, before or after it is stored, and at all that follow: the process is dead to it."""

    def __init__(self) -> None:
        super().__init__()
        self.cut = 0  # at which append, from 1; 0: never
        self.stored_first = False
        self.appends = 0

    async def append(self, key: Key, uid: str, changes: Sequence[Change[Any]], **options: Any) -> None:
        self.appends += 1
        if self.cut and self.appends >= self.cut:
            if self.appends == self.cut and self.stored_first:
                await super().append(key, uid, changes, **options)
            raise StoreUnavailable("dead")
        await super().append(key, uid, changes, **options)


async def whole_story(house: House) -> None:
    """Turns, their tiers, hits, a promotion."""
    await talked(house, TURNS)
    await tend(house)
    async with house.conversations.reading(KEY) as conversation:
        uid, names = conversation.uid, sorted(conversation.clusters)
    await count_hits(house, KEY, uid, {frozenset({names[0]}): 2}, house.clock.now())
    await tend(house)


async def finished(house: House) -> Conversation:
    """What is there brought to its end, by another process."""
    for _ in range(3):
        await tend(house)
    async with house.conversations.reading(KEY) as conversation:
        return conversation


async def appends_of_a_whole_story() -> int:
    store = CutStore()
    async with open_house(store=store, embedder=EMBEDDER, holding=Holding(tuning=TUNING)) as house:
        await whole_story(house)
    return store.appends


@pytest.mark.parametrize("stored_first", [False, True])
async def test_the_process_after_a_killed_one_brings_everything_to_its_end(stored_first: bool) -> None:
    for cut in range(3, await appends_of_a_whole_story() + 1):
        store = CutStore()
        store.cut, store.stored_first = cut, stored_first
        async with open_house(store=store, embedder=EMBEDDER, holding=Holding(tuning=TUNING)) as house:
            with suppress(MemoryBankError):  # of the background's chores others may meet the cut
                await whole_story(house)
        store.cut = 0
        async with open_house(store=store, embedder=EMBEDDER, holding=Holding(tuning=TUNING)) as house:
            conversation = await finished(house)

            steps = list(conversation.steps)
            clustered = [s for c in conversation.clusters.values() for s in c.steps]
            assert steps == list(range(1, len(steps) + 1))
            assert sorted(clustered) == steps[: max(0, len(steps) - 3)]
            assert [s.first_step for s in conversation.summaries_in_order()] == list(
                range(1, len(steps) - 2, 4)
            )
            promoted = [c.cluster_id for c in conversation.clusters.values() if c.promoted]
            assert [key.cluster_id for key in conversation.keys.values()] == promoted
            assert conversation.record.turn_count == len(steps)


async def test_a_purged_user_leaves_no_conversation() -> None:
    async with open_house(embedder=EMBEDDER, holding=Holding(tuning=TUNING)) as house:
        await talked(house, 5)
        await purge_user(house, PurgeUser(key=UserKey(tenant=KEY.tenant, user=KEY.user)))
        with pytest.raises(ConversationNotFound):
            await get_conversation(house, GetConversation(key=KEY))


async def test_a_conversation_whose_time_is_over_is_to_be_purged() -> None:
    async with open_house(embedder=EMBEDDER, holding=Holding(tuning=TUNING)) as house:
        await talked(house, 2)
        await update_conversation(house, UpdateConversation(key=KEY, fields={"ttl"}, ttl=timedelta(hours=1)))
        soon = await house.store.expired(house.clock.now(), 0.0, 10)
        later = await house.store.expired(house.clock.now() + timedelta(hours=2), 0.0, 10)

    assert KEY not in [key for key, _ in soon]
    assert KEY in [key for key, _ in later]
