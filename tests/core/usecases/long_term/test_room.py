"""How much a collection takes, and what its ids are free for."""

from datetime import timedelta

import pytest

from core.errors import LimitReached
from core.ids import RecordId
from core.long_term.unlearning import Selection
from core.model.record import RecordKind
from core.usecases.house import House
from core.usecases.limits import Limits
from core.usecases.long_term.verbs.close_retraction import CloseRetraction, close_retraction
from core.usecases.long_term.verbs.put_records import Put, PutRecords, put_records
from core.usecases.long_term.verbs.retract_records import RetractRecords, retract_records
from core.usecases.long_term.verbs.update_record import UpdateRecord, update_record
from tests.support.house import TickingClock, open_house
from tests.support.long_term import ADA, new, stored, tell

NOTE = RecordId("note")
SMALL = Limits(collection_bytes=1_000)


async def put(house: House, content: str, detail: str = "") -> None:
    record = new(content, RecordKind.MEMORY, record_id=NOTE, detail=detail)
    await put_records(house, PutRecords(key=ADA, puts=(Put(record=record),)))


async def test_a_record_that_is_there_does_not_grow_beyond_the_room_of_its_collection() -> None:
    async with open_house(limits=SMALL, unasked=False) as house:
        await put(house, "渡轮九点开。")

        with pytest.raises(LimitReached, match="collection_bytes"):
            await put(house, "渡轮九点开。", detail="x" * 1_001)
        with pytest.raises(LimitReached, match="collection_bytes"):
            await update_record(house, UpdateRecord(key=ADA, record_id=NOTE, given={"detail": "x" * 1_001}))
        await put(house, "The ferry leaves at ten.", detail="x" * 100)
        await put(house, "At ten.")

        assert (await stored(house, NOTE)).content == "At ten."


async def test_the_id_of_an_expired_fact_is_free_for_a_put() -> None:
    async with open_house(unasked=False) as house:
        await tell(house, "The ferry leaves at nine.", record_id=NOTE, ttl=timedelta(hours=1))
        assert isinstance(house.clock, TickingClock)
        house.clock.skip(timedelta(hours=2))

        await put(house, "The ferry leaves at ten.")

        standing = await stored(house, NOTE)
    assert (standing.kind, standing.content) == (RecordKind.MEMORY, "The ferry leaves at ten.")


async def test_a_release_counts_what_came_back() -> None:
    async with open_house(unasked=False) as house:
        await tell(house, "The ferry leaves at nine.", record_id=NOTE, source="mail")
        await tell(house, "The pier is closed.", source="mail")
        taking = RetractRecords(key=ADA, chosen=Selection(source="mail"), retraction_id="x1")
        await retract_records(house, taking)
        await tell(house, "The ferry leaves at ten.", record_id=NOTE)

        done = await close_retraction(house, CloseRetraction(key=ADA, retraction_id="x1", erases=False))

        standing = await stored(house, NOTE)
    assert done.result.records == 1
    assert standing.content == "The ferry leaves at ten."
