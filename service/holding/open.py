"""The `Aggregates` port over a store and a pool: fresh reads, founding, writing, purging, watching.

Law: what is read is at least as new as was asked for. A founding or a purge shows in the pool before its call returns.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, TypeVar

import structlog

from core.aggregate.aggregate import Aggregate
from core.aggregate.change import Change, Head
from core.aggregate.kind import Kinds
from core.bank.bank import Bank
from core.errors import (
    AgentReplyInvalid,
    AgentUnavailable,
    AggregateExists,
    AggregateNotFound,
    EmbedderUnavailable,
    MemoryBankError,
    RevisionNotReached,
    RevisionTrimmed,
    StaleRevision,
    StoreUnavailable,
)
from core.ids import InteractionId
from core.internal_errors import HeadMoved, RequirementFailed
from core.keys import BankKey, Key
from core.model.vector import Vector
from core.ports.aggregates import CommitResult, Draft, RequestKey, Result
from core.ports.blobs import Blobs
from core.ports.clock import Clock, Ids
from core.ports.index_cache import IndexCache
from core.ports.store import PurgeCounts, Store
from service.holding.figures import HeldFigures
from service.holding.founding import Founder
from service.holding.held import FEED_PAGE, LARGE_TEXT, HeldAggregate, Holding
from service.holding.pool import Pool
from service.holding.purging import Purger
from service.holding.read_set import READ_SET, ReadSet
from service.holding.writer import Journal
from service.process.shielding import shielded

UNANSWERED_SECONDS = 1.0  # that a read waits for the store before it takes what is old
OUTSIDE = (StoreUnavailable, EmbedderUnavailable, AgentUnavailable, AgentReplyInvalid)  # no state's fault

Done = TypeVar("Done")

log = structlog.get_logger(__name__)


class _Reading:
    """An aggregate that stays in memory while it is read."""

    __slots__ = ("_aggregates", "_held", "_key", "_min_revision")

    def __init__(self, aggregates: "OpenAggregates", key: Key, min_revision: int) -> None:
        self._aggregates, self._key, self._min_revision = aggregates, key, min_revision

    async def __aenter__(self) -> Any:
        held = self._aggregates.at_hand(self._key, self._min_revision)
        if held is None:
            held = await self._aggregates.fresh(self._key, self._min_revision)
        if (reads := READ_SET.get()) is not None:
            reads.add(held)
        self._held = held
        return held.being_read()

    async def __aexit__(self, *_: object) -> None:
        self._held.was_read()


class OpenAggregates:
    """The `Aggregates` port, of every kind, over a store: one memory budget, one order of eviction."""

    def __init__(
        self,
        kinds: Kinds,
        store: Store,
        blobs: Blobs,
        clock: Clock,
        ids: Ids,
        holding: Holding,
        cache: IndexCache | None = None,
        forget: Callable[[], None] = lambda: None,
    ) -> None:
        """`cache` keeps index snapshots, which shorten later loads; none by default. `forget` is called after a purge:
        it clears other caches that may hold the bank's texts."""
        self._kinds = kinds
        self._store = store
        self._journal = Journal(store=store, clock=clock, ids=ids)
        self._founder = Founder(kinds, store, self._journal)
        self._holding = holding
        self._pool = Pool(kinds, store, cache, self._journal, holding)
        self._purger = Purger(store, blobs, self._pool, cache, forget)
        self._confirmed = asyncio.get_running_loop().time()  # when heads were last confirmed
        self._now = asyncio.get_running_loop().time

    def listen(self, changed: Callable[[Aggregate[Any]], None]) -> None:
        """Calls `changed`, on the loop, whenever this process has changed an aggregate."""
        self._pool.changed = changed

    # ---- reading ----

    def reading(self, key: Key, min_revision: int = 0) -> "_Reading":
        """See the port."""
        return _Reading(self, key, min_revision)

    async def record(self, key: Key) -> Any | None:
        """See the port."""
        held = self._pool.find(key)
        if held is None or held.gone:
            return await self._store.record(key)
        return held.aggregate.record

    def at_hand(self, key: Key, min_revision: int) -> HeldAggregate | None:
        """Returns the aggregate if there is nothing to wait for: it is in memory, awake, and fresh enough."""
        held = self._pool.find(key)
        if held is None or held.gone or held.aggregate.rests:
            return None
        if min_revision > held.aggregate.head.revision:  # no later aggregate of the key reuses a revision
            return None
        if not _admits(held):
            return None
        return held if self._now() - held.confirmed <= self._holding.max_staleness else None

    async def fresh(self, key: Key, min_revision: int) -> HeldAggregate:
        """Returns the aggregate, confirmed recently enough, and at least at `min_revision`."""
        asked = self._now()
        held = await self._pool.get(key)
        if min_revision > held.aggregate.head.revision or not _admits(held):
            await held.follow()
        elif asked - held.confirmed > self._holding.max_staleness:
            await self._confirm_or_serve_stale(held)
        if held.gone:
            held = await self._pool.get(key)  # deleted, perhaps created again
        if min_revision > held.aggregate.head.revision:
            raise RevisionNotReached(min_revision, held.aggregate.head.revision)
        return held

    async def _confirm_or_serve_stale(self, held: HeldAggregate) -> None:
        """Follows the store. While it does not answer, a stale aggregate is served for as long as `Holding` allows."""
        if self._now() - held.confirmed > self._holding.stale_when_unavailable:
            await held.follow()
            return
        with suppress(StoreUnavailable, TimeoutError):
            async with asyncio.timeout(UNANSWERED_SECONDS):
                await held.follow()

    async def confirm(self, keys: Sequence[Key]) -> None:
        """See the port."""
        asked = self._now()
        held = (self._pool.find(key) for key in keys)
        old = [each for each in held if each is not None and self._is_old(each, asked)]
        if len(old) > 1:
            with suppress(StoreUnavailable):
                await self._confirm_all(old, asked)

    def _is_old(self, held: HeldAggregate, now: float) -> bool:
        return not held.gone and now - held.confirmed > self._holding.max_staleness

    async def validated(self, call: Callable[[], Awaitable[Done]]) -> Done:
        """See the port."""
        reads = ReadSet(self._now())
        READ_SET.set(reads)
        try:
            return await call()
        except OUTSIDE:
            raise
        except MemoryBankError:
            if reads.has_written or not reads.heads or not await self._store.moved(reads.heads):
                raise
        self.confirm_reads()
        return await call()

    def confirm_reads(self) -> None:
        """See the port."""
        READ_SET.set(ReadSet(self._now(), is_current=True))

    async def confirm_recent(self) -> None:
        """Confirms the heads of what was recently read, in one query."""
        await self._pool.rest_unread()
        horizon = self._now() - 2 * self._holding.max_staleness
        recent = [held for held in self._pool.all() if held.used > horizon or held.pins]
        asked = self._now()
        if not recent:
            self._confirmed = asked
            return
        await self._confirm_all(recent, asked)
        self._confirmed = asked

    async def _confirm_all(self, held: Sequence[HeldAggregate], asked: float) -> None:
        moved = await self._store.moved({each.aggregate.key: each.aggregate.head for each in held})
        for each in held:
            try:
                await self._confirm(each, moved, asked)
            except MemoryBankError as failure:  # of this aggregate alone: the others are followed
                log.warning("not followed", key=each.aggregate.key.name, error=str(failure))

    async def _confirm(self, held: HeldAggregate, moved: Mapping[Key, Head | None], asked: float) -> None:
        key, head = held.aggregate.key, held.aggregate.head
        if key not in moved or moved[key] == head:  # or this process moved it during the query
            held.confirmed = max(held.confirmed, asked)
            await held.fetch_vectors()
        else:
            await held.follow()

    async def sweep(self) -> None:
        """See the purger."""
        await self._purger.sweep()

    # ---- writing ----

    async def found(
        self, key: Key, draft: Draft[Result], request: RequestKey | None = None, revision: int = 1
    ) -> CommitResult[Result]:
        """See the port."""
        kind = self._kinds[key.kind]
        record = kind.record_of(draft.steps[0]) if draft.steps else None
        if record is None:
            raise TypeError("an aggregate is founded by a draft whose first step puts its record")
        try:
            changes = await self._shielded(self._founder.found(key, record, draft, request, revision))
            self._pool.outdate_load(key)
        except (AggregateExists, RequirementFailed):  # it may be this very request that made it
            if (held := self._pool.find(key)) is not None:
                held.confirmed = float("-inf")  # what the store has may be another one
            if request is not None and (known := await self._journal.known(key, request, type(draft.result))):
                return known
            raise
        if len(changes) == 1 and kind.text_length(draft.steps) <= LARGE_TEXT:
            # A larger one is loaded, off the loop, by the first read.
            made = kind.found(changes[0], record.uid, self._holding.tuning)
            self._pool.admit(kind, made, self._now())
            self._pool.changed(made)
        _has_written()
        return CommitResult(result=draft.result, revision=changes[-1].revision, steps=draft.steps)

    async def commit(
        self,
        key: Key,
        stage: Callable[[Any, int], Draft[Result]],
        request: RequestKey | None = None,
        answer: type[Result] | None = None,
    ) -> CommitResult[Result]:
        """See the port."""
        held = await self._pool.get(key)
        try:
            done = await self._pool.writer(held).commit(stage, request, answer)
        except AggregateNotFound:
            if not held.gone:
                raise
            held = await self._pool.get(key)  # the key belongs to another one by now, or to none
            done = await self._pool.writer(held).commit(stage, request, answer)
        _has_written()
        return done

    async def keep_vectors(self, key: Key, uid: str, part: str, vectors: Mapping[Any, Vector]) -> None:
        """See the port."""
        await self._store.put_vectors(key, uid, part, self._holding.tuning.space, vectors)
        held = self._pool.find(key)
        if held is not None and held.aggregate.head.uid == uid:
            held.aggregate.put_vectors(part, vectors)
            held.compact()

    async def values(self, key: Key, uid: str, part: str, items: Sequence[str]) -> Mapping[str, Any]:
        """See the port."""
        return await self._store.values(key, uid, part, items) if items else {}

    async def delete(
        self, key: Key, uid: str | None = None, if_revision: int | None = None
    ) -> tuple[PurgeCounts, int]:
        """See the port."""
        while True:
            head = (await self._store.heads([key])).get(key)
            if head is None and uid is not None:  # a purge cut short, if anything
                return await self._shielded(self._purger.purge(key, uid, None)), 0
            if head is None or uid not in (None, head.uid):
                raise self._kinds[key.kind].missing(key)
            if if_revision not in (None, head.revision):
                raise StaleRevision(if_revision or 0, head.revision)
            _has_written()
            try:
                counts = await self._shielded(self._purger.purge(key, head.uid, if_revision))
                return counts, head.revision + 1
            except HeadMoved:
                continue  # it changed between the look-up and the purge

    async def feed(self, key: Key, revision: int) -> AsyncIterator[Change[Any]]:
        """See the port."""
        head, after = (await self._store.heads([key])).get(key), revision - 1
        while head is not None and after < head.revision:
            try:
                changes = await self._store.changes(key, head.uid, after, FEED_PAGE)
            except (RevisionTrimmed, AggregateNotFound):
                return
            for change in changes:
                yield change
                after = change.revision
            if not changes:
                return

    async def watch(self, key: Key, after: int) -> AsyncIterator[Change[Any]]:
        """See the port. Watching adds no queries: `confirm_recent` follows what is watched, and the latest changes are
        in memory."""
        held = await self.fresh(key, 0)
        uid = held.aggregate.head.uid
        if after > held.aggregate.head.revision:
            raise RevisionNotReached(after, held.aggregate.head.revision)
        while held.aggregate.head.uid == uid:
            held.pins += 1
            try:
                with held.tail.watched():
                    async for change in held.changes(after):
                        yield change
                        after = change.revision
            finally:
                held.pins -= 1
            held = await self.fresh(key, 0)  # it has left memory: it is gone, or it is loaded anew
        raise held.kind.missing(key)

    def unembedded(self) -> list[tuple[BankKey, InteractionId]]:
        """See the port."""
        banks = [held.aggregate for held in self._pool.all() if isinstance(held.aggregate, Bank)]
        return [(bank.key, i) for bank in banks for i in bank.unembedded()]

    def overdue(self, now: datetime) -> list[BankKey]:
        """See the port."""
        records = [held.aggregate.record for held in self._pool.all() if isinstance(held.aggregate, Bank)]
        return [record.key for record in records if record.due_time is not None and record.due_time <= now]

    def held(self) -> list[Key]:
        """Returns the keys of what is in memory now."""
        return [held.aggregate.key for held in self._pool.all()]

    def figures(self) -> HeldFigures:
        """Returns what is held at this moment. Any thread may call it."""
        held = self._pool.all()
        return HeldFigures(
            aggregates=Counter(each.kind.name for each in held),
            size=self._pool.size,
            watchers=sum(each.tail.watchers for each in held),
            queued=self._pool.queued,
            replayed=self._journal.replays.total(),
            unconfirmed_seconds=self._now() - self._confirmed,
        )

    def held_of(self, kind: str) -> list[Any]:
        """Returns the aggregates of a kind that are in memory. Any thread may call it; the loop changes them."""
        return [each.aggregate for each in self._pool.all() if each.kind.name == kind]

    async def collect(self) -> None:
        """See the pool."""
        await self._pool.collect()

    async def close(self) -> None:
        """Waits until writers and compactions have finished; nothing is left half done."""
        await self._pool.close()

    async def _shielded(self, act: Coroutine[Any, Any, Done]) -> Done:
        """Finishes an act even when its caller is cancelled."""
        return await shielded(asyncio.create_task(act))


def _admits(held: HeldAggregate) -> bool:
    reads = READ_SET.get()
    return reads is None or reads.admits(held)


def _has_written() -> None:
    if (reads := READ_SET.get()) is not None:
        reads.has_written = True
