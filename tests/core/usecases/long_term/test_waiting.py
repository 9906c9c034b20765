"""StoreFact with `wait`: the call's own fact is judged between two others, or the answer says that it is not yet."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from core.agents.offline.agents import offline_agents
from core.usecases.house import House
from core.usecases.long_term.verbs.add_record import AddRecord
from core.usecases.long_term.verbs.store_fact import FactStored, StoreFact, store_fact
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.held_comparer import HeldComparer
from tests.support.house import open_house
from tests.support.long_term import ADA, new, tell

BOATS = 30


@pytest.fixture
def comparer() -> HeldComparer:
    return HeldComparer(free="Otto")


@pytest.fixture
async def house(comparer: HeldComparer) -> AsyncIterator[House]:
    embedder = HashingEmbedder()
    async with open_house(embedder=embedder, agents=offline_agents(embedder, comparer)) as house:
        yield house


async def stored_waiting(house: House, content: str, until: float | None = None) -> FactStored:
    command = StoreFact(adding=AddRecord(key=ADA, record=new(content)), wait=True, until=until)
    return await store_fact(house, command)


async def unjudged(house: House) -> int:
    async with house.collections.reading(ADA) as collection:
        return len(collection.unjudged)


@pytest.mark.parametrize("content", ["Otto's boat lies at pier 7.", "Otto 的船停在七号码头。"])
async def test_its_own_fact_is_judged_while_others_wait(
    house: House, comparer: HeldComparer, content: str
) -> None:
    for n in range(BOATS):
        await tell(house, f"Boat {n} lies at pier 7, 船停在七号码头.")
    await comparer.asked.wait()
    comparer.is_open.set()  # until the fact's own turn

    stored = await stored_waiting(house, content)

    (kept,) = stored.kept.records
    assert kept.record is not None
    assert kept.record.judged
    assert await unjudged(house) > 0


async def test_when_its_time_is_up_the_fact_is_stored_and_not_judged_yet(
    house: House, comparer: HeldComparer
) -> None:
    await tell(house, "Boat 1 lies at pier 7.")
    now = asyncio.get_running_loop().time()

    stored = await stored_waiting(house, "Boat 2 lies at pier 7.", until=now)

    (kept,) = stored.kept.records
    assert kept.record is not None
    assert (kept.record.judged, stored.contested_ids) == (False, ())
    assert await unjudged(house) == 2


async def test_what_was_not_judged_in_time_is_judged_later(house: House, comparer: HeldComparer) -> None:
    await tell(house, "Boat 1 lies at pier 7.")
    await stored_waiting(house, "Boat 2 lies at pier 7.", until=asyncio.get_running_loop().time())

    comparer.is_open.set()
    await house.chores.finished(ADA, "judge")

    assert await unjudged(house) == 0
