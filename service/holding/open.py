"""Banks in memory: opening, single-flight loading, fresh reads, founding, purging, watching, eviction.

Law: at most one `HeldBank` and one `BankWriter` per bank and process. A bank leaves memory only when
nobody reads, writes, follows or rebuilds it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

import structlog

from core.aggregate.change import Head, Vector
from core.bank.bank import Bank
from core.bank.steps import BankChange, BankPut
from core.errors import (
    BankExists,
    BankNotFound,
    HeadMoved,
    MemoryBankError,
    RevisionNotReached,
    StaleRevision,
    StoreUnavailable,
)
from core.ids import BankKey, InteractionId, SegmentRef
from core.ports.aggregates import Committed, Draft, RequestKey, Result
from core.ports.blobs import Blobs
from core.ports.clock import Clock, Ids
from core.ports.index_cache import IndexCache
from core.ports.store import PurgeCounts, Store
from service.holding.held import FEED_PAGE, LARGE_TEXT, HeldBank, Holding, load, text_length
from service.holding.writer import BankWriter, Ledger
from service.process.allocator import give_back
from service.process.collector import Collector

LAST_SAVES = 5.0  # seconds for the snapshots that are due when the process ends
LARGE = 50_000_000  # bytes of a bank whose load leaves much to give back
PORTION = 4_000  # steps to one change of a bank that is founded with many

Done = TypeVar("Done")

log = structlog.get_logger(__name__)


class _Reading:
    """A bank that stays in memory while somebody reads it."""

    __slots__ = ("_banks", "_held", "_key", "_min_revision")

    def __init__(self, banks: "OpenBanks", key: BankKey, min_revision: int) -> None:
        self._banks, self._key, self._min_revision = banks, key, min_revision

    async def __aenter__(self) -> Bank:
        held = self._banks.at_hand(self._key, self._min_revision)
        if held is None:
            held = await self._banks.fresh(self._key, self._min_revision)
        self._held = held
        return held.being_read()

    async def __aexit__(self, *_: object) -> None:
        self._held.was_read()


class OpenBanks:
    """The `Banks` port over a store."""

    def __init__(
        self,
        store: Store,
        blobs: Blobs,
        clock: Clock,
        ids: Ids,
        holding: Holding,
        cache: IndexCache | None = None,
        forget: Callable[[], None] = lambda: None,
    ) -> None:
        """`cache` keeps what spares later loads their work, none by default. `forget` is called after a purge, for
        what else may remember the bank's texts."""
        self._cache = cache
        self._forget_texts = forget
        self._store = store
        self._blobs = blobs
        self._ledger = Ledger(store=store, clock=clock, ids=ids)
        self._holding = holding
        self._open: dict[BankKey, HeldBank] = {}
        self._writers: dict[HeldBank, BankWriter] = {}
        self._loading: dict[BankKey, asyncio.Task[HeldBank]] = {}
        self._size = 0  # bytes of the open banks, as each was last counted
        self._collector = Collector()
        self._now = asyncio.get_running_loop().time

    # ---- reading ----

    def reading(self, key: BankKey, min_revision: int = 0) -> "_Reading":
        """See the port."""
        return _Reading(self, key, min_revision)

    def at_hand(self, key: BankKey, min_revision: int) -> HeldBank | None:
        """The bank if there is nothing to wait for: it is in memory, and fresh enough as it stands."""
        held = self._open.get(key)
        if held is None or held.gone or min_revision:
            return None
        return held if self._now() - held.confirmed <= self._holding.max_staleness else None

    async def fresh(self, key: BankKey, min_revision: int) -> HeldBank:
        """The bank, confirmed recently enough, and at least at `min_revision`."""
        asked = self._now()
        held = await self._get(key)
        stale = min_revision > held.bank.revision or asked - held.confirmed > self._holding.max_staleness
        if stale or (min_revision and held.confirmed < asked and not await held.belongs_to_its_id()):
            await held.follow()
        if held.gone:
            held = await self._get(key)  # deleted, perhaps created again
        if min_revision > held.bank.revision:
            raise RevisionNotReached(min_revision, held.bank.revision)
        return held

    async def _get(self, key: BankKey) -> HeldBank:
        held = self._open.get(key)
        if held is not None and not held.gone:
            return held
        loading = self._loading.get(key)
        if loading is None:
            loading = self._loading[key] = asyncio.create_task(self._load(key))
            loading.add_done_callback(lambda _: self._loading.pop(key, None))
        return await asyncio.shield(loading)

    async def _load(self, key: BankKey) -> HeldBank:
        asked = self._now()
        with self._collector.held_off() as made:
            bank = await load(key, self._store, self._cache, self._holding.tuning)
            made.items = 0 if bank is None else len(bank.nodes) + bank.tree.segment_count
        if bank is None:
            self._drop(key)
            raise BankNotFound(key.bank_id)
        if bank.size > LARGE:
            await asyncio.to_thread(give_back)
        return self._admit(bank, asked)

    def _admit(self, bank: Bank, confirmed: float) -> HeldBank:
        self._drop(bank.key)
        held = self._open[bank.key] = HeldBank(bank, confirmed, self._store, self._cache, self._holding)
        held.compact()
        self._evict(held)
        return held

    def _drop(self, key: BankKey) -> None:
        """Let go of a bank; a writer still at work answers those who wait for it."""
        held = self._open.pop(key, None)
        if held is not None:
            self._size -= held.size
            held.let_go()
            self._writers.pop(held, None)

    def _writer(self, held: HeldBank) -> BankWriter:
        writer = self._writers.get(held)
        if writer is None:
            writer = BankWriter(held, self._ledger, lambda: self._evict(held))
            if self._open.get(held.bank.key) is held:
                self._writers[held] = writer
        return writer

    def _evict(self, keep: HeldBank) -> None:
        """Let go of idle banks, longest unread first, until the rest fits the budget. `keep` has just grown."""
        self._count(keep)
        if self._size <= self._holding.memory_budget:
            return
        for held in sorted(self._open.values(), key=lambda each: each.used):
            self._count(held)
            if self._size <= self._holding.memory_budget:
                return
            writer = self._writers.get(held)
            if held is not keep and held.is_idle and (writer is None or writer.is_idle):
                self._drop(held.bank.key)

    def _count(self, held: HeldBank) -> None:
        if self._open.get(held.bank.key) is held:
            size = held.bank.size
            self._size += size - held.size
            held.size = size

    async def confirm_recent(self) -> None:
        """Confirm the heads of recently read banks in one query."""
        horizon = self._now() - 2 * self._holding.max_staleness
        recent = [held for held in self._open.values() if held.used > horizon or held.pins]
        if not recent:
            return
        asked = self._now()
        heads = await self._store.heads([held.bank.key for held in recent])
        for held in recent:
            try:
                await self._confirm(held, heads.get(held.bank.key), asked)
            except MemoryBankError as failure:  # this one's own: the others are none the worse for it
                log.warning("a bank not followed", bank_id=held.bank.key.bank_id, error=str(failure))

    async def _confirm(self, held: HeldBank, head: Head | None, asked: float) -> None:
        if head == held.bank.head:
            held.confirmed = max(held.confirmed, asked)
            await held.fetch_vectors()
        else:
            await held.follow()

    async def sweep(self) -> None:
        """Remove the snapshots of banks that are no more: purged elsewhere, or as a process died."""
        if self._cache is None:
            return
        owners = await self._cache.owners()
        heads = await self._store.heads([key for key, _ in owners])
        for key, uid in owners:
            if (head := heads.get(key)) is None or head.uid != uid:
                await self._cache.delete_bank(key, uid)

    # ---- writing ----

    async def found(
        self, key: BankKey, draft: Draft[Result], request: RequestKey | None = None, revision: int = 1
    ) -> Committed[Result]:
        """See the port."""
        if (
            request is not None
            and (known := await self._ledger.known(key, request, type(draft.result))) is not None
        ):
            return known
        if not draft.steps or not isinstance(draft.steps[0], BankPut):
            raise TypeError("a bank is founded by a draft whose first step is BankPut")
        uid = draft.steps[0].record.uid
        changes = self._founding(draft, request, revision)
        try:
            await self._shielded(self._store.append(key, uid, changes))
        except (BankExists, HeadMoved):
            if request is not None and (known := await self._ledger.known(key, request, type(draft.result))):
                return known  # the same request, twice at once: the other one made it
            raise BankExists(key.bank_id) from None
        if len(changes) == 1 and text_length(draft.steps) <= LARGE_TEXT:
            # A larger bank is loaded, off the loop, by whoever reads it first.
            self._admit(Bank.found(changes[0], uid, self._holding.tuning), self._now())
        return Committed(result=draft.result, revision=changes[-1].revision)

    def _founding(self, draft: Draft[Any], request: RequestKey | None, revision: int) -> list[BankChange]:
        """The first changes of a bank: one, or several of bearable size that end at `revision` or later."""
        portions = [draft.steps[i : i + PORTION] for i in range(0, len(draft.steps), PORTION)]
        first = max(1, revision - len(portions) + 1)
        changes: list[BankChange] = []
        for number, steps in enumerate(portions, start=first):
            parent = changes[-1].change_id if changes else None
            last = len(changes) == len(portions) - 1
            changes.append(
                self._ledger.change(parent, number, replace(draft, steps=steps), request if last else None)
            )
        return changes

    async def commit(
        self,
        key: BankKey,
        stage: Callable[[Bank, int], Draft[Result]],
        request: RequestKey | None = None,
        answer: type[Result] | None = None,
    ) -> Committed[Result]:
        """See the port."""
        held = await self._get(key)
        try:
            return await self._writer(held).commit(stage, request, answer)
        except BankNotFound:
            if not held.gone:
                raise
        held = await self._get(key)  # another bank bears the id by now, or none
        return await self._writer(held).commit(stage, request, answer)

    async def keep_segment_vectors(
        self, key: BankKey, uid: str, vectors: Mapping[SegmentRef, Vector]
    ) -> None:
        """See the port."""
        await self._store.put_segment_vectors(key, uid, vectors)
        held = self._open.get(key)
        if held is not None and held.bank.uid == uid:
            held.bank.put_segment_vectors(vectors)
            held.compact()

    async def delete(
        self, key: BankKey, uid: str | None = None, if_revision: int | None = None
    ) -> tuple[PurgeCounts, int]:
        """See the port."""
        while True:
            head = (await self._store.heads([key])).get(key)
            if head is None or uid not in (None, head.uid):
                raise BankNotFound(key.bank_id)
            if if_revision not in (None, head.revision):
                raise StaleRevision(if_revision or 0, head.revision)
            try:
                return await self._shielded(self._delete(key, head.uid, if_revision)), head.revision
            except HeadMoved:
                continue  # it changed between our look and the purge

    async def _delete(self, key: BankKey, uid: str, revision: int | None) -> PurgeCounts:
        counts = await self._store.delete(key, uid, revision)
        # It is gone: whatever fails from here on, nobody finds it in memory.
        self._forget_texts()
        held = self._open.get(key)
        if held is not None and held.bank.uid == uid:
            held.leave()
            self._drop(key)
            await held.saved()
        await self._forget_indexes(key, uid)
        return replace(counts, files_removed=await self._blobs.delete_bank(key, uid))

    async def _forget_indexes(self, key: BankKey, uid: str) -> None:
        if self._cache is not None:
            try:
                await self._cache.delete_bank(key, uid)
            except StoreUnavailable as failure:  # the next sweep tries again
                log.warning("index snapshots of a purged bank not removed", error=str(failure))

    async def watch(self, key: BankKey, after: int) -> AsyncIterator[BankChange]:
        """See the port."""
        held = await self.fresh(key, 0)
        uid = held.bank.uid
        if after > held.bank.revision:
            raise RevisionNotReached(after, held.bank.revision)
        held.pins += 1
        try:
            while True:
                moved = held.moved
                while changes := await self._store.changes(key, uid, after, FEED_PAGE):
                    for change in changes:
                        yield change
                        after = change.revision
                if held.gone:
                    raise BankNotFound(key.bank_id)
                if after >= held.bank.revision:
                    await held.moves(moved)
        finally:
            held.pins -= 1

    def unembedded(self) -> list[tuple[BankKey, InteractionId]]:
        """See the port."""
        return [(key, i) for key, held in self._open.items() for i in held.bank.unembedded()]

    def held(self) -> list[BankKey]:
        """The banks in memory now."""
        return list(self._open)

    async def close(self) -> None:
        """Let writers and compactions finish; nothing is left half done."""
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

    async def _shielded(self, act: Coroutine[Any, Any, Done]) -> Done:
        """See an act through, whoever stops waiting for it."""
        return await asyncio.shield(asyncio.create_task(act))
