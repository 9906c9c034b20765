"""What a writer answers without an append rests on the stored bank too, not on an older one in memory."""

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from core.aggregate.change import Head
from core.bank.bank import Bank
from core.bank.steps import NodeDrop
from core.errors import NodeExists
from core.keys import Key
from core.ports.aggregates import Draft
from service.adapters.store.memory_store import MemoryStore
from service.holding.held import Holding
from tests.support.changes import KEY
from tests.support.open_banks import adding, founding, opened

LASTING = Holding(max_staleness=3_600)


class Asked(MemoryStore):
    """A store that counts how often it is asked for heads."""

    times = 0

    async def heads(self, keys: Sequence[Key]) -> Mapping[Key, Head]:
        self.times += 1
        return await super().heads(keys)


def unchanging(bank: Bank, revision: int) -> Draft[list[str]]:
    return Draft(result=sorted(bank.nodes))


def emptying(bank: Bank, revision: int) -> Draft[list[str]]:
    """Drops what nodes there are."""
    steps = tuple(NodeDrop(node_id=node_id) for node_id in bank.nodes)
    return Draft(result=sorted(bank.nodes), steps=steps, sees_all=True)


async def test_a_writer_refuses_nothing_that_fits_the_stored_bank() -> None:
    store = MemoryStore()
    async with opened(store) as one, opened(store, LASTING) as two:
        await one.found(KEY, founding())
        for _ in range(10):
            await two.commit(KEY, adding("n"))
            await one.commit(KEY, emptying)

            await two.commit(KEY, adding("n"))
            with pytest.raises(NodeExists):
                await two.commit(KEY, adding("n"))

            await one.commit(KEY, emptying)


async def test_an_answer_that_nothing_is_to_be_changed_is_of_the_stored_bank() -> None:
    store = MemoryStore()
    async with opened(store) as one, opened(store, LASTING) as two:
        await one.found(KEY, founding())
        assert (await two.commit(KEY, emptying)).result == []
        await one.commit(KEY, adding("n"))

        told = await two.commit(KEY, unchanging)
        emptied = await two.commit(KEY, emptying)

        assert (told.result, told.revision) == (["n"], 2)
        assert (emptied.result, emptied.revision) == (["n"], 3)


async def test_a_refusal_costs_one_look_at_the_store_and_a_write_none() -> None:
    store = Asked()
    async with opened(store) as banks:
        await banks.found(KEY, founding())
        await banks.commit(KEY, adding("n1"))
        before = store.times

        await banks.commit(KEY, adding("n2"))
        assert store.times == before
        with pytest.raises(NodeExists):
            await banks.commit(KEY, adding("n2"))

        assert store.times == before + 1


async def test_commands_that_come_as_others_are_refused_are_staged_again_with_them() -> None:
    store = MemoryStore()
    async with opened(store) as one, opened(store, LASTING) as two:
        await one.found(KEY, founding())
        await two.commit(KEY, adding("n1"))
        await one.commit(KEY, emptying)

        done = await asyncio.gather(*(two.commit(KEY, adding(f"n{n}")) for n in range(4)))

        assert sorted(each.revision for each in done) == [4, 5, 6, 7]
        async with one.reading(KEY, 7) as bank:
            assert sorted(bank.nodes) == ["n0", "n1", "n2", "n3"]
