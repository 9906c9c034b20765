"""What a given clock does to memories: they fade, expire, and are pruned."""

from datetime import timedelta

import pytest

from core.errors import RecordNotFound
from core.ids import RecordId
from core.long_term.due import SWEEP, due
from core.model.record import RecordKind, Recovery
from core.usecases.house import House
from core.usecases.long_term.sweep import sweep
from core.usecases.long_term.verbs.get_record import GetRecord, get_record
from core.usecases.long_term.verbs.record_recovery import RecordRecovery, record_recovery
from core.usecases.long_term.verbs.report_outcome import ReportOutcome, report_outcome
from core.usecases.long_term.verbs.retrieve_memories import RetrieveMemories, retrieve_memories
from core.usecases.long_term.verbs.update_collection import UpdateCollection, update_collection
from tests.support.house import TickingClock, open_house
from tests.support.long_term import ADA, facts, stored, tell, told


def skip(house: House, **time: float) -> None:
    assert isinstance(house.clock, TickingClock)
    house.clock.skip(timedelta(**time))


async def test_a_memory_of_work_counts_half_after_ninety_days_and_a_preference_as_ever() -> None:
    async with open_house() as house:
        await tell(house, "Deploy with the blue script.", kind=RecordKind.MEMORY, category="work")
        await tell(house, "Prefers the blue script.", kind=RecordKind.MEMORY, category="preference")
        skip(house, days=90)

        found = await retrieve_memories(house, RetrieveMemories(key=ADA, query="blue script"))

        decays = {one.record.category: one.decay for one, _ in found.found}
        assert decays == {"work": pytest.approx(0.5, abs=1e-6), "preference": 1.0}


async def test_what_has_expired_is_not_found_and_is_swept_away() -> None:
    async with open_house() as house:
        kept = await tell(house, "The ticket is valid today.", ttl=timedelta(hours=8))
        await told(house, "The ticket office is in the hall.")
        skip(house, hours=9)

        seen = await facts(house, "ticket")
        with pytest.raises(RecordNotFound):
            await get_record(house, GetRecord(key=ADA, record_id=kept.kept.record_ids[0]))
        async with house.collections.reading(ADA) as collection:
            assert SWEEP in due(collection, house.clock.now())
        gone = await sweep(house, ADA)

        assert seen == ["The ticket office is in the hall."]
        assert gone == 1
        async with house.collections.reading(ADA) as collection:
            assert not collection.tombstones  # nobody asked for it to be forgotten
            assert collection.record.due_time is None


async def test_what_has_expired_is_new_when_it_is_told_again_before_it_is_swept_away() -> None:
    async with open_house(unasked=False) as house:
        said, named = "The ticket is valid today.", RecordId("r1")
        first = await tell(house, said, ttl=timedelta(hours=8))
        await tell(house, "The gate is B7.", record_id=named, ttl=timedelta(hours=8))
        skip(house, hours=9)

        again = await tell(house, said)
        await tell(house, "The gate is C2.", record_id=named)
        await sweep(house, ADA)

        assert not again.kept.known
        assert again.kept.record_ids != first.kept.record_ids
        async with house.collections.reading(ADA) as collection:
            assert {record.content for record in collection.records.values()} == {said, "The gate is C2."}


async def test_a_weak_strategy_is_pruned_when_it_was_not_used_for_thirty_days() -> None:
    async with open_house() as house:
        record_ids = []
        for tool in ("search", "fetch", "parse"):
            mended = Recovery(
                error_type="E", tool=tool, message="m", original_json='{"a": 1}', fixed_json='{"a": 2}'
            )
            kept = await record_recovery(house, RecordRecovery(key=ADA, recovery=mended))
            record_ids.append(kept.kept.record_ids[0])
        weak, used, strong = record_ids
        for _ in range(4):  # 0.7 × 0.8⁴ < 0.3
            await report_outcome(house, ReportOutcome(key=ADA, record_ids=(weak, used), succeeded=False))
        skip(house, days=29)
        house.uses.count(ADA, [used], house.clock.now())
        await house.uses.flush(house.collections)
        assert await sweep(house, ADA) == 0
        skip(house, days=2)

        assert await sweep(house, ADA) == 1

        async with house.collections.reading(ADA) as collection:
            assert set(collection.records) == {used, strong}


async def test_uses_are_written_down_now_and_then_and_add_up() -> None:
    async with open_house() as house:
        kept = await tell(house, "The stapler is red.")
        record_id: RecordId = kept.kept.record_ids[0]
        for _ in range(3):
            await facts(house, "stapler")
        async with house.collections.reading(ADA) as collection:
            before = collection.uses.get(record_id)
        await house.uses.flush(house.collections)
        await facts(house, "stapler")
        await house.uses.flush(house.collections)

        async with house.collections.reading(ADA) as collection:
            assert before is None
            assert collection.uses[record_id].count == 4
            assert (await stored(house, record_id)).revision == 2  # a use is no edit
        assert len(house.uses) == 0


async def test_a_collection_s_retention_holds_for_what_is_there_already() -> None:
    async with open_house() as house:
        await tell(house, "The meeting room is booked.")
        skip(house, days=3)
        short = UpdateCollection(key=ADA, fields=frozenset({"retention"}), retention=timedelta(days=2))
        await update_collection(house, short)

        assert await facts(house, "meeting room") == []
        assert await sweep(house, ADA) == 1


async def test_a_fact_that_a_call_stores_again_counts_from_then() -> None:
    async with open_house() as house:
        first = await tell(house, "The ferry leaves at nine.")
        skip(house, days=30)
        await tell(house, "The ferry leaves at nine.")
        record = await stored(house, first.kept.record_ids[0])

    assert record.update_time - record.create_time >= timedelta(days=30)
