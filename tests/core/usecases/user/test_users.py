"""Users: founded by the first write, switched off, purged whole."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from core.agents.usage import charge
from core.errors import AgentReplyInvalid, BankNotFound, LimitReached, MemoryOff, StaleRevision, UserNotFound
from core.ids import BankId, Collection, ConversationId, Tenant, User
from core.keys import BankKey, ConversationKey, UserKey
from core.model.user import UserState
from core.ports.aggregates import Draft
from core.ports.chat import ChatReply
from core.usecases.bank.record import Context
from core.usecases.bank.verbs.create_bank import CreateBank, create_bank
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.conversation.verbs.create_conversation import CreateConversation, create_conversation
from core.usecases.house import House
from core.usecases.spending import commit
from core.usecases.user.count_tokens import write_tokens
from core.usecases.user.get_user import GetUser, get_user
from core.usecases.user.permission import new_user, permission_of, permission_to_write
from core.usecases.user.update_user import UpdateUser, update_user
from core.usecases.whole_user.purge_user import PurgeUser, UserPurged, carry_on, purge_user
from core.user.steps import UserPut
from service.adapters.store.memory_store import MemoryStore
from service.adapters.store.sqlite_store import SqliteStore
from tests.support.house import open_house

ACME = Tenant("acme")
ADA = UserKey(tenant=ACME, user=User("王明 / ada"))


@pytest.fixture(params=["memory", "sqlite"])
async def house(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[House]:
    store = MemoryStore() if request.param == "memory" else await SqliteStore.open(tmp_path / "m.db")
    async with open_house(store=store) as opened:
        yield opened
    await store.close()


async def bank_of(house: House, name: str, user: str) -> BankKey:
    await create_bank(house, CreateBank(tenant=ACME, bank_id=BankId(name), user=user))
    return BankKey(tenant=ACME, bank_id=BankId(name))


async def test_the_first_write_founds_a_user_and_later_ones_find_it(house: House) -> None:
    asked = await asyncio.gather(*(permission_to_write(house, ADA) for _ in range(5)))
    first, *others = [permission.writer() for permission in asked]

    assert {require.uid for require in others} == {first.uid}
    seen = await get_user(house, GetUser(key=ADA))
    assert (seen.record.user, seen.record.enabled, seen.counts) == (ADA.user, True, {})


async def test_nothing_is_known_of_a_user_for_whom_nothing_was_written(house: House) -> None:
    with pytest.raises(UserNotFound):
        await get_user(house, GetUser(key=ADA))


async def test_a_user_switched_off_is_not_written_for_until_switched_on(house: House) -> None:
    bank = await bank_of(house, "b1", ADA.user)

    off = await update_user(house, UpdateUser(key=ADA, fields={"enabled"}, enabled=False))
    with pytest.raises(MemoryOff):
        (await permission_of(house, ADA)).require_on()
    with pytest.raises(MemoryOff):
        await memorize(house, Memorize(key=bank, context=Context(text="The ferry leaves at nine.")))
    with pytest.raises(MemoryOff):
        await bank_of(house, "b2", ADA.user)
    on = await update_user(house, UpdateUser(key=ADA, fields={"enabled"}, enabled=True))

    assert (off.result.generation, on.result.generation) == (1, 1)
    await memorize(house, Memorize(key=bank, context=Context(text="The ferry leaves at nine.")))


async def test_a_write_staged_before_the_switch_does_not_land_after_it(house: House) -> None:
    require = (await permission_to_write(house, ADA)).writer()
    await update_user(house, UpdateUser(key=ADA, fields={"enabled"}, enabled=False))

    other = new_user(house, replace(ADA, user=User("bob")))
    draft = Draft(result=None, steps=(UserPut(record=other),), requires=(require,))
    with pytest.raises(MemoryOff):
        await house.users.found(other.key, draft)

    with pytest.raises(UserNotFound):
        await get_user(house, GetUser(key=other.key))


async def test_a_quota_bounds_what_is_founded_and_none_is_the_configured_limit(house: House) -> None:
    quotas = {"conversation": 1}
    await update_user(house, UpdateUser(key=ADA, fields={"quotas"}, quotas=quotas))

    await begin(house, "c1")
    with pytest.raises(LimitReached) as refused:
        await begin(house, "c2")
    await update_user(house, UpdateUser(key=ADA, fields={"quotas"}))
    await begin(house, "c2")

    assert (refused.value.limit, refused.value.allowed) == ("quotas.conversation", 1)


async def begin(house: House, name: str) -> None:
    wanted = CreateConversation(
        tenant=ACME, user=ADA.user, conversation_id=ConversationId(name), collection=Collection("")
    )
    await create_conversation(house, wanted)


async def test_settings_read_stale_are_refused(house: House) -> None:
    await permission_to_write(house, ADA)
    await update_user(house, UpdateUser(key=ADA, fields={"enabled"}, enabled=True))

    with pytest.raises(StaleRevision):
        await update_user(
            house, UpdateUser(key=ADA, fields={"retention"}, retention=timedelta(days=1), if_revision=1)
        )


async def test_a_purge_takes_all_of_the_user_and_nothing_of_others(house: House) -> None:
    mine = [await bank_of(house, f"mine-{number}", ADA.user) for number in range(3)]
    theirs = await bank_of(house, "theirs", "bob")
    await permission_to_write(house, ADA)

    purged = await purge_user(house, PurgeUser(key=ADA, include_banks=True))

    assert purged.aggregates == {"bank": 3}
    assert await purge_user(house, PurgeUser(key=ADA, include_banks=True)) == UserPurged()
    with pytest.raises(UserNotFound):
        await get_user(house, GetUser(key=ADA))
    assert set(await house.store.heads([*mine, theirs])) == {theirs}


async def test_banks_stay_unless_they_are_asked_for(house: House) -> None:
    bank = await bank_of(house, "b1", ADA.user)

    await purge_user(house, PurgeUser(key=ADA))

    assert bank in await house.store.heads([bank])


async def test_a_purge_cut_short_is_gone_on_with(house: House) -> None:
    bank = await bank_of(house, "b1", ADA.user)
    record = replace(
        new_user(house, ADA), state=UserState.PURGING, purge_banks=True, due_time=house.clock.now()
    )
    await house.users.found(ADA, Draft(result=None, steps=(UserPut(record=record),)))

    await house.chores.take_up()
    await house.chores.finished(ADA, "purge")

    assert await house.store.heads([ADA, bank]) == {}
    with pytest.raises(BankNotFound):
        async with house.banks.reading(bank):
            pass
    assert await carry_on(house, ADA) == UserPurged()


async def test_work_in_the_background_brings_no_purged_user_back(house: House) -> None:
    with pytest.raises(UserNotFound):
        (await permission_of(house, ADA)).tender()

    assert await house.store.heads([ADA]) == {}


async def test_what_models_cost_is_counted_for_the_user_whatever_becomes_of_it(house: House) -> None:
    talk = ConversationKey(tenant=ACME, user=ADA.user, conversation_id=ConversationId("c1"))
    bank = await bank_of(house, "b1", ADA.user)
    await permission_to_write(house, ADA)
    before = await get_user(house, GetUser(key=ADA))
    with house.workshop.ledger(talk).spending("summariser"):
        charge(ChatReply(text="", input_tokens=100, output_tokens=20))
    with suppress(AgentReplyInvalid), house.workshop.ledger(talk).spending("extractor"):
        charge(ChatReply(text="", input_tokens=10, output_tokens=2))
        raise AgentReplyInvalid("extractor", "not JSON")
    ledger = house.workshop.ledger(bank)
    with ledger.spending("judge"):
        charge(ChatReply(text="", input_tokens=1_000, output_tokens=0))
    await commit(house, bank, lambda _bank, _revision: Draft(result=None), ledger)
    waiting = await get_user(house, GetUser(key=ADA))
    await write_tokens(house)
    await write_tokens(house)
    written = await get_user(house, GetUser(key=ADA))
    update = UpdateUser(key=ADA, fields=frozenset({"enabled"}), enabled=False, if_revision=before.revision)

    assert [seen.record.tokens_spent for seen in (before, waiting, written)] == [0, 1_132, 1_132]
    assert (waiting.revision, written.revision) == (before.revision, before.revision + 1)
    assert (await update_user(house, update)).result.tokens_spent == 1_132  # counting is nobody's edit


async def test_tokens_of_a_user_who_was_purged_are_not_brought_back(house: House) -> None:
    talk = ConversationKey(tenant=ACME, user=ADA.user, conversation_id=ConversationId("c1"))
    await permission_to_write(house, ADA)
    with house.workshop.ledger(talk).spending("summariser"):
        charge(ChatReply(text="", input_tokens=100, output_tokens=20))
    await purge_user(house, PurgeUser(key=ADA))
    await write_tokens(house)

    with pytest.raises(UserNotFound):
        await get_user(house, GetUser(key=ADA))
