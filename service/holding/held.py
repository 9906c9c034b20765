"""One bank in memory: kept at the store's head, its indexes compiled as they grow.

Law: only whoever holds `moving` applies changes: the bank's writer, or whoever follows. Readers see
the bank between two changes, never within one.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import structlog

from core.aggregate.change import Head
from core.bank.bank import Bank, Compaction, PreparedChange, Tuning
from core.bank.restoring import Cached, IndexSnapshot, opened
from core.bank.steps import BankChange, InteractionAdd, NodePut, Step
from core.errors import MemoryBankError, RevisionTrimmed, StoreUnavailable
from core.ids import BankKey
from core.ports.index_cache import IndexCache
from core.ports.store import Store
from service.process.giving_way import leave_by_and_by

FEED_PAGE = 256  # changes read at once when following
VECTOR_PAGE = 1_000  # segment vectors fetched at once that another process made
FEW = 50  # steps: indexes that grew by no more are not worth a look, which takes a fiftieth of a write
REST_SECONDS = 5.0  # without an edit: the bank rests, and short tails are compiled, too
SAVE_SECONDS = 60.0  # between two times that a bank's indexes are taken down, however busy it is
FORGET_SECONDS = 600.0  # the same where little changed, but words are to go from a snapshot
LARGE_TEXT = 20_000  # characters; a bank founded with more is made off the loop
WORDY = 5_000  # characters; the words of more new text than this, which take a millisecond, are found off the loop


log: structlog.stdlib.BoundLogger = structlog.get_logger("memorybank.banks")


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """How banks are held: `memory_budget` in bytes over all banks, `max_staleness` in seconds."""

    memory_budget: int = 2_000_000_000
    max_staleness: float = 1.0
    tuning: Tuning = field(default_factory=Tuning)


class HeldBank:
    """A bank with what its readers, its writer and its followers need to share it."""

    def __init__(
        self, bank: Bank, confirmed: float, store: Store, cache: IndexCache | None, holding: Holding
    ) -> None:
        self.bank = bank
        self.confirmed = confirmed  # when the head was last known to be the store's
        self.used = confirmed  # when it was last read: the longest unread is the first to go
        self.size = 0  # bytes, as last counted
        self.pins = 0  # readers, watchers and commands: a pinned bank stays in memory
        self.moving = asyncio.Lock()  # held by whoever stores and applies, or follows
        self._moved: asyncio.Event | None = None  # set at the next change, if anybody watches
        self.foreign = float("-inf")  # when another process's change was last seen
        self.gone = False  # purged, or another bank bears the id
        self._store = store
        self._cache = cache
        self._holding = holding
        self._compacting: asyncio.Task[None] | None = None
        self._saving: asyncio.Task[None] | None = None
        self._save_later: asyncio.TimerHandle | None = None
        self._saved = float("-inf")  # when its indexes were last taken down
        self._edited = float("-inf")  # when an index last changed
        self._steps = 0  # of edits since it was last looked at for grown indexes
        self._rest: asyncio.TimerHandle | None = None  # looks whether the bank rests
        self._now = asyncio.get_running_loop().time

    @property
    def is_idle(self) -> bool:
        at_work = self._compacting is not None or self._saving is not None
        return not self.pins and not self.moving.locked() and not at_work

    def being_read(self) -> Bank:
        """The bank, for a reader who says when that is over (`was_read`)."""
        self.pins += 1
        return self.bank

    def was_read(self) -> None:
        self.pins -= 1
        self.used = self._now()

    def leave(self) -> None:
        """The bank is gone from the store: whoever waits for it is woken to see that."""
        self.gone = True
        self.let_go()
        self._announce()

    def let_go(self) -> None:
        """The bank leaves memory: nothing more is planned for it."""
        leave_by_and_by(self.bank)
        self._save_no_more()
        if self._rest is not None:
            self._rest.cancel()
            self._rest = None

    # ---- following ----

    async def follow(self) -> None:
        """Bring the bank to the store's head; `gone` afterwards if it is no longer that bank."""
        asked = self._now()
        async with self.moving:
            if self.confirmed <= asked:  # else somebody who waited in front of us has asked since
                await self.catch_up()

    async def catch_up(self) -> None:
        """With `moving` held: apply the feed, or load anew where the feed does not connect."""
        asked = self._now()
        bank = self.bank
        head = (await self._store.heads([bank.key])).get(bank.key)
        if head is None or head.uid != bank.uid:
            self.leave()
            return
        if head != bank.head and not await self._apply_feed(head) and not await self._load_anew():
            self.leave()
            return
        self.confirmed = asked
        await self.fetch_vectors()
        self.compact()

    async def load_again(self) -> None:
        """With `moving` held, after a defect: what the store has takes the place of whatever stands in memory."""
        try:
            is_there = await self._load_anew()
        except MemoryBankError as failure:  # then whoever asks for it next loads it
            log.warning("a bank not loaded again", bank_id=self.bank.key.bank_id, error=str(failure))
            is_there = False
        if not is_there:
            self.leave()

    async def belongs_to_its_id(self) -> bool:
        """Whether the id is still this bank's: a revision of its successor's is none of its own."""
        head = (await self._store.heads([self.bank.key])).get(self.bank.key)
        return head is not None and head.uid == self.bank.uid

    async def fetch_vectors(self) -> None:
        """Segment vectors that another process has made meanwhile."""
        bank = self.bank
        wanting = list(bank.wanting_vectors)[:VECTOR_PAGE]
        if wanting and self.foreign > float("-inf"):
            bank.put_segment_vectors(await self._store.segment_vectors(bank.key, bank.uid, wanting))

    async def prepare(self, changes: Sequence[BankChange]) -> Sequence[PreparedChange | None]:
        """The words of changes that bring much new text, found off the loop; None: `apply` finds a little itself."""
        if not are_wordy(changes):
            return [None] * len(changes)
        return await asyncio.to_thread(lambda: [self.bank.prepare(change.steps) for change in changes])

    def apply(self, change: BankChange, prepared: PreparedChange | None) -> None:
        """With `moving` held: make a stored change visible."""
        self.bank.apply(change, prepared)
        self._steps += len(change.steps)
        self._announce()

    @property
    def moved(self) -> asyncio.Event:
        """Set by the next change."""
        if self._moved is None:
            self._moved = asyncio.Event()
        return self._moved

    async def moves(self, moved: asyncio.Event) -> None:
        """Wait until the bank moves, here or (seen by following) in another process."""
        try:
            async with asyncio.timeout(self._holding.max_staleness):
                await moved.wait()
        except TimeoutError:
            await self.follow()

    async def _apply_feed(self, head: Head) -> bool:
        """Apply what others appended; False where the feed does not lead from here to there, or a defect stops us."""
        bank = self.bank
        while bank.revision < head.revision:
            try:
                changes = await self._store.changes(bank.key, bank.uid, bank.revision, FEED_PAGE)
            except RevisionTrimmed:
                return False
            if not changes or changes[0].parent != bank.head.change_id:
                return False
            for change in changes:
                try:
                    (prepared,) = await self.prepare([change])
                    self.apply(change, prepared)
                except Exception as defect:  # the bank may stand halfway: what the store has takes its place
                    log.error("defect", bank_id=bank.key.bank_id, revision=change.revision, exc_info=defect)
                    return False
                await asyncio.sleep(0)  # a page of large changes would take half a second
            self.foreign = self._now()
        return bank.head.change_id == head.change_id or bank.revision > head.revision

    async def _load_anew(self) -> bool:
        """Replace the bank by what the store has of it; False if it has another one, or none."""
        bank = await load(self.bank.key, self._store, self._cache, self._holding.tuning, self.bank.uid)
        if bank is None:
            return False
        leave_by_and_by(self.bank)
        self.bank = bank
        self.foreign = self._now()
        self._announce()
        return True

    def _announce(self) -> None:
        if self._moved is not None:
            self._moved.set()
            self._moved = None

    # ---- indexes ----

    def edited(self) -> None:
        """After what `apply` made visible: `compact`, if that is more than a few steps, or words went; else at rest."""
        if self._steps > FEW or self.bank.outlives_snapshots:
            self.compact()
        else:
            self._stir()

    def compact(self) -> None:
        """After an edit: rebuild grown indexes off the loop, if any and none is being rebuilt."""
        self._steps = 0
        self._stir()
        if self._compacting is None:
            self._compile(self.bank.compactions())

    def _stir(self) -> None:
        self._edited = self._now()
        if self._rest is None:
            self._rest = asyncio.get_running_loop().call_later(REST_SECONDS, self._look_for_rest)

    def _look_for_rest(self) -> None:
        self._rest = None
        if (left := self._edited + REST_SECONDS - self._now()) > 0.0:
            self._rest = asyncio.get_running_loop().call_later(left, self._look_for_rest)
        elif self._compacting is None:
            self._compile(self.bank.compactions(at_rest=True))

    def _compile(self, jobs: Sequence[Compaction]) -> None:
        if jobs:
            self._compacting = asyncio.create_task(self._build(self.bank, jobs))
        else:
            self.save()

    async def compacted(self) -> None:
        """Wait for the rebuilding under way, or due."""
        if self._steps:
            self.compact()
        if self._compacting is not None:
            await asyncio.gather(self._compacting, return_exceptions=True)

    async def _build(self, bank: Bank, jobs: Sequence[Compaction]) -> None:
        try:
            for job in jobs:
                await asyncio.to_thread(job.build)
                bank.adopt(job)
        finally:
            self._compacting = None
        self.save()

    # ---- snapshots ----

    def save(self) -> None:
        """Take down, off the loop, indexes that changed much or say less: later, if that was done a moment ago."""
        if self._cache is None or self.gone or self._saving is not None:
            return
        if self.bank.has_unsaved:
            moment = self._saved + SAVE_SECONDS
        elif self.bank.outlives_snapshots:
            moment = self._saved + FORGET_SECONDS
        else:
            return
        if moment > self._now():
            self._save_at(moment)
        else:
            self._save_no_more()
            self._saved = self._now()
            self._saving = asyncio.create_task(self._keep(self.bank, self.bank.snapshots(), self._cache))

    async def saved(self, *, now: bool = False) -> None:
        """Wait until what is being taken down is kept; with `now`, then take down what waits for its time, too."""
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

    async def _keep(self, bank: Bank, snapshots: Sequence[IndexSnapshot], cache: IndexCache) -> None:
        try:
            for snapshot in snapshots:
                blob = await asyncio.to_thread(snapshot.blob)
                await cache.put(bank.key, bank.uid, snapshot.part, blob)
            if self.gone or not await self.belongs_to_its_id():  # purged meanwhile, here or elsewhere
                await cache.delete_bank(bank.key, bank.uid)
        except StoreUnavailable as failure:  # the next load takes longer
            log.warning("index snapshots not kept", error=str(failure))
        finally:
            self._saving = None
        self.save()  # what changed meanwhile


