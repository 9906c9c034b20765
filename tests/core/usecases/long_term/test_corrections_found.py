"""Corrections that say too little to be found by their own words: found, and told, by what they take the place of."""

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from typing import NamedTuple

import pytest
import pytest_asyncio

from core.ids import RecordId
from core.long_term.collection import Collection
from core.long_term.steps import RecordPut
from core.model.record import NO_RECORD, RecordState, SupersededReason
from core.ports.aggregates import Draft
from core.usecases.context.asked import AssembleContext
from core.usecases.context.assemble_context import assemble_context
from core.usecases.house import House
from core.usecases.long_term.verbs.delete_records import DeleteRecords, delete_records
from core.usecases.long_term.verbs.retrieve_facts import RetrieveFacts, retrieve_facts
from tests.support.house import open_house
from tests.support.long_term import ADA, STATED, TOLD, facts, new, tell


class Talk(NamedTuple):
    """What was said, each taken back by the next; beside what; and what is asked."""

    said: Sequence[str]
    beside: Sequence[str]
    question: str


ENGLISH = Talk(
    ("We meet in front of the library on Thursday.", "No, not Thursday, make that Friday."),
    ("My neighbour plays the trumpet.", "The tomatoes are red."),
    "When do we meet in front of the library?",
)
CHINESE = Talk(
    ("我们周四在图书馆门口见。", "不是周四，改成周五。"),
    ("我的邻居吹小号。", "阳台上的西红柿红了。"),
    "我们什么时候在图书馆门口见面？",
)
pytestmark = pytest.mark.asyncio(loop_scope="module")


async def take_back(house: House, talk: Talk) -> None:
    """Keeps what was said, each but the last as the next one's correction leaves it."""

    def steps(_: Collection, _revision: int) -> Draft[None]:
        puts = []
        for place, text in enumerate(talk.said):
            is_last = place == len(talk.said) - 1
            day = TOLD + timedelta(days=place)
            record = new(
                text,
                record_id=RecordId(f"said-{place}"),
                origin=STATED,
                event_time=day,
                state=RecordState.ACTIVE if is_last else RecordState.SUPERSEDED,
                superseded_by=NO_RECORD if is_last else RecordId(f"said-{place + 1}"),
                reason=None if is_last else SupersededReason.CORRECTION,
                valid_until=None if is_last else day + timedelta(days=1),
            )
            puts.append(RecordPut(record=record))
        return Draft(result=None, steps=tuple(puts))

    for text in talk.beside:
        await tell(house, text)
    await house.collections.commit(ADA, steps)


async def prompt(house: House, question: str) -> str:
    command = AssembleContext(input=question, collection=ADA, token_budget=1_000, observe=True)
    return (await assemble_context(house, command)).prompt


class Told(NamedTuple):
    """A house in which a talk was kept."""

    house: House
    talk: Talk


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["en", "zh"])
async def told(request: pytest.FixtureRequest) -> AsyncIterator[Told]:
    talk = {"en": ENGLISH, "zh": CHINESE}[request.param]
    async with open_house() as house:
        await take_back(house, talk)
        yield Told(house, talk)


async def test_a_correction_is_found_by_what_it_corrects(told: Told) -> None:
    found = await retrieve_facts(told.house, RetrieveFacts(key=ADA, query=told.talk.question, top_k=1))

    (best,) = [one.record for one, _ in found.found]
    assert (best.content, best.context) == (told.talk.said[1], told.talk.said[0])


async def test_in_a_prompt_it_stands_behind_what_it_corrects_which_stands_nowhere_else(told: Told) -> None:
    old, correction = told.talk.said

    (line,) = [each for each in (await prompt(told.house, told.talk.question)).splitlines() if old in each]

    assert line.endswith(correction)


async def test_a_correction_that_fits_better_by_itself_stands_alone(told: Told) -> None:
    correction = told.talk.said[1]

    found = await retrieve_facts(told.house, RetrieveFacts(key=ADA, query=correction, top_k=1))

    assert [(one.record.content, one.record.context) for one, _ in found.found] == [(correction, "")]


async def test_as_of_a_time_what_held_then_is_found(told: Told) -> None:
    then = TOLD + timedelta(hours=1)

    assert told.talk.said[0] in await facts(told.house, told.talk.question, as_of=then)


async def test_what_was_taken_back_twice_leads_to_the_last_word_and_what_is_deleted_nowhere() -> None:
    said = (*CHINESE.said, "等等，还是周六吧。")
    async with open_house() as house:
        await take_back(house, CHINESE._replace(said=said))

        (line,) = [each for each in (await prompt(house, CHINESE.question)).splitlines() if said[2] in each]
        await delete_records(house, DeleteRecords(key=ADA, record_ids=(RecordId("said-0"),)))

        assert [line.index(each) for each in said] == sorted(line.index(each) for each in said)
        assert said[0] not in await prompt(house, CHINESE.question)
