"""What an invocation that ended leaves in long-term memory."""

from dataclasses import replace
from datetime import timedelta

import pytest

from core.agents.memory_roles import Distillation, Execution
from core.agents.offline.distilling import episode, recoveries
from core.agents.offline.remembering import OfflineDistiller, offline_memory_agents
from core.ids import Collection
from core.keys import CollectionKey
from core.model.conversation import ConversationSettings
from core.model.invocation import ItemType
from core.model.record import Origin, Record, RecordKind
from core.usecases.conversation.learning.conclude_invocation import conclude
from core.usecases.conversation.learning.extract_facts import extract_facts
from core.usecases.conversation.verbs.add_working_items import AddWorkingItems, NewItem, add_working_items
from core.usecases.conversation.verbs.delete_turns import DeleteTurns, delete_turns
from core.usecases.conversation.verbs.end_conversation import EndConversation, end_conversation
from core.usecases.conversation.verbs.end_invocation import end_idle, end_invocation
from core.usecases.conversation.verbs.get_working_memory import GetWorkingMemory, get_working_memory
from core.usecases.conversation.verbs.update_conversation import UpdateConversation, update_conversation
from core.usecases.house import House
from tests.core.usecases.conversation.test_invocations import RUN, start, the_end
from tests.support.house import open_house, request
from tests.support.reading import local_reader
from tests.support.talking import KEY, said, say

MEMORY = CollectionKey(tenant=RUN.tenant, user=RUN.user, collection=Collection(""))


def call(arguments: str, tool: str = "book") -> NewItem:
    return NewItem(type=ItemType.ACTION, content="", tool=tool, arguments_json=arguments)


def answer(text: str, error_type: str = "") -> NewItem:
    return NewItem(
        type=ItemType.OBSERVATION, content=text, tool="book", failed=bool(error_type), error_type=error_type
    )


MENDED = (
    call('{"date": "5 May"}'),
    answer("ValueError: the date must be YYYY-MM-DD", "ValueError"),
    call('{"q": 1}', tool="search"),
    call('{"date": "2024-05-05"}'),
    answer("Booked.\nThe ferry leaves at 9:00 from pier 3."),
)


async def run(house: House, *items: NewItem) -> None:
    await start(house)
    await add_working_items(house, AddWorkingItems(key=RUN, items=items))


async def test_a_failed_call_and_the_same_tools_next_success_are_a_recovery_and_the_run_an_episode() -> None:
    async with open_house() as house:
        await run(house, *MENDED)
        first = await end_invocation(house, the_end(request=request("r1", verb="EndInvocation")))
        again = await end_invocation(house, the_end(request=request("r1", verb="EndInvocation")))
        assert first.concluded is not None
        async with house.collections.reading(MEMORY) as collection:
            records = dict(collection.records)

    fix, worked = (records[record_id] for record_id in first.concluded.strategy_ids)
    told = next(record for record in records.values() if record.kind is RecordKind.EPISODE)
    assert again.concluded == first.concluded
    assert len(records) == 4
    assert worked.content == "For “When does the ferry leave?”: search → book"
    assert (worked.origin, worked.confidence, worked.steps) == (
        Origin.DISTILLED,
        0.5,
        (first.concluded.step,),
    )
    assert "tool:search" in worked.tags
    (seen,) = (records[record_id] for record_id in first.concluded.fact_ids)
    assert (seen.content, seen.origin) == ("The ferry leaves at 9:00 from pier 3.", Origin.OBSERVED)
    assert fix.recovery is not None
    assert (fix.recovery.error_type, fix.recovery.tool) == ("ValueError", "book")
    assert fix.recovery.message == "ValueError: the date must be YYYY-MM-DD"
    assert fix.recovery.fixed_json == '{"date": "2024-05-05"}'
    assert (told.record_id, told.invocation_id) == (first.concluded.episode_id, "i1")
    assert told.episode is not None
    assert told.episode.goal == "When does the ferry leave?"
    assert told.episode.outcome == "At nine."
    assert len(told.episode.steps) == 3


@pytest.mark.parametrize(
    "items",
    [
        (call("{}"), answer("fine")),
        (call("{}"), answer("Timeout: no answer", "Timeout"), call("{}", tool="other")),
    ],
)
async def test_without_a_mending_there_is_no_recovery(items: tuple[NewItem, ...]) -> None:
    async with open_house() as house:
        await run(house, *items)
        seen = await get_working_memory(house, GetWorkingMemory(key=RUN))

    assert recoveries(seen.items) == ()
    assert (episode("q", seen.items, "r") is None) == (len(items) == 2)


async def test_a_secret_is_not_kept() -> None:
    async with open_house() as house:
        secret = '{"api_key": "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"}'
        await run(house, call("{}"), answer("no key", "Denied"), call(secret), answer("fine"))
        ended = await end_invocation(house, the_end())

    assert ended.concluded is not None
    assert (ended.concluded.strategy_ids, ended.concluded.episode_id) == ((), "")


