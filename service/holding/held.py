"""One aggregate in memory: kept at the store's head, its indexes compiled as they grow.

Law: changes are applied only under the lock `moving`: by the aggregate's writer, or by following. Readers see
it between two changes, never within one.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import structlog

from core.aggregate.aggregate import Aggregate, Tuning
from core.aggregate.change import Change, Head
from core.aggregate.indexes import Compaction, Indexes
from core.aggregate.kind import Kind
from core.errors import MemoryBankError, MemoryDamaged, RevisionTrimmed, StoreUnavailable
from core.index.restoring import IndexSnapshot
from core.ports.index_cache import IndexCache
from core.ports.store import Store
from service.holding.loading import load
from service.holding.tail import Tail
from service.process.giving_way import free_in_background

FEED_PAGE = 256  # changes read at once when following
VECTOR_PAGE = 1_000  # segment vectors fetched at once that another process made
FEW = 50  # steps: indexes that grew by no more are not worth a look, which takes a fiftieth of a write
REST_SECONDS = 5.0  # without an edit: then short tails are compiled, too
SAVE_SECONDS = 60.0  # between two snapshots of an aggregate's indexes, however busy it is
FORGET_SECONDS = 600.0  # the same where little changed, but a snapshot holds deleted words
LARGE_TEXT = 50_000  # characters, 10 ms of analysis; an aggregate founded with more is made off the loop
WORDY = 2_000  # characters, 1 to 4 ms of analysis; more new text than this is analysed off the loop


log: structlog.stdlib.BoundLogger = structlog.get_logger("memorybank.banks")


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """How aggregates are held: `memory_budget` in bytes over all of them, `max_staleness` in seconds, and
    `stale_when_unavailable`: how many seconds old a read may be while the store does not answer."""

    memory_budget: int = 2_000_000_000
    max_staleness: float = 1.0
    stale_when_unavailable: float = 0.0
    tuning: Tuning = field(default_factory=Tuning)


class HeldAggregate:
    """An aggregate, and what its readers, its writer and its followers share."""

    def __init__(
        self,
        kind: Kind[Any, Any],
        aggregate: Aggregate[Any],
        confirmed: float,
        store: Store,
        cache: IndexCache | None,
        holding: Holding,
    ) -> None:
        self.kind = kind
        self.aggregate = aggregate
        self.confirmed = confirmed  # when the head was last known to be the store's
        self.used = confirmed  # when it was last read: the longest unread is the first to go
        self.looked_at = -1.0  # the value of `used` at the last attempt to let it rest
        self.size = 0  # bytes, as last counted
        self.pins = 0  # readers, watchers and commands: a pinned one stays in memory
        self.moving = asyncio.Lock()  # held while changes are stored and applied, or followed
        self.tail = Tail()
        self.foreign = float("-inf")  # when another process's change was last seen
        self.gone = False  # purged, or its key belongs to another one
        self._store = store
        self._cache = cache
        self._holding = holding
        self._compacting: asyncio.Task[None] | None = None
        self._saving: asyncio.Task[None] | None = None
        self._save_later: asyncio.TimerHandle | None = None
        self._saved = float("-inf")  # when snapshots were last taken
        self._edited = float("-inf")  # when an index last changed
        self._steps = 0  # of edits since its indexes were last checked for growth
        self._rest: asyncio.TimerHandle | None = None  # compiles short tails after a pause in the edits
        self._now = asyncio.get_running_loop().time

    @property
    def is_idle(self) -> bool:
        at_work = self._compacting is not None or self._saving is not None
        return not self.pins and not self.moving.locked() and not at_work

    def being_read(self) -> Any:
        """Returns the aggregate, pinned in memory until `was_read` is called."""
        self.pins += 1
        return self.aggregate

    def was_read(self) -> None:
        self.pins -= 1
        self.used = self._now()

    def leave(self) -> None:
        """Marks it as gone from the store, and wakes its watchers."""
        self.gone = True
        self.let_go()
        self.tail.end()

    def let_go(self) -> None:
        """Cancels what is planned for it: it leaves memory."""
        free_in_background(self.aggregate)
        self._save_no_more()
        if self._rest is not None:
            self._rest.cancel()
            self._rest = None

    # ---- rest ----

    def rest(self) -> None:
        """Drops what can be made again, unless it is in use, or a snapshot of its indexes is due."""
        if not self.is_idle or self._rest is not None or self._save_later is not None:
            return
        self.looked_at = self.used
        if not self.aggregate.rests and not self.aggregate.indexes.outlives_snapshots:
            self.aggregate.rest()

    async def wake(self) -> None:
        """Makes again, off the loop, what `rest` dropped."""
        async with self.moving:
            at_hand = self.aggregate
            if at_hand.rests:
                at_hand.wake(await asyncio.to_thread(at_hand.made_again))
        self.used = self._now()

    # ---- following ----

    async def follow(self) -> None:
        """Brings it to the store's head; `gone` afterwards if the key is no longer its own."""
        asked = self._now()
        async with self.moving:
            if self.confirmed <= asked:  # else another follower asked while this one waited
                await self.catch_up()

    async def catch_up(self) -> None:
        """Applies the feed, or loads anew where the feed does not connect. With `moving` held."""
        asked = self._now()
        at_hand = self.aggregate
        head = (await self._store.heads([at_hand.key])).get(at_hand.key)
        if head is None or head.uid != at_hand.head.uid:
            self.leave()
            return
        if head != at_hand.head and not await self._apply_feed(head) and not await self._load_anew():
            self.leave()
            return
        self.confirmed = asked
        await self.fetch_vectors()
        self.compact()

    async def load_again(self) -> None:
        """Replaces the aggregate in memory by the stored one, after a defect. With `moving` held."""
        try:
            is_there = await self._load_anew()
        except MemoryBankError as failure:  # then the next call loads it
            log.warning("not loaded again", key=self.aggregate.key.name, error=str(failure))
            is_there = False
        except Exception as defect:  # a second one: other calls wait, and nothing here is valid
            log.error("defect", key=self.aggregate.key.name, exc_info=defect)
            is_there = False
        if not is_there:
            self.leave()

    async def belongs_to_its_key(self) -> bool:
        """Whether the key is still its own, not a successor's."""
        head = (await self._store.heads([self.aggregate.key])).get(self.aggregate.key)
        return head is not None and head.uid == self.aggregate.head.uid

    async def fetch_vectors(self) -> None:
        """Fetches vectors that another process has made meanwhile."""
        if self.foreign == float("-inf"):
            return
        at_hand, space = self.aggregate, self._holding.tuning.space
        for part, items in at_hand.wanting_vectors.items():
            wanting = list(islice(items, VECTOR_PAGE))
            found = await self._store.vectors(at_hand.key, at_hand.head.uid, part, space, wanting)
            at_hand.put_vectors(part, found)

    def are_wordy(self, changes: Sequence[Change[Any]]) -> bool:
        """Whether finding the words of their new texts would hold up the loop."""
        return sum(self.kind.text_length(change.steps) for change in changes) > WORDY

    async def prepare(self, changes: Sequence[Change[Any]]) -> Sequence[Any]:
        """Returns the words of changes that bring much new text, found off the loop; None: `apply` finds a little
        itself."""
        if not self.are_wordy(changes):
            return [None] * len(changes)
        return await asyncio.to_thread(lambda: [self.aggregate.prepare(change.steps) for change in changes])

    def apply(self, change: Change[Any], prepared: Any) -> None:
        """Makes a stored change visible. With `moving` held."""
        self.aggregate.apply(change, prepared)
        self._steps += len(change.steps)
        if self.tail.watchers:
            self.tail.append(change, self.kind.text_length(change.steps))

    async def changes(self, after: int) -> AsyncIterator[Change[Any]]:
        """Yields every change after a revision as it comes, until it leaves memory. Raises RevisionTrimmed, not
        found."""
        while True:
            moved, head = self.tail.moved, self.aggregate.head
            if after < head.revision:
                changes = self.tail.after(after)
                if changes is None:
                    changes = await self._store.changes(self.aggregate.key, head.uid, after, FEED_PAGE)
                for change in changes:
                    yield change
                    after = change.revision
            elif self.gone:
                return
            else:
                await moved.wait()

    async def _apply_feed(self, head: Head) -> bool:
        """Applies what others appended; False where the feed does not lead to `head`, or a defect stopped it."""
        at_hand = self.aggregate
        while at_hand.head.revision < head.revision:
            try:
                changes = await self._store.changes(
                    at_hand.key, at_hand.head.uid, at_hand.head.revision, FEED_PAGE
                )
            except (RevisionTrimmed, MemoryDamaged):  # of the feed: the rows may be intact
                return False
            if not changes or changes[0].parent != at_hand.head.change_id:
                return False
            for change in changes:
                try:
                    (prepared,) = await self.prepare([change])
                    self.apply(change, prepared)
                except Exception as defect:  # it may be half applied: the stored one replaces it
                    log.error("defect", key=at_hand.key.name, revision=change.revision, exc_info=defect)
                    return False
                await asyncio.sleep(0)  # a page of large changes would take half a second
            self.foreign = self._now()
        return at_hand.head.change_id == head.change_id or at_hand.head.revision > head.revision

    async def _load_anew(self) -> bool:
        """Replaces it by the stored one; False if the key has another one, or none."""
        key, uid = self.aggregate.key, self.aggregate.head.uid
        loaded = await load(self.kind, key, self._store, self._cache, self._holding.tuning, uid)
        if loaded is None:
            return False
        free_in_background(self.aggregate)
        self.aggregate = loaded
        self.foreign = self._now()
        self.tail.restart()
        return True

    # ---- indexes ----

    def edited(self) -> None:
        """Compacts after edits: after more than a few steps, or where words went; else once edits pause."""
        if self._steps > FEW or self.aggregate.indexes.outlives_snapshots:
            self.compact()
        else:
            self._stir()

    def compact(self) -> None:
        """Rebuilds grown indexes off the loop, if there are any and none is being rebuilt."""
        self._steps = 0
        self._stir()
        if self._compacting is None:
            self._compile(self.aggregate.indexes.compactions())

    def _stir(self) -> None:
        self._edited = self._now()
        if self._rest is None:
            self._rest = asyncio.get_running_loop().call_later(REST_SECONDS, self._look_for_rest)

    def _look_for_rest(self) -> None:
        self._rest = None
        if (left := self._edited + REST_SECONDS - self._now()) > 0.0:
            self._rest = asyncio.get_running_loop().call_later(left, self._look_for_rest)
        elif self._compacting is None:
            self._compile(self.aggregate.indexes.compactions(at_rest=True))

    def _compile(self, jobs: Sequence[Compaction]) -> None:
        if jobs:
            self._compacting = asyncio.create_task(self._build(self.aggregate.indexes, jobs))
        else:
            self.save()

    async def compacted(self) -> None:
        """Waits for the compaction under way, or due."""
        if self._steps:
            self.compact()
        if self._compacting is not None:
            await asyncio.gather(self._compacting, return_exceptions=True)

    async def _build(self, indexes: Indexes, jobs: Sequence[Compaction]) -> None:
        try:
            for job in jobs:
                await asyncio.to_thread(job.build)
                indexes.adopt(job)
        finally:
            self._compacting = None
        self.save()

    # ---- snapshots ----

    def save(self) -> None:
        """Takes snapshots, off the loop, of indexes that changed much or lost words; later, if the last are recent."""
        if self._cache is None or self.gone or self._saving is not None:
            return
        if self.aggregate.indexes.has_unsaved:
            moment = self._saved + SAVE_SECONDS
        elif self.aggregate.indexes.outlives_snapshots:
            moment = self._saved + FORGET_SECONDS
        else:
            return
        if moment > self._now():
            self._save_at(moment)
        else:
            self._save_no_more()
            self._saved = self._now()
            self._saving = asyncio.create_task(
                self._keep(self.aggregate, self.aggregate.indexes.snapshots(), self._cache)
            )

    async def saved(self, *, now: bool = False) -> None:
        """Waits until the snapshots under way are kept; with `now`, also takes those that are due later."""
        if self._saving is not None:
            await asyncio.gather(self._saving, return_exceptions=True)
        if now and self._save_later is not None:
            self._save_after_all()
            await self.saved()

    def _save_at(self, moment: float) -> None:
        if self._save_later is not None and self._save_later.when() <= moment:
            return
        self._save_no_more()
        self._save_later = asyncio.get_running_loop().call_at(moment, self._save_after_all)

    def _save_no_more(self) -> None:
        if self._save_later is not None:
            self._save_later.cancel()
            self._save_later = None

    def _save_after_all(self) -> None:
        self._save_no_more()
        self._saved = float("-inf")
        self.save()

    async def _keep(
        self, at_hand: Aggregate[Any], snapshots: Sequence[IndexSnapshot], cache: IndexCache
    ) -> None:
        try:
            for snapshot in snapshots:
                blob = await asyncio.to_thread(snapshot.blob)
                await cache.put(at_hand.key, at_hand.head.uid, snapshot.part, blob)
            if self.gone or not await self.belongs_to_its_key():  # purged meanwhile, here or elsewhere
                await cache.delete(at_hand.key, at_hand.head.uid)
        except StoreUnavailable as failure:  # the next load takes longer
            log.warning("index snapshots not kept", error=str(failure))
        finally:
            self._saving = None
        self.save()  # what changed meanwhile
