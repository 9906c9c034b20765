"""Reflections that a collection keeps up by itself."""

from collections.abc import Sequence
from dataclasses import replace

from core.agents.offline.recalling import OfflineReflector
from core.agents.recall_roles import ReflectedRecord, ReflectionOpinion
from core.ids import RecordId, ReflectionId
from core.long_term.due import REFLECT_AFTER
from core.model.record import MOST_REFLECTED, STRATEGY, RecordKind, Reflection
from core.usecases.house import House
from core.usecases.long_term.judging.reflect import reflect
from core.usecases.long_term.verbs.delete_records import DeleteRecords, delete_records
from core.usecases.long_term.verbs.delete_reflection import DeleteReflection, delete_reflection
from core.usecases.long_term.verbs.generate_reflection import GenerateReflection, generate_reflection
from core.usecases.long_term.verbs.put_records import Put, PutRecords, put_records
from tests.support.house import open_house
from tests.support.long_term import ADA, new

MOST_ASKED = 3
"""How often a Reflector is asked before a test takes it for asked without end."""


class CountingReflector(OfflineReflector):
    """Counts how often it is asked."""

    asked = 0

    async def reflect(
        self, title: str, category: str, records: Sequence[ReflectedRecord]
    ) -> ReflectionOpinion:
        self.asked += 1
        assert self.asked <= MOST_ASKED, "the chore does not end"
        return await super().reflect(title, category, records)


async def put_lessons(house: House, numbers: range, confidence: float) -> None:
    puts = [
        Put(
            record=new(
                f"Look at pier {number} before the ferry leaves.",
                RecordKind.MEMORY,
                category=STRATEGY,
                record_id=RecordId(f"r{number:03}"),
                confidence=confidence,
            ),
            rated=True,
        )
        for number in numbers
    ]
    await put_records(house, PutRecords(key=ADA, puts=tuple(puts)))


class DeletingReflector(OfflineReflector):
    """Has a caller delete what it is asked to write anew."""

    house: House | None = None
    deletes = ReflectionId("")

    async def reflect(
        self, title: str, category: str, records: Sequence[ReflectedRecord]
    ) -> ReflectionOpinion:
        if (house := self.house) is not None:
            await delete_reflection(house, DeleteReflection(key=ADA, reflection_id=self.deletes))
        return await super().reflect(title, category, records)


async def test_a_reflection_that_is_deleted_while_it_is_made_anew_stays_deleted() -> None:
    reflector = DeletingReflector()
    async with open_house(unasked=False) as house:
        house = replace(house, recall_agents=replace(house.recall_agents, reflector=reflector))
        await put_lessons(house, range(3), confidence=0.5)
        asked = GenerateReflection(key=ADA, title="Piers", category=STRATEGY)
        made = (await generate_reflection(house, asked)).reflection
        assert made is not None
        await delete_records(house, DeleteRecords(key=ADA, record_ids=(RecordId("r000"),)))
        reflector.house, reflector.deletes = house, made.reflection_id

        await reflect(house, ADA)

        async with house.collections.reading(ADA) as collection:
            assert not collection.reflections


async def kept_up(house: House) -> Reflection:
    async with house.collections.reading(ADA) as collection:
        (made,) = collection.reflections.values()
        return made


async def test_more_lessons_than_a_reflection_has_room_for_are_reflected_on_once() -> None:
    reflector = CountingReflector()
    async with open_house(unasked=False) as house:
        house = replace(house, recall_agents=replace(house.recall_agents, reflector=reflector))
        await put_lessons(house, range(MOST_REFLECTED + REFLECT_AFTER), confidence=0.5)

        await reflect(house, ADA)

        assert reflector.asked == 1
        assert len((await kept_up(house)).record_ids) == MOST_REFLECTED


async def test_a_full_reflection_is_made_anew_of_lessons_that_weigh_more() -> None:
    reflector = CountingReflector()
    async with open_house(unasked=False) as house:
        house = replace(house, recall_agents=replace(house.recall_agents, reflector=reflector))
        await put_lessons(house, range(MOST_REFLECTED), confidence=0.5)
        await reflect(house, ADA)
        lighter = range(MOST_REFLECTED, MOST_REFLECTED + REFLECT_AFTER)
        heavier = range(lighter.stop, lighter.stop + REFLECT_AFTER)

        await put_lessons(house, lighter, confidence=0.4)
        await reflect(house, ADA)
        after_lighter = reflector.asked
        await put_lessons(house, heavier, confidence=0.9)
        await reflect(house, ADA)

        assert (after_lighter, reflector.asked) == (1, 2)
        assert {f"r{number:03}" for number in heavier} <= set((await kept_up(house)).record_ids)
