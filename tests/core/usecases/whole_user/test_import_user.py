"""An import of a user that is cut short, wherever, leaves nothing; and none is written to as it comes."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from core.errors import LimitReached, MemoryOff, StoreUnavailable, UserNotFound
from core.ids import Collection, ConversationId, Tenant, User
from core.keys import ConversationKey, UserKey
from core.model.conversation import ConversationRecord, Turn
from core.model.user import UserState
from core.ports.aggregates import Draft
from core.usecases.bank.verbs.create_bank import CreateBank, create_bank
from core.usecases.conversation.verbs.list_turns import PlacedTurn
from core.usecases.house import House
from core.usecases.limits import Limits
from core.usecases.user.get_user import GetUser, get_user
from core.usecases.user.permission import new_user, permission_to_write
from core.usecases.user.update_user import UpdateUser, update_user
from core.usecases.whole_user.import_user import ImportUser, import_user
from core.usecases.whole_user.purge_user import PurgeUser, purge_user
from core.usecases.whole_user.user_lines import Piece, ReadLine
from core.user.steps import UserPut
from service.adapters.store.memory_store import MemoryStore
from tests.support.house import open_house

ACME = Tenant("acme")
ADA = UserKey(tenant=ACME, user=User("王明 / ada"))
THEN = datetime(2026, 3, 1, tzinfo=UTC)
TALKS = 3


async def talks() -> AsyncIterator[Piece]:
    """Three conversations of a turn each."""
    for number in range(TALKS):
        path = f"conversations/c{number}.jsonl"
        key = ConversationKey(tenant=ACME, user=ADA.user, conversation_id=ConversationId(f"c{number}"))
        record = ConversationRecord(
            key=key,
            uid="",
            user=ADA.user,
            collection=Collection(""),
            create_time=THEN,
            update_time=THEN,
        )
        turn = Turn(step=1, input="渡轮九点开。", reply="Noted.", event_time=THEN, create_time=THEN)
        yield ReadLine(path=path, line=1, value=record)
        yield ReadLine(path=path, line=2, value=PlacedTurn(turn=turn))


async def claim_nothing_is_there(house: House) -> None:
    with pytest.raises(UserNotFound):
        await get_user(house, GetUser(key=ADA))
    assert not await house.store.keys_of_user(ACME, ADA.user, include_banks=True, limit=9)


class Failing(MemoryStore):
    """A store whose append fails once, the `nth`; or waits there until it is let."""

    def __init__(self, nth: int, *, waits: bool = False) -> None:
        super().__init__()
        self.left, self.waits = nth, waits
        self.reached, self.let = asyncio.Event(), asyncio.Event()

    async def append(self, *given: Any, **others: Any) -> None:
        self.left -= 1
        if self.left == 0 and not self.waits:
            raise StoreUnavailable("the disk is full")
        if self.left == 0:
            self.reached.set()
            await self.let.wait()
        await super().append(*given, **others)


@pytest.mark.parametrize("nth", range(1, TALKS + 3))
async def test_an_import_that_fails_at_any_write_leaves_nothing(nth: int) -> None:
    async with open_house(store=Failing(nth), unasked=False) as house:
        with pytest.raises(StoreUnavailable):
            await import_user(house, ImportUser(key=ADA), talks())

        await claim_nothing_is_there(house)


@pytest.mark.parametrize("nth", [1, 3, TALKS + 2])
async def test_an_import_that_is_left_at_any_write_leaves_nothing(nth: int) -> None:
    store = Failing(nth, waits=True)
    async with open_house(store=store, unasked=False) as house:
        before = asyncio.all_tasks()
        importing = asyncio.create_task(import_user(house, ImportUser(key=ADA), talks()))
        await store.reached.wait()

        importing.cancel()
        await asyncio.sleep(0)
        store.let.set()
        await asyncio.wait(asyncio.all_tasks() - before)

        assert importing.cancelled()
        await claim_nothing_is_there(house)


async def test_what_an_import_left_as_its_process_died_is_removed_by_another() -> None:
    async with open_house() as house:
        await create_bank(house, CreateBank(tenant=ACME, bank_id="b1", user=ADA.user))  # type: ignore[arg-type]
        record = replace(new_user(house, ADA), state=UserState.IMPORTING, due_time=house.clock.now())
        await house.users.found(ADA, Draft(result=None, steps=(UserPut(record=record),)))

        await house.chores.take_up()
        await house.chores.finished(ADA, "abandon")

        await claim_nothing_is_there(house)


async def test_no_call_writes_for_a_user_who_is_being_imported() -> None:
    store = Failing(TALKS + 2, waits=True)
    async with open_house(store=store, unasked=False) as house:
        importing = asyncio.create_task(import_user(house, ImportUser(key=ADA), talks()))
        await store.reached.wait()

        with pytest.raises(MemoryOff):
            (await permission_to_write(house, ADA)).writer()
        updating = asyncio.create_task(update_user(house, UpdateUser(key=ADA, fields={"enabled"})))
        store.let.set()
        done = await importing

        assert (done.result.aggregates, done.result.rows) == ({"conversation": TALKS}, {"turns": TALKS})
        assert (await updating).result.state is UserState.ACTIVE  # its turn came when the import had ended
        assert (await permission_to_write(house, ADA)).writer().key == ADA


async def test_a_purge_ends_an_import() -> None:
    store = Failing(3, waits=True)
    async with open_house(store=store, unasked=False) as house:
        importing = asyncio.create_task(import_user(house, ImportUser(key=ADA), talks()))
        await store.reached.wait()

        purging = asyncio.create_task(purge_user(house, PurgeUser(key=ADA)))
        store.let.set()
        results: Sequence[Any] = await asyncio.gather(importing, purging, return_exceptions=True)

        assert isinstance(results[0], MemoryOff)
        await claim_nothing_is_there(house)


async def test_an_import_keeps_the_limits() -> None:
    async with open_house(limits=Limits(conversations_per_user=TALKS - 1), unasked=False) as house:
        with pytest.raises(LimitReached) as refused:
            await import_user(house, ImportUser(key=ADA), talks())

        assert refused.value.limit == "conversations_per_user"
        await claim_nothing_is_there(house)
