"""A full collection: what comes by itself takes the place of the weakest that no user said, and of nothing else."""

from dataclasses import replace
from datetime import timedelta

from core.ids import RecordId
from core.model.record import NO_RECORD, Origin, Record, RecordKind
from core.ports.aggregates import RequestKey
from core.usecases.house import House
from core.usecases.limits import Limits
from core.usecases.long_term.judging.keep_found import FoundKept, KeepFound, keep_found
from core.usecases.long_term.verbs.delete_records import DeleteRecords, delete_records
from core.usecases.long_term.verbs.generate_reflection import GenerateReflection, generate_reflection
from core.usecases.long_term.verbs.get_collection import GetCollection, get_collection
from core.usecases.long_term.verbs.give_feedback import GiveFeedback, give_feedback
from core.usecases.user.permission import permission_to_write
from tests.support.house import open_house, request
from tests.support.long_term import ADA, tell

FULL = Limits(records_per_collection=4)


def found(
    house: House,
    content: str,
    origin: Origin = Origin.OBSERVED,
    confidence: float = 0.6,
    category: str = "life",
) -> Record:
    now = house.clock.now()
    return Record(
        record_id=NO_RECORD,
        kind=RecordKind.FACT,
        category=category,
        content=content,
        confidence=confidence,
        event_time=now,
        create_time=now,
        update_time=now,
        valid_from=now,
        origin=origin,
    )


def lesson(house: House, content: str, confidence: float = 0.5) -> Record:
    made = found(house, content, Origin.DISTILLED, confidence, category="strategy")
    return replace(made, kind=RecordKind.MEMORY)


async def keep(house: House, *records: Record, name: str) -> FoundKept:
    permission = await permission_to_write(house, ADA)
    command = KeepFound(
        key=ADA,
        records=records,
        permission=permission,
        requires=(permission.writer(),),
        request=asked(name),
    )
    return (await keep_found(house, command)).result


def asked(name: str) -> RequestKey:
    return request(name, verb="ExtractFacts")


async def contents(house: House) -> set[str]:
    async with house.collections.reading(ADA) as collection:
        return {record.content for record in collection.records.values()}


async def test_the_weakest_of_what_no_user_said_gives_way_without_a_tombstone() -> None:
    async with open_house(unasked=False, limits=FULL) as house:
        await tell(house, "My sister Anna lives in Lyon.")
        weak, strong = (
            found(house, "Ferry 7 costs 42 EUR.", confidence=0.2),
            found(house, "Pier 3 is closed."),
        )
        said = found(house, "User: I live in Rome.", Origin.STATED, confidence=0.1)
        await keep(house, weak, strong, said, name="r1")
        kept = await keep(house, found(house, "我对花生过敏。", Origin.STATED), name="r2")
        async with house.collections.reading(ADA) as collection:
            tombstones = len(collection.tombstones)

        assert len(kept.fact_ids) == 1
        assert await contents(house) == {
            "My sister Anna lives in Lyon.",
            "User: I live in Rome.",
            "Pier 3 is closed.",
            "我对花生过敏。",
        }
    assert tombstones == 0


async def test_what_has_faded_gives_way_before_what_is_fresh() -> None:
    async with open_house(unasked=False, limits=FULL) as house:
        old = (lesson(house, f"Build {n} first.", confidence=0.6) for n in range(2))
        await keep(house, *old, name="r1")
        house.clock.skip(timedelta(days=365))  # type: ignore[attr-defined]
        fresh = (lesson(house, f"Build {n} first.", confidence=0.3) for n in (7, 8))
        await keep(house, *fresh, name="r2")
        await keep(house, lesson(house, "Build 9 first."), name="r3")

        assert len(await contents(house)) == 4
        assert {"Build 7 first.", "Build 8 first.", "Build 9 first."} <= await contents(house)


