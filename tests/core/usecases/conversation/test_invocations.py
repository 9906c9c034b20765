"""Invocations: working memory, an end that is durable first, and what stays when all else is gone."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from core.agents.memory_roles import MemoryAgents, Passage, Purpose, Unit
from core.agents.offline.extracting import OfflineExtractor
from core.agents.offline.remembering import OfflineDistiller, OfflineSummariser
from core.conversation.invocation import CONCLUDE
from core.errors import (
    AgentUnavailable,
    ConversationNotFound,
    InvocationEnded,
    InvocationExists,
    InvocationNotFound,
    LimitReached,
    MemoryOff,
)
from core.ids import Collection, ConversationId, InvocationId, RecordId, User
from core.keys import InvocationKey, UserKey
from core.model.invocation import ItemType
from core.usecases.conversation.learning.conclude_invocation import conclude
from core.usecases.conversation.verbs.add_working_items import AddWorkingItems, NewItem, add_working_items
from core.usecases.conversation.verbs.delete_conversation import DeleteConversation, delete_conversation
from core.usecases.conversation.verbs.delete_turns import DeleteTurns, delete_turns
from core.usecases.conversation.verbs.end_invocation import EndInvocation, end_idle, end_invocation
from core.usecases.conversation.verbs.get_working_memory import GetWorkingMemory, get_working_memory
from core.usecases.conversation.verbs.list_invocations import ListInvocations, list_invocations
from core.usecases.conversation.verbs.list_turns import ListTurns, list_turns
from core.usecases.conversation.verbs.start_invocation import StartInvocation, start_invocation
from core.usecases.house import House
from core.usecases.limits import Limits
from core.usecases.user.update_user import UpdateUser, update_user
from core.usecases.whole_user.purge_user import PurgeUser, purge_user
from service.adapters.store.memory_store import MemoryStore
from tests.support.house import CountingIds, open_house, request
from tests.support.reading import local_reader
from tests.support.talking import KEY, said, say

RUN = InvocationKey(tenant=KEY.tenant, user=KEY.user, invocation_id=InvocationId("i1"))
OWNER = UserKey(tenant=KEY.tenant, user=KEY.user)


async def start(house: House, **changed: Any) -> str:
    asked = StartInvocation(
        tenant=KEY.tenant,
        user=KEY.user,
        collection=Collection(""),
        conversation_id=KEY.conversation_id,
        invocation_id=RUN.invocation_id,
        query="When does the ferry leave?",
        enable_memory=True,
    )
    return (await start_invocation(house, replace(asked, **changed))).invocation_id


async def add(house: House, *contents: str, type_: ItemType = ItemType.THOUGHT) -> None:
    items = tuple(NewItem(type=type_, content=content) for content in contents)
    await add_working_items(house, AddWorkingItems(key=RUN, items=items))


def the_end(**changed: Any) -> EndInvocation:
    return replace(EndInvocation(key=RUN, result="At nine.", succeeded=True, wait=True), **changed)


async def told(house: House) -> tuple[list[str], list[str]]:
    """Inputs of turns, and ids of invocations that the conversation knows."""
    turns = await list_turns(house, ListTurns(key=KEY))
    invocations = await list_invocations(house, ListInvocations(key=KEY))
    return [each.turn.input for each in turns.turns], [each.invocation_id for each in invocations.invocations]


async def is_gone(house: House) -> bool:
    return not await house.store.heads([RUN])


async def test_at_its_end_the_conversation_keeps_turn_and_summary_and_the_working_memory_is_gone() -> None:
    async with open_house() as house:
        await start(house)
        await add(house, "I look it up.", "The timetable says 9:00.")
        ended = await end_invocation(house, the_end())

        assert ended.summary is not None
        assert (ended.summary.query, ended.summary.result) == ("When does the ferry leave?", "At nine.")
        assert ended.summary.step == 1
        assert ended.summary.summary
        assert await told(house) == (["When does the ferry leave?"], ["i1"])
        assert await is_gone(house)
        with pytest.raises(InvocationNotFound):
            await get_working_memory(house, GetWorkingMemory(key=RUN))


async def test_without_memory_nothing_is_stored_and_calls_with_an_empty_id_do_nothing() -> None:
    async with open_house() as house:
        assert await start(house, enable_memory=False) == ""
        items = (NewItem(type=ItemType.THOUGHT, content="x"),)
        added = await add_working_items(house, AddWorkingItems(key=None, items=items))
        seen = await get_working_memory(house, GetWorkingMemory(key=None))
        ended = await end_invocation(house, the_end(key=None))

        assert (added.revision, seen.items, ended.summary) == (0, (), None)
        assert not await house.store.heads([RUN, KEY, OWNER])


async def test_a_repeated_end_finds_its_answer_and_another_end_is_refused() -> None:
    async with open_house() as house:
        await start(house)
        first = await end_invocation(house, the_end(request=request("r1", verb="EndInvocation")))
        again = await end_invocation(house, the_end(request=request("r1", verb="EndInvocation")))

        assert again == replace(first, replayed=True)
        assert await told(house) == (["When does the ferry leave?"], ["i1"])
        with pytest.raises(InvocationNotFound):
            await end_invocation(house, the_end(request=request("r2", verb="EndInvocation")))


class Down:
    """A Summariser that cannot be had until it is told so."""

    def __init__(self) -> None:
        self.is_up = False

    async def summarise(self, passages: list[Passage], limit: int, unit: Unit, purpose: Purpose) -> str:
        if not self.is_up:
            raise AgentUnavailable("summariser", "down")
        return await OfflineSummariser().summarise(passages, limit, unit, purpose)


async def test_while_a_model_is_away_the_end_stands_and_is_carried_out_later() -> None:
    model = Down()
    extractor = OfflineExtractor(local_reader())
    agents = MemoryAgents(summariser=model, distiller=OfflineDistiller(), extractor=extractor)  # type: ignore[arg-type]
    async with open_house(memory_agents=agents) as house:
        await start(house)
        with pytest.raises(AgentUnavailable):
            await end_invocation(house, the_end())
        with pytest.raises(InvocationEnded):
            await add(house, "too late")
        with pytest.raises(InvocationEnded):
            await end_invocation(house, the_end(result="another"))
        model.is_up = True
        await conclude(house, RUN)

        assert await told(house) == (["When does the ferry leave?"], ["i1"])
        assert await is_gone(house)


@pytest.mark.parametrize("boundary", range(4))
async def test_a_process_that_stops_between_the_steps_leaves_them_to_the_next(boundary: int) -> None:
    store, ids = MemoryStore(), CountingIds()
    async with open_house(store=store, ids=ids) as house:
        await start(house)
        await house.chores.close()
        house.chores._works.clear()
        await end_invocation(house, the_end(wait=False, request=request("r1", verb="EndInvocation")))
        stopping = stopping_at(house, boundary)
        with pytest.raises(Stopped):
            await conclude(stopping, RUN)
    async with open_house(store=store, ids=ids) as house:
        house.clock.skip(timedelta(seconds=1))  # type: ignore[attr-defined]
        assert await house.chores.take_up() == (0 if boundary == 3 else 1)
        await house.chores.finished(RUN, CONCLUDE.name)
        again = await end_invocation(house, the_end(request=request("r1", verb="EndInvocation")))

        assert again.replayed
        assert again.summary is not None
        assert await told(house) == (["When does the ferry leave?"], ["i1"])
        assert await is_gone(house)


class Stopped(Exception):
    pass


class _Stopping:
    """The house's aggregates, which stop before the n-th write."""

    def __init__(self, inner: Any, left: list[int]) -> None:
        self._inner, self._left = inner, left

    def __getattr__(self, name: str) -> Any:
        act = getattr(self._inner, name)
        if name not in ("commit", "delete"):
            return act

        async def counted(*args: Any) -> Any:
            if self._left[0] == 0:
                raise Stopped
            self._left[0] -= 1
            done = await act(*args)
            if self._left[0] == 0 and name == "delete":
                raise Stopped  # after the last
            return done

        return counted


