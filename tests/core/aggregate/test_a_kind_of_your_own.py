"""A new kind of memory, from nothing: what it must say of itself, and what it is given for it."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from core.aggregate.codec import StepCodec
from core.aggregate.kind import Kind
from core.aggregate.parts import Effect, ItemDrop, ItemPut, Part, PartsAggregate
from core.aggregate.step import Step
from core.ids import Tenant
from core.ports.aggregates import Draft
from service.adapters.memory_blobs import MemoryBlobs
from service.adapters.store.memory_store import MemoryStore
from service.adapters.store.sqlite_store import SqliteStore
from service.adapters.system_clock import SystemClock
from service.adapters.ulid_ids import UlidIds
from service.holding.held import Holding
from service.holding.open import OpenAggregates

# ---- forty lines: a list of things to buy ----


@dataclass(frozen=True, slots=True, kw_only=True)
class ListKey:
    kind: ClassVar[str] = "shopping"
    tenant: Tenant
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRecord:
    key: ListKey
    uid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    what: str
    amount: int


THINGS = Part(name="things", of=Thing)


class ShoppingStep(Step):
    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPut(ShoppingStep):
    record: ListRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class ThingPut(ShoppingStep):
    thing: Thing

    def effects(self) -> list[Effect]:
        return [ItemPut(part=THINGS, item=self.thing.what, value=self.thing)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThingDrop(ShoppingStep):
    what: str

    def effects(self) -> list[Effect]:
        return [ItemDrop(part=THINGS, item=self.what)]


class ShoppingList(PartsAggregate[ListRecord, ShoppingStep]):
    """What is to be bought, by its name."""


SHOPPING: Kind[ShoppingList, ShoppingStep] = Kind(
    name=ListKey.kind,
    key_of=lambda tenant, name: ListKey(tenant=tenant, name=name),
    steps=StepCodec(ShoppingStep),
    puts=ListPut,
    found=ShoppingList.found,
    load=ShoppingList.load,
    parts=(THINGS,),
)
ShoppingList.kind = SHOPPING
# ---- that was all of it ----

KINDS = {SHOPPING.name: SHOPPING}

# ---- what it is given ----

KEY = ListKey(tenant=Tenant("acme"), name="周末")


def opened(store: SqliteStore | MemoryStore) -> OpenAggregates:
    return OpenAggregates(KINDS, store, MemoryBlobs(), SystemClock(), UlidIds(), Holding())


def putting(what: str, amount: int) -> Draft[None]:
    return Draft(result=None, steps=(ThingPut(thing=Thing(what=what, amount=amount)),))


async def test_a_kind_is_durable_followed_and_purged_without_a_line_in_any_store(tmp_path: Path) -> None:
    path = tmp_path / "lists.db"
    here, there = await SqliteStore.open(path, kinds=KINDS), await SqliteStore.open(path, kinds=KINDS)
    one, other = opened(here), opened(there)

    record = ListRecord(key=KEY, uid="u1")
    await one.found(KEY, Draft(result=None, steps=(ListPut(record=record),)))
    await one.commit(KEY, lambda _list, _revision: putting("茶", 2))
    async with other.reading(KEY, 2) as followed:
        assert followed.parts["things"] == {"茶": Thing(what="茶", amount=2)}
    await other.commit(KEY, lambda _list, _revision: putting("bread", 1))
    last = await one.commit(
        KEY, lambda _list, _revision: Draft(result=None, steps=(ThingDrop(what="茶"),), erase=True)
    )

    async with one.reading(KEY, last.revision) as current:
        state = current.state()
    assert state == await here.load(KEY)
    assert list(state.parts["things"]) == ["bread"]
    counts, _ = await one.delete(KEY)
    assert counts.items == {"things": 1}
    for closing in (one, other, here, there):
        await closing.close()


async def test_the_store_in_memory_keeps_it_just_so() -> None:
    store = MemoryStore(KINDS)
    lists = opened(store)
    await lists.found(KEY, Draft(result=None, steps=(ListPut(record=ListRecord(key=KEY, uid="u1")),)))
    await lists.commit(KEY, lambda _list, _revision: putting("茶", 2))

    async with lists.reading(KEY) as current:
        assert current.state() == await store.load(KEY)
    await lists.close()
