"""One round of upkeep: what was left is taken up, what has run out is purged."""

from dataclasses import replace
from datetime import datetime, timedelta
from time import monotonic

import pytest

from core.errors import BankNotFound
from core.ids import RequestId
from core.model.insight import CompletedTask
from core.model.interaction import TaskStatus
from core.usecases.bank.record import Context
from core.usecases.bank.verbs.get_bank import GetBank, get_bank
from core.usecases.bank.verbs.memorize import Memorize, Wait, memorize
from core.usecases.bank.verbs.update_bank import UpdateBank, update_bank
from core.usecases.bank.verbs.update_insight import UpdateInsight, update_insight
from core.usecases.upkeep.store_time import StoreTime
from service.adapters.store.memory_store import MemoryStore
from service.assembly.upkeep import one_round, trim
from service.settings.memories import BanksSection
from tests.support.house import KEY, make_bank, open_house, request

DONE = CompletedTask(task_id="t1", type="SOLVE", description="it", status=TaskStatus.SUCCEEDED)  # type: ignore[arg-type]


async def test_a_finished_bank_goes_when_its_time_is_over() -> None:
    async with open_house() as house:
        await make_bank(house)
        await update_bank(house, UpdateBank(key=KEY, fields={"ttl"}, ttl=timedelta()))
        await one_round(house, BanksSection())
        await get_bank(house, GetBank(key=KEY))  # it has not finished yet
        await update_insight(house, UpdateInsight(key=KEY, completed=(DONE,), pending=()))

        await one_round(house, BanksSection())

        with pytest.raises(BankNotFound):
            await get_bank(house, GetBank(key=KEY))


async def test_a_finished_bank_without_a_time_of_its_own_is_kept_for_the_configured_one() -> None:
    async with open_house() as house:
        await make_bank(house)
        await update_insight(house, UpdateInsight(key=KEY, completed=(DONE,), pending=()))

        await one_round(house, BanksSection(finished_ttl_hours=1))

        assert (await get_bank(house, GetBank(key=KEY))).record.finish_time is not None


async def test_what_another_process_left_is_structured() -> None:
    store = MemoryStore()
    async with open_house(store=store) as house:
        await make_bank(house)
        await memorize(house, Memorize(key=KEY, context=Context(text="一件事。"), wait=Wait.STORED))
        await house.workshop.close()  # the process dies before it is structured

        await one_round(house, BanksSection(resume_after_seconds=1e-6))

        (left,) = await store.leftovers(10)
        assert house.workshop.is_running(KEY, left.interaction_id)


@pytest.mark.parametrize("ahead", [timedelta(hours=25), timedelta(days=10)])
async def test_a_process_whose_clock_is_ahead_forgets_nothing_that_is_fresh(ahead: timedelta) -> None:
    class Ahead:
        def now(self) -> datetime:
            return house.clock.now() + ahead

    told: list[timedelta] = []
    async with open_house() as house:
        await make_bank(house)
        await update_insight(
            house, UpdateInsight(key=KEY, completed=(DONE,), pending=(), request=request("r1"))
        )
        await StoreTime(house.clock, house.store, told.append, monotonic).look()
        wrong = StoreTime(Ahead(), house.store, told.append, monotonic)
        await wrong.look()

        await one_round(replace(house, clock=Ahead(), time=wrong), BanksSection())
        await trim(replace(house, clock=Ahead(), time=wrong), BanksSection())

        uid = (await get_bank(house, GetBank(key=KEY))).record.uid
        assert [change.revision for change in await house.store.changes(KEY, uid, 0, 10)] == [1, 2]
        assert len(await house.store.requests(KEY, [RequestId("r1")])) == 1
        assert [round(one / ahead) for one in told] == [1]
