"""Banks that leave memory: which goes first, when, and that nothing of it stays."""

import asyncio
import gc
import itertools
import random
import weakref
from types import SimpleNamespace
from typing import Any

import pytest

from core.aggregate.aggregate import Tuning
from core.bank.bank import Bank
from core.errors import BankNotFound
from core.ids import NodeId
from core.index.compiled_vectors import VectorSettings
from service.adapters.store.memory_store import MemoryStore
from service.holding import held as held_bank
from service.holding.eviction import FEW, EvictionOrder
from service.holding.held import Holding
from tests.support.changes import KEY, key
from tests.support.open_banks import adding, founding, founding_many, founding_with, opened


async def test_idle_banks_leave_memory_when_the_budget_is_full_and_come_back_on_demand() -> None:
    store = MemoryStore()
    async with opened(store, Holding(memory_budget=1)) as banks:
        keys = [key(f"bank-{n}") for n in range(3)]
        for n, one in enumerate(keys):
            await banks.found(one, founding(one, f"u{n}"))
            await banks.commit(one, adding(f"n{n}"))

        assert len(banks.held()) == 1
        for n, one in enumerate(keys):
            async with banks.reading(one) as bank:
                assert list(bank.nodes) == [f"n{n}"]


async def test_the_bank_that_was_not_read_for_longest_leaves_first() -> None:
    keys = [key(f"bank-{n}") for n in range(3)]
    async with opened(MemoryStore()) as banks:
        await banks.found(KEY, founding())
        async with banks.reading(KEY) as bank:
            size = bank.size
    async with opened(MemoryStore(), Holding(memory_budget=5 * size // 2)) as banks:
        for n, one in enumerate(keys[:2]):
            await banks.found(one, founding(one, f"u{n}"))
        async with banks.reading(keys[0]):
            pass

        await banks.found(keys[2], founding(keys[2], "u2"))

        assert banks.held() == [keys[0], keys[2]]


async def test_what_leaves_is_the_longest_unread_whatever_was_read_purged_and_founded_before() -> None:
    chance, clock = random.Random(3), itertools.count()
    held = {
        f"bank-{n}": SimpleNamespace(aggregate=SimpleNamespace(key=key(f"bank-{n}")), used=0.0)
        for n in range(40)
    }
    open_: dict[Any, Any] = {}
    order = EvictionOrder(open_)
    for _ in range(3_000):
        each = chance.choice(list(held.values()))
        at = each.aggregate.key
        match chance.randrange(8):
            case 0 if open_:
                longest = min(open_, key=lambda one: open_[one].used)
                assert order.pop() is open_[longest]
                del open_[longest]
            case 1:
                open_.pop(at, None)  # purged
            case _ if at in open_:
                each.used = float(next(clock))
            case _:
                open_[at], each.used = each, float(next(clock))
                order.add(each)  # type: ignore[arg-type]

    assert len(order._heap) <= 2 * len(held) + FEW + 1


async def test_short_tails_are_compiled_once_a_bank_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_bank, "REST_SECONDS", 0.05)
    tuning = Tuning(vectors=VectorSettings(exact_up_to=40))
    async with opened(MemoryStore(), Holding(tuning=tuning)) as banks:
        await banks.found(KEY, founding_with(50))
        async with banks.reading(KEY) as bank, asyncio.timeout(180):
            await compiled(bank, 50)

            for number in range(12):  # more than a quarter of 40, less than 40
                await banks.commit(KEY, adding(f"later-{number}"))
            await compiled(bank, 62)

            assert len(bank.node_vectors) == 62


async def compiled(bank: Bank, nodes: int) -> None:
    """Wait until so many are no tail any more."""
    while len(bank.node_vectors.snapshot().keys) < nodes:  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0)


async def test_a_bank_in_use_stays_in_memory_whatever_the_budget() -> None:
    store = MemoryStore()
    async with opened(store, Holding(memory_budget=1)) as banks:
        await banks.found(KEY, founding())
        async with banks.reading(KEY) as bank:
            other = key("other")
            await banks.found(other, founding(other, "u2"))

            assert set(banks.held()) == {KEY, other}
            await banks.commit(KEY, adding("n1"))
            assert NodeId("n1") in bank.nodes


async def test_a_bank_that_leaves_memory_goes_at_once_collector_or_not() -> None:
    store, gone = MemoryStore(), []
    async with opened(store, Holding(memory_budget=1)) as banks:
        await banks.found(KEY, founding_many())
        gc.disable()
        try:
            async with banks.reading(KEY) as bank:
                gone.append(weakref.ref(bank))
            await banks.commit(KEY, adding("later"))
            del bank
            await banks.found(key("other"), founding(key("other"), "u2"))
            await banks.delete(key("other"))

            assert banks.held() == []
            assert gone[0]() is None
        finally:
            gc.enable()


async def test_the_collector_is_on_again_after_loads() -> None:
    store = MemoryStore()
    async with opened(store) as banks:
        for name in ("one", "two"):
            await banks.found(key(name), founding_many(key(name)))

        async with banks.reading(key("one")), banks.reading(key("two")):
            assert gc.isenabled()
        with pytest.raises(BankNotFound):
            async with banks.reading(key("none")):
                pass

    assert gc.isenabled()