def stopping_at(house: House, boundary: int) -> House:
    left = [boundary]
    kinds = ("conversations", "users", "invocations")
    stopping: dict[str, Any] = {kind: _Stopping(house.banks, left) for kind in kinds}
    return replace(house, **stopping)


async def test_two_that_end_it_at_once_end_it_once() -> None:
    async with open_house() as house:
        await start(house)
        ends = [
            the_end(result=f"answer {n}", request=request(f"r{n}", verb="EndInvocation")) for n in range(8)
        ]
        found = await asyncio.gather(*(end_invocation(house, e) for e in ends), return_exceptions=True)

        assert sum(not isinstance(each, BaseException) for each in found) == 1
        assert all(
            isinstance(e, InvocationEnded | InvocationNotFound) for e in found if isinstance(e, BaseException)
        )
        assert await told(house) == (["When does the ferry leave?"], ["i1"])


async def test_one_left_alone_is_ended_as_failed_without_a_turn() -> None:
    async with open_house() as house:
        await start(house)
        await add(house, "I begin.")
        await end_idle(house, RUN)
        assert not await is_gone(house)
        house.clock.skip(timedelta(hours=2))  # type: ignore[attr-defined]
        await end_idle(house, RUN)
        await conclude(house, RUN)
        (summary,) = (await list_invocations(house, ListInvocations(key=KEY))).invocations

        assert (summary.succeeded, summary.step, summary.result) == (False, 0, "")
        assert await is_gone(house)


