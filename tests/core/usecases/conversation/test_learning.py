"""What an invocation that ended leaves in long-term memory."""

import pytest

from core.agents.offline.distilling import episode, recoveries
from core.ids import Collection
from core.keys import CollectionKey
from core.model.invocation import ItemType
from core.model.record import RecordKind
from core.usecases.conversation.add_working_items import AddWorkingItems, NewItem, add_working_items
from core.usecases.conversation.end_invocation import end_invocation
from core.usecases.conversation.get_working_memory import GetWorkingMemory, get_working_memory
from core.usecases.house import House
from tests.core.usecases.conversation.test_invocations import RUN, start, the_end
from tests.support.house import open_house, request

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
    answer("booked, 42 EUR"),
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

    (fix,) = (records[record_id] for record_id in first.concluded.strategy_ids)
    told = next(record for record in records.values() if record.kind is RecordKind.EPISODE)
    assert again.concluded == first.concluded
    assert len(records) == 2
    assert fix.recovery is not None
    assert (fix.recovery.error_type, fix.recovery.tool) == ("ValueError", "book")
    assert fix.recovery.message == "ValueError: the date must be YYYY-MM-DD"
    assert fix.recovery.fixed_json == '{"date": "2024-05-05"}'
    assert (told.record_id, told.invocation_id) == (first.concluded.episode_id, "i1")
    assert told.episode is not None
    assert told.episode.goal == "When does the ferry leave?"
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
