"""A process that stops before any write of what concludes and teaches: the next goes on, nothing is lost or twice."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from core.ids import Collection
from core.keys import CollectionKey
from core.usecases.conversation.learning.conclude_invocation import conclude
from core.usecases.conversation.learning.extract_facts import extract_facts
from core.usecases.conversation.learning.finish_conversation import finish_conversation
from core.usecases.conversation.learning.forget_turns import forget_turns
from core.usecases.conversation.tiers.summarise_turns import summarise_turns
from core.usecases.conversation.verbs.delete_turns import DeleteTurns, delete_turns
from core.usecases.conversation.verbs.end_conversation import EndConversation, end_conversation
from core.usecases.conversation.verbs.end_invocation import end_invocation
from core.usecases.house import House
from service.adapters.store.memory_store import MemoryStore
from tests.core.usecases.conversation.test_extraction import TALK
from tests.core.usecases.conversation.test_invocations import RUN, the_end
from tests.core.usecases.conversation.test_learning import MENDED, run
from tests.support.house import CountingIds, open_house, request
from tests.support.talking import KEY, said, say

MEMORY = CollectionKey(tenant=KEY.tenant, user=KEY.user, collection=Collection(""))
MOST = 40  # writes of a story, more than any has

Act = Callable[[House], Awaitable[Any]]


class Stopped(Exception):
    pass


class Stopping:
    """A store that its process leaves before the n-th write: from then on nothing is written."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self.left: int | None = None
        self.writes = 0

    def __getattr__(self, name: str) -> Any:
        act = getattr(self._store, name)
        if name not in ("append", "delete"):
            return act

        async def counted(*args: Any, **named: Any) -> Any:
            self.writes += 1
            if self.left is not None and self.writes > self.left:
                raise Stopped
            return await act(*args, **named)

        return counted


async def carried_out(house: House) -> None:
    """All that is owed."""
    ledger = house.workshop.ledger(KEY)
    await conclude(house, RUN)
    await forget_turns(house, KEY)
    await summarise_turns(house, KEY, ledger)
    await extract_facts(house, KEY, ledger)
    await finish_conversation(house, KEY, ledger)


async def a_run(house: House) -> None:
    await run(house, *MENDED)


async def ends_the_run(house: House) -> None:
    await end_invocation(house, the_end(request=request("r1", verb="EndInvocation")))


async def some_talk(house: House) -> None:
    await say(house, *TALK, said("My brother Tom lives in Rome."))
    await run(house, *MENDED)
    await end_invocation(house, the_end())


async def ends_the_talk(house: House) -> None:
    asked = request("r1", verb="EndConversation")
    await end_conversation(house, EndConversation(key=KEY, wait=True, request=asked))


async def some_memories(house: House) -> None:
    await some_talk(house)
    await say(house, TALK[0])
    await ends_the_talk(house)


async def deletes(house: House) -> None:
    asked = request("r2", verb="DeleteTurns")
    await delete_turns(house, DeleteTurns(key=KEY, steps=(1, 3, 12), request=asked))


STORIES: dict[str, tuple[Act, Act]] = {
    "an invocation ends": (a_run, ends_the_run),
    "a conversation ends": (some_talk, ends_the_talk),
    "turns are deleted": (some_memories, deletes),
}


async def left(house: House) -> tuple[Any, ...]:
    """What is there, without the names that were made for it."""
    async with house.conversations.reading(KEY) as conversation:
        talk = (
            conversation.record.state,
            conversation.record.extracted_to,
            conversation.record.forgetting,
            [(turn.step, turn.input, turn.reply) for turn in conversation.turns.values()],
            [(one.invocation_id, one.summary) for one in conversation.invocations.values()],
            sorted(summary.summary_id for summary in conversation.summaries.values()),
        )
    async with house.collections.reading(MEMORY) as collection:
        records = sorted(
            (r.kind, r.content, r.steps, round(r.confidence, 6), len(r.also_from), r.episode is None)
            for r in collection.records.values()
        )
        stones = len(collection.tombstones)
    gone = not await house.store.heads([RUN])
    return (*talk, records, stones, gone)


@pytest.mark.parametrize("name", STORIES)
async def test_whenever_a_process_stops_the_next_one_comes_to_the_same(name: str) -> None:
    scene, act = STORIES[name]
    undisturbed = None
    for boundary in (None, *range(MOST)):
        store, ids = MemoryStore(), CountingIds()
        stopping = Stopping(store)
        async with open_house(store=stopping, ids=ids, unasked=False) as house:
            await scene(house)
            stopping.writes, stopping.left = 0, boundary
            is_done = True
            try:
                await act(house)
            except Stopped:
                is_done = False
        async with open_house(store=store, ids=ids, unasked=False) as house:
            await act(house)  # the caller asks again
            await carried_out(house)
            found = await left(house)
        if undisturbed is None:
            undisturbed, writes = found, stopping.writes
        assert found == undisturbed, f"stopped before write {boundary} of {writes}"
        if boundary is not None and is_done:
            assert boundary >= min(3, writes)
            break
    else:
        pytest.fail("the story never ended")