async def test_its_summary_goes_with_its_turn() -> None:
    async with open_house() as house:
        await start(house)
        await end_invocation(house, the_end())
        await delete_turns(house, DeleteTurns(key=KEY, steps=(1,)))

        assert await told(house) == ([], [])


async def test_a_conversation_that_was_deleted_meanwhile_does_not_come_back() -> None:
    async with open_house() as house:
        await start(house)
        await delete_conversation(house, DeleteConversation(key=KEY))
        ended = await end_invocation(house, the_end())

        assert ended.summary is None
        assert await is_gone(house)
        with pytest.raises(ConversationNotFound):
            await told(house)


async def test_one_without_a_conversation_ends_too_and_another_user_has_it_not() -> None:
    async with open_house() as house:
        await start(house, conversation_id=None)
        with pytest.raises(InvocationNotFound):
            await get_working_memory(house, GetWorkingMemory(key=replace(RUN, user=User("eve"))))
        ended = await end_invocation(house, the_end(request=request("r1", verb="EndInvocation")))
        again = await end_invocation(house, the_end(request=request("r1", verb="EndInvocation")))

        assert (ended.summary, again.replayed) == (None, True)
        assert await is_gone(house)


async def test_items_are_bounded_in_number_and_bytes_all_or_none() -> None:
    async with open_house(limits=Limits(working_items=3, working_bytes=1_000)) as house:
        await start(house)
        await add(house, "one", "two")
        with pytest.raises(LimitReached, match="working_items"):
            await add(house, "three", "four")
        with pytest.raises(LimitReached, match="working_bytes"):
            await add(house, "字" * 400)
        seen = await get_working_memory(house, GetWorkingMemory(key=RUN))

        assert [(each.number, each.step, each.content) for each in seen.items] == [
            (1, 1, "one"),
            (2, 1, "two"),
        ]


async def test_open_invocations_of_a_user_are_bounded_and_an_id_is_taken_once() -> None:
    async with open_house(limits=Limits(open_invocations_per_user=2)) as house:
        await start(house)
        with pytest.raises(InvocationExists):
            await start(house)
        await start(house, invocation_id=InvocationId("i2"))
        with pytest.raises(LimitReached, match="open_invocations_per_user"):
            await start(house, invocation_id=InvocationId("i3"))


async def test_where_memory_is_off_nothing_is_added_and_the_end_only_deletes() -> None:
    async with open_house() as house:
        await say(house, said("Hello"))
        await start(house)
        await update_user(house, UpdateUser(key=OWNER, fields={"enabled"}, enabled=False))
        with pytest.raises(MemoryOff):
            await add(house, "more")
        unkept = await start(house, invocation_id=InvocationId("i2"), conversation_id=ConversationId("c2"))
        assert unkept == ""
        ended = await end_invocation(house, the_end())

        assert ended.summary is None
        assert await is_gone(house)
        assert await told(house) == (["Hello"], [])


async def test_a_purge_of_the_user_takes_running_invocations() -> None:
    async with open_house() as house:
        await start(house)
        await add(house, "secret")
        purged = await purge_user(house, PurgeUser(key=OWNER))

        assert purged.aggregates["invocation"] == 1
        assert await is_gone(house)


async def test_a_thousand_items_have_room_and_no_more_and_records_they_name_need_not_be_there() -> None:
    async with open_house() as house:
        await start(house)
        for _ in range(10):
            await add(house, *["step"] * 100)
        with pytest.raises(LimitReached, match="working_items"):
            await add(house, "one more")
        seen = await get_working_memory(house, GetWorkingMemory(key=RUN, raw=True))
        ended = await end_invocation(house, the_end())

        assert len(seen.items) == 1_000
        assert ended.summary is not None
    async with open_house() as house:
        await start(house)
        item = NewItem(type=ItemType.THOUGHT, content="as before", record_ids=(RecordId("nowhere"),))
        await add_working_items(house, AddWorkingItems(key=RUN, items=(item,)))

        assert (await end_invocation(house, the_end())).summary is not None