async def left(house: House) -> list[Record]:
    async with house.collections.reading(MEMORY) as collection:
        return list(collection.records.values())


def facts(records: list[Record]) -> list[str]:
    return sorted(record.content for record in records if record.kind is RecordKind.FACT)


async def test_facts_come_from_the_query_and_from_what_tools_answered_and_never_from_the_result() -> None:
    async with open_house() as house:
        await begin(house, "My sister Anna lives in Lyon, when does her ferry leave?")
        await add(house, call("{}"), answer("Ferry 7 leaves at 9:00."), answer("no figures here"))
        ended = await end_invocation(
            house, replace(the_end(), result="The ferry leaves at 11:30. Your brother Tom lives in Rome.")
        )
        found = await left(house)

    assert ended.concluded is not None
    assert facts(found) == ["Ferry 7 leaves at 9:00."]
    assert {record.steps for record in found} == {(1,)}
    assert ended.concluded.fact_ids == tuple(record.record_id for record in found)


async def test_what_the_user_said_in_a_query_is_taken_once() -> None:
    async with open_house(unasked=False) as house:
        await begin(house, "My sister Anna lives in Lyon. Find her a ferry!")
        await end_invocation(house, the_end())
        await end_conversation(house, EndConversation(key=KEY))
        await extract_facts(house, KEY, house.workshop.ledger(KEY))
        (fact,) = await left(house)

    assert (fact.content, fact.origin, fact.also_from) == (
        "My sister Anna lives in Lyon.",
        Origin.STATED,
        (),
    )


async def test_a_run_that_failed_leaves_why() -> None:
    async with open_house() as house:
        await run(house, call("{}"), call("{}"), answer("Timeout: no answer in 30 s", "Timeout"))
        await end_invocation(house, replace(the_end(), succeeded=False))
        found = [record for record in await left(house) if record.kind is RecordKind.MEMORY]

    assert [record.content for record in found] == [
        "“When does the ferry leave?” failed: book gave Timeout: no answer in 30 s → At nine."
    ]
    assert "failed" in found[0].tags


async def test_the_same_lesson_again_makes_it_surer() -> None:
    async with open_house() as house:
        for _ in range(2):
            await run(house, call("{}", "search"), call("{}"))
            await end_invocation(house, the_end())
        strategies = [record for record in await left(house) if record.kind is RecordKind.MEMORY]

    (strategy,) = strategies
    assert strategy.confidence > 0.5
    assert len(strategy.also_from) == 1


@pytest.mark.parametrize(
    ("settings", "kinds"),
    [
        (ConversationSettings(extract_facts=False), {"episode", "memory"}),
        (ConversationSettings(record_episodes=False), {"fact"}),
    ],
)
async def test_either_may_be_switched_off_for_a_conversation(
    settings: ConversationSettings, kinds: set[str]
) -> None:
    async with open_house() as house:
        await say(house, said("hello"), key=KEY)
        await update_conversation(
            house, UpdateConversation(key=KEY, fields=frozenset({"settings"}), settings=settings)
        )
        await run(house, call("{}", "search"), answer("Ferry 7 leaves at 9:00."), call("{}"))
        await end_invocation(house, the_end())

        assert {record.kind.value for record in await left(house)} == kinds


async def test_one_left_alone_leaves_no_facts() -> None:
    async with open_house() as house:
        await run(house, call("{}"), answer("Ferry 7 leaves at 9:00."))
        house.clock.skip(timedelta(hours=2))  # type: ignore[attr-defined]
        await end_idle(house, RUN)
        await conclude(house, RUN)
        collections = await house.store.count(MEMORY.tenant, MEMORY.kind, MEMORY.user)

    assert collections == 0


async def test_what_a_run_taught_goes_with_its_turn() -> None:
    async with open_house() as house:
        await run(house, *MENDED)
        await end_invocation(house, the_end())
        assert len(await left(house)) == 4
        await delete_turns(house, DeleteTurns(key=KEY, steps=(1,)))

        assert await left(house) == []


async def test_a_run_whose_turn_is_deleted_while_it_is_thought_of_teaches_nothing() -> None:
    houses: list[House] = []

    class Interrupted(OfflineDistiller):
        async def distil(self, execution: Execution) -> Distillation:
            await delete_turns(houses[0], DeleteTurns(key=KEY, steps=(1,)))
            return await super().distil(execution)

    agents = replace(offline_memory_agents(local_reader()), distiller=Interrupted())
    async with open_house(memory_agents=agents) as house:
        houses.append(house)
        await run(house, *MENDED)
        ended = await end_invocation(house, the_end())
        collections = await house.store.count(MEMORY.tenant, MEMORY.kind, MEMORY.user)

    assert ended.concluded is not None
    assert (ended.concluded.fact_ids, ended.concluded.strategy_ids) == ((), ())
    assert collections == 0


async def begin(house: House, query: str) -> None:
    await start(house, query=query)


async def add(house: House, *items: NewItem) -> None:
    await add_working_items(house, AddWorkingItems(key=RUN, items=items))