async def load(
    key: BankKey, store: Store, cache: IndexCache | None, tuning: Tuning, uid: str | None = None
) -> Bank | None:
    """The bank that the store has, made off the loop; None if it has none, or not the one of this uid.

    While its rows are read, so is what is cached of its indexes.
    """
    state, snapshots = await asyncio.gather(store.load(key), _snapshots(key, store, cache, uid))
    if state is None or uid not in (None, state.head.uid):
        return None
    return await asyncio.to_thread(Bank.load, state, tuning, snapshots.get(state.head.uid))


async def _snapshots(
    key: BankKey, store: Store, cache: IndexCache | None, uid: str | None
) -> Mapping[str, Mapping[str, Cached]]:
    """What is cached, by the uid of the bank that it is of: this one, or the one that has the key now."""
    if cache is None:
        return {}
    try:
        if uid is None:
            if (head := (await store.heads([key])).get(key)) is None:
                return {}
            uid = head.uid
        blobs = await cache.get(key, uid)
    except StoreUnavailable as failure:  # then it takes longer
        log.warning("index snapshots not read", error=str(failure))
        return {}
    return {uid: await asyncio.to_thread(opened, blobs)} if blobs else {}


def are_wordy(changes: Sequence[BankChange]) -> bool:
    """Whether finding the words of their new texts would hold up the loop."""
    length = 0
    for change in changes:
        for step in change.steps:
            if isinstance(step, NodePut):
                length += len(step.node.summary)
            elif isinstance(step, InteractionAdd):
                length += len(step.interaction.text)
    return length > WORDY


def text_length(steps: Sequence[Step]) -> int:
    """Characters of new verbatim text."""
    return sum(len(step.interaction.text) for step in steps if isinstance(step, InteractionAdd))
