"""The pool of aggregates that one process has in memory: single-flight loading, a memory budget, eviction, rest.

Law: at most one `HeldAggregate` and one `Writer` per aggregate and process. An aggregate leaves memory only
when no call reads, writes, follows or rebuilds it.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from core.aggregate.aggregate import Aggregate
from core.aggregate.kind import Kind, Kinds
from core.keys import Key
from core.ports.index_cache import IndexCache
from core.ports.store import Store
from service.holding.eviction import EvictionOrder
from service.holding.held import HeldAggregate, Holding
from service.holding.loading import load
from service.holding.writer import Journal, Writer
from service.process.allocator import give_back
from service.process.collector import Collector
from service.process.shielding import shielded

LAST_SAVES = 5.0  # seconds for the snapshots that are due when the process ends
UNREAD_SECONDS = 600.0  # then a conversation rests; its next reader waits as for a load
QUIET_SECONDS = 20.0  # without a read or a write: a pause of some tenths of a second holds up no call
LARGE = 50_000_000  # bytes of an aggregate whose load leaves much to give back


class Pool:
    """Aggregates of every kind, each loaded once: one memory budget, one order of eviction."""

    def __init__(
        self, kinds: Kinds, store: Store, cache: IndexCache | None, journal: Journal, holding: Holding
    ) -> None:
        self.changed: Callable[[Aggregate[Any]], None] = lambda _: None  # called after each writer's work
        self._kinds = kinds
        self._store = store
        self._cache = cache
        self._journal = journal
        self._holding = holding
        self._open: dict[Key, HeldAggregate] = {}
        self._writers: dict[HeldAggregate, Writer] = {}
        self._loading: dict[Key, asyncio.Task[HeldAggregate]] = {}
        self._order = EvictionOrder(self._open)
        self._size = 0  # bytes of all that is open, as each was last counted
        self._collector = Collector()
        self._now = asyncio.get_running_loop().time

    # ---- what is there ----

    def find(self, key: Key) -> HeldAggregate | None:
        """Returns the aggregate if it is in memory; it may be `gone`."""
        return self._open.get(key)

    def all(self) -> list[HeldAggregate]:
        """Returns what is in memory now. Any thread may call it."""
        return list(self._open.values())

    @property
    def size(self) -> int:
        """Bytes of all aggregates, as each was last counted."""
        return self._size

    @property
    def queued(self) -> int:
        """Commands that wait for their writers. Any thread may call it."""
        return sum(writer.queued for writer in list(self._writers.values()))

    # ---- coming and going ----

    async def get(self, key: Key) -> HeldAggregate:
        """Returns the aggregate, awake: loads it, once for all that wait, where it is not in memory. Raises the kind's
        not-found error."""
        held = self._open.get(key)
        if held is not None and not held.gone:
            if held.aggregate.rests:
                await held.wake()
                self._count(held)
            return held
        loading = self._loading.get(key)
        if loading is None:
            loading = self._loading[key] = asyncio.create_task(self._load(key))
        return await shielded(loading)

    async def _load(self, key: Key) -> HeldAggregate:
        asked = self._now()
        kind = self._kinds[key.kind]
        try:
            with self._collector.held_off() as made:
                loaded = await load(kind, key, self._store, self._cache, self._holding.tuning)
                made.items = 0 if loaded is None else loaded.items
        finally:
            is_current = self._loading.get(key) is asyncio.current_task()
            if is_current:
                del self._loading[key]
        if not is_current:  # what was read may be from before the key's founding or purge
            return await self.get(key)
        if loaded is None:
            self.drop(key)
            raise kind.missing(key)
        if loaded.size > LARGE:
            await asyncio.to_thread(give_back)
        return self.admit(kind, loaded, asked)

    def outdate_load(self, key: Key) -> None:
        """Has a load of the key that is under way begin again: it may have read what the store had before."""
        self._loading.pop(key, None)

    def admit(self, kind: Kind[Any, Any], aggregate: Aggregate[Any], confirmed: float) -> HeldAggregate:
        """Takes an aggregate in, in the place of another one of its key; evicts others if it does not fit."""
        if (other := self._open.get(aggregate.key)) is not None:
            other.leave()  # another process purged it: nothing that follows would ever tell its watchers
        self.drop(aggregate.key)
        held = HeldAggregate(kind, aggregate, confirmed, self._store, self._cache, self._holding)
        self._open[aggregate.key] = held
        self._order.add(held)
        held.compact()
        self._evict(held)
        return held

    def drop(self, key: Key) -> None:
        """Lets go of an aggregate; a writer still at work answers the calls that wait for it."""
        held = self._open.pop(key, None)
        if held is not None:
            self._size -= held.size
            held.let_go()
            self._writers.pop(held, None)

    def _evict(self, keep: HeldAggregate) -> None:
        """Drops idle aggregates, longest unread first, until the rest fits the budget. `keep` has just grown."""
        self._count(keep)
        if self._size <= self._holding.memory_budget:
            return
        spared: list[HeldAggregate] = []
        while self._size > self._holding.memory_budget and (held := self._order.pop()) is not None:
            self._count(held)
            writer = self._writers.get(held)
            if held is not keep and held.is_idle and (writer is None or writer.is_idle):
                self.drop(held.aggregate.key)
            else:
                spared.append(held)
        for held in spared:
            self._order.add(held)

    def _count(self, held: HeldAggregate) -> None:
        """Measures an aggregate anew, if it is still in memory."""
        if self._open.get(held.aggregate.key) is held:
            size = held.aggregate.size
            self._size += size - held.size
            held.size = size

    # ---- writers ----

    def writer(self, held: HeldAggregate) -> Writer:
        """Returns the one writer of an aggregate."""
        writer = self._writers.get(held)
        if writer is None:
            writer = Writer(held, self._journal, lambda: self._written(held))
            if self._open.get(held.aggregate.key) is held:
                self._writers[held] = writer
        return writer

    def _written(self, held: HeldAggregate) -> None:
        """Takes note that a writer has worked off its queue."""
        self._evict(held)
        if not held.gone:
            self.changed(held.aggregate)

    # ---- upkeep ----

    async def rest_unread(self) -> None:
        """Has aggregates that were last read a while ago let go of what can be made again."""
        last = self._now() - UNREAD_SECONDS
        for held in [each for each in self._open.values() if each.looked_at < each.used < last]:
            writer = self._writers.get(held)
            if not held.gone and (writer is None or writer.is_idle):
                held.rest()
                self._count(held)
                await asyncio.sleep(0)  # each takes a millisecond or two

    async def collect(self) -> None:
        """Has cycles collected that outlived what they were part of, when nothing has been read for a while."""
        quiet = self._now() - QUIET_SECONDS
        is_idle = all(held.used < quiet and not held.pins for held in self._open.values())
        self._collector.look_again(is_idle=is_idle)

    async def close(self) -> None:
        """Waits until writers and compactions have finished; nothing is left half done."""
        for held in list(self._open.values()):
            if (writer := self._writers.get(held)) is not None:
                await writer.finished()
            await held.compacted()
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_SAVES):
                for held in list(self._open.values()):
                    await held.saved(now=True)
        for held in self._open.values():
            held.let_go()
