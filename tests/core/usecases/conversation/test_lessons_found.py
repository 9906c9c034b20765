"""What runs learn from their failures, up to the next failure: recoveries, and reflections over them, found again."""

from dataclasses import dataclass

import pytest

from core.context.long_term import REFLECTIONS
from core.long_term.recovery import Failure
from core.model.invocation import ItemType
from core.model.record import RecordKind, Reflection
from core.usecases.context.asked import AssembleContext
from core.usecases.context.assemble_context import assemble_context
from core.usecases.conversation.verbs.add_working_items import AddWorkingItems, NewItem, add_working_items
from core.usecases.conversation.verbs.end_invocation import end_invocation
from core.usecases.house import House
from core.usecases.long_term.judging.reflect import reflect
from core.usecases.long_term.verbs.delete_records import DeleteRecords, delete_records
from core.usecases.long_term.verbs.find_recoveries import FindRecoveries, find_recoveries
from core.usecases.long_term.verbs.retrieve_memories import RetrieveMemories, retrieve_memories
from tests.core.usecases.conversation.test_extraction import MEMORY
from tests.core.usecases.conversation.test_invocations import RUN, start, the_end
from tests.support.house import open_house
from tests.support.talking import KEY

RUNS = 5  # as many strategies as make a reflection


@dataclass(frozen=True, slots=True, kw_only=True)
class Matter:
    """What runs are about, and how their tools fail."""

    query: str
    error: str
    again: str
    title: str
    asked: str


MATTERS = {
    "en": Matter(
        query="Book ferry {}.",
        error="ValueError: the day must be YYYY-MM-DD, not 5 May",
        again="ValueError: the day must be YYYY-MM-DD, not 9 June",
        title="# Recovering from tool errors",
        asked="What did we learn from errors of tools?",
    ),
    "zh": Matter(
        query="预订{}号渡轮。",
        error="日期格式错误：必须是YYYY-MM-DD，而不是5月5日",
        again="日期格式错误：必须是YYYY-MM-DD，而不是6月9日",
        title="# 工具执行错误恢复经验",
        asked="从工具错误中总结了哪些教训？",
    ),
}


async def mended_run(house: House, matter: Matter, number: int) -> None:
    """A run in which one tool fails, and is called again as it should be."""
    tool = f"ferry_{number}"
    await start(house, query=matter.query.format(number))
    items = (
        NewItem(type=ItemType.ACTION, content="", tool=tool, arguments_json='{"day": "5 May"}'),
        NewItem(
            type=ItemType.OBSERVATION, content=matter.error, tool=tool, failed=True, error_type="ValueError"
        ),
        NewItem(type=ItemType.ACTION, content="", tool=tool, arguments_json='{"day": "2024-05-05"}'),
        NewItem(type=ItemType.OBSERVATION, content="ok", tool=tool),
    )
    await add_working_items(house, AddWorkingItems(key=RUN, items=items))
    await end_invocation(house, the_end())


async def failed_run(house: House, matter: Matter, number: int) -> None:
    """A run in which one tool fails in the end."""
    await start(house, query=matter.query.format(number))
    items = (
        NewItem(type=ItemType.ACTION, content="", tool="pier"),
        NewItem(type=ItemType.OBSERVATION, content="ok", tool="pier"),
        NewItem(type=ItemType.ACTION, content="", tool=f"ferry_{number}"),
        NewItem(
            type=ItemType.OBSERVATION,
            content=matter.error,
            tool=f"ferry_{number}",
            failed=True,
            error_type="ValueError",
        ),
    )
    await add_working_items(house, AddWorkingItems(key=RUN, items=items))
    await end_invocation(house, the_end(result="", succeeded=False))


async def learned(house: House, matter: Matter) -> None:
    for number in range(RUNS):
        await mended_run(house, matter, number)
    await reflect(house, MEMORY)


async def reflections(house: House) -> dict[str, Reflection]:
    async with house.collections.reading(MEMORY) as collection:
        return {each.subject: each for each in collection.reflections.values()}


def next_failure(matter: Matter) -> FindRecoveries:
    failure = Failure(error_type="ValueError", tool="ferry_3", message=matter.again)
    return FindRecoveries(key=MEMORY, failure=failure)


@pytest.mark.parametrize("matter", MATTERS.values(), ids=MATTERS.keys())
async def test_failures_come_to_a_reflection_and_the_next_failure_finds_the_fix_and_what_stands_over_it(
    matter: Matter,
) -> None:
    async with open_house(unasked=False) as house:
        await learned(house, matter)
        made = (await reflections(house))["error_recovery"]
        found = (await find_recoveries(house, next_failure(matter))).found
        asked = await retrieve_memories(house, RetrieveMemories(key=MEMORY, query=matter.asked))

    (best, match, _), *_ = found
    assert made.text.splitlines()[0] == matter.title
    assert len(made.record_ids) == RUNS
    assert best.recovery is not None
    assert (best.recovery.tool, best.recovery.fixed_json) == ("ferry_3", '{"day": "2024-05-05"}')
    assert match >= 0.9
    assert best.reflection_id == made.reflection_id
    assert made in asked.reflections


@pytest.mark.parametrize("matter", MATTERS.values(), ids=MATTERS.keys())
async def test_why_runs_failed_comes_to_a_reflection_that_the_next_prompt_shows(matter: Matter) -> None:
    async with open_house(unasked=False) as house:
        for number in range(RUNS):
            await failed_run(house, matter, number)
        await reflect(house, MEMORY)
        (made,) = (await reflections(house)).values()
        shown = await assemble_context(
            house, AssembleContext(input=matter.query.format(9), collection=MEMORY, conversation=KEY)
        )
        async with house.collections.reading(MEMORY) as collection:
            over = [collection.records[record_id] for record_id in made.record_ids]

    assert {record.kind for record in over} == {RecordKind.MEMORY}  # an episode tells of one case
    assert sorted(record.content.count(matter.error) for record in over) == [1] * RUNS
    assert REFLECTIONS in [section.name for section in shown.sections]
    assert made.text.splitlines()[0] in shown.prompt


async def test_a_reflection_is_made_anew_of_what_is_left_when_one_of_its_lessons_is_deleted() -> None:
    matter = MATTERS["en"]
    async with open_house(unasked=False) as house:
        await learned(house, matter)
        before = (await reflections(house))["error_recovery"]
        gone = before.record_ids[0]
        await delete_records(house, DeleteRecords(key=MEMORY, record_ids=(gone,)))
        waiting = (await reflections(house))["error_recovery"]
        asked = await retrieve_memories(house, RetrieveMemories(key=MEMORY, query=matter.asked))
        await reflect(house, MEMORY)
        after = (await reflections(house))["error_recovery"]

    assert waiting.text == ""
    assert before.reflection_id not in [each.reflection_id for each in asked.reflections]
    assert set(after.record_ids) == set(before.record_ids) - {gone}
    assert after.text
    assert after.text != before.text