async def test_where_users_and_calls_said_everything_the_new_one_is_not_kept() -> None:
    async with open_house(unasked=False, limits=FULL) as house:
        for n in range(4):
            await tell(house, f"Room {n} is blue.")
        before = await contents(house)
        kept = await keep(house, found(house, "I like tea.", Origin.STATED), name="r1")

        assert kept.fact_ids == ()
        assert await contents(house) == before


async def without_room(house: House) -> int:
    return (await get_collection(house, GetCollection(key=ADA))).counts.without_room


async def test_what_finds_no_room_is_counted_once_until_all_finds_some() -> None:
    async with open_house(unasked=False, limits=FULL) as house:
        kept = [await tell(house, f"Room {n} is blue.") for n in range(4)]
        counts = [await without_room(house)]
        for name in ("r1", "r1"):  # the same finding again is the same
            await keep(house, found(house, "I like tea."), found(house, "我喜欢喝茶。"), name=name)
            counts.append(await without_room(house))
        await keep(house, found(house, "Room 1 is blue."), name="r2")  # it is known, and needs none
        counts.append(await without_room(house))
        await delete_records(house, DeleteRecords(key=ADA, record_ids=kept[0].kept.record_ids))
        for name, words in (("r3", ("I like figs.", "我喜欢无花果。")), ("r4", ("I like plums.",))):
            await keep(house, *(found(house, each, Origin.STATED) for each in words), name=name)
            counts.append(await without_room(house))
        left = [*kept[1].kept.record_ids, *kept[2].kept.record_ids]
        await delete_records(house, DeleteRecords(key=ADA, record_ids=tuple(left)))
        await keep(house, found(house, "I like plums."), name="r5")
        counts.append(await without_room(house))

    assert counts == [0, 2, 2, 2, 3, 4, 0]


async def test_opinions_and_reflections_go_with_what_gives_way_or_are_made_anew() -> None:
    async with open_house(unasked=False, limits=FULL) as house:
        weak, strong = (
            found(house, "Ferry 7 costs 42 EUR.", confidence=0.2),
            found(house, "Pier 3 is closed."),
        )
        kept = await keep(house, weak, strong, name="r1")
        gone, stays = kept.fact_ids
        await give_feedback(house, GiveFeedback(key=ADA, record_ids=(gone,), value=-1.0))
        made = await generate_reflection(
            house, GenerateReflection(key=ADA, title="Ferries", category="life", record_ids=(gone, stays))
        )
        await keep(house, *(found(house, f"I like tea {n}.", Origin.STATED) for n in range(3)), name="r2")
        async with house.collections.reading(ADA) as collection:
            feedback, records = len(collection.feedback), set(collection.records)
            assert made.reflection is not None
            reflection = collection.reflections[made.reflection.reflection_id]

    assert RecordId(gone) not in records
    assert feedback == 0
    assert reflection.record_ids == (stays,)
    assert reflection.text == ""


async def test_many_at_once_keep_as_many_as_find_room() -> None:
    async with open_house(unasked=False, limits=FULL) as house:
        await tell(house, "Room 1 is blue.")
        kept = await keep(
            house, *(found(house, f"I like tea {n}.", Origin.STATED) for n in range(9)), name="r1"
        )
        again = await keep(
            house, *(found(house, f"I like tea {n}.", Origin.STATED) for n in range(9)), name="r1"
        )

        assert len(kept.fact_ids) == 3
        assert again == kept
        assert len(await contents(house)) == 4


async def test_a_found_fact_is_new_where_the_known_one_has_expired_and_is_not_swept_away() -> None:
    async with open_house(unasked=False) as house:
        await tell(house, "The ticket is valid today.", ttl=timedelta(hours=8))
        house.clock.skip(timedelta(hours=9))  # type: ignore[attr-defined]
        kept = await keep(house, replace(found(house, "The ticket is valid today.")), name="r1")
        async with house.collections.reading(ADA) as collection:
            (record_id,) = kept.fact_ids
            record = collection.records[record_id]

    assert record.ttl is None
    assert record.origin is Origin.OBSERVED
