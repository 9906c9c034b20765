"""Banks in memory: opening, following, one writer per bank, eviction.

Law: durable first, visible second. Only the writer of a bank and its follower apply changes, one of
them at a time; readers see a bank between two changes, never within one. The store's head is the
fence: whoever staged on an old head follows and stages again.
"""

import asyncio
import random
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import structlog

from core.agents.opinions import Unasked
from core.bank import codec
from core.bank.bank import Bank, Tuning
from core.bank.change import BankPut, Change, Head, InteractionAdd, Step, Vector
from core.errors import (
    BankExists,
    BankNotFound,
    HeadMoved,
    MemoryBankError,
    RequestIdReused,
    RevisionNotReached,
    RevisionTrimmed,
    StoreUnavailable,
)
from core.ids import BankKey, ChangeId, InteractionId, RequestId, SegmentRef
from core.model.request import RequestRecord
from core.ports import Blobs, Clock, Committed, Draft, Ids, PurgeCounts, RequestKey, Result, Store

log = structlog.get_logger(__name__)

GROUP = 64  # commands to one append, at most
PORTION = 4_000  # steps to one change of a bank that is founded with many
FEED_PAGE = 256  # changes read at once when following
VECTOR_PAGE = 1_000  # segment vectors fetched at once that another process made
LARGE_TEXT = 20_000  # characters; the words of more new text than this are found off the loop
CONTENTION_PAUSE = 0.004  # seconds, at most, that a winner leaves a contested head to other processes
CONTENTION_MEMORY = 1.0  # seconds for which a foreign change counts as contention

Done = TypeVar("Done")


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """How banks are held: `memory_budget` in bytes over all banks, `max_staleness` in seconds."""

    memory_budget: int = 2_000_000_000
    max_staleness: float = 1.0
    tuning: Tuning = field(default_factory=Tuning)


@dataclass(slots=True, eq=False)
class _Command(Generic[Result]):
    stage: Callable[[Bank, int], Draft[Result]]
    request: RequestKey | None
    answer: type[Result] | None
    outcome: "asyncio.Future[Committed[Result]]"


class _Open:
    """One bank in memory, with its queue of commands."""

    def __init__(self, bank: Bank, now: float) -> None:
        self.bank = bank
        self.confirmed = now  # when the head was last known to be the store's
        self.used = now
        self.pins = 0
        self.queue: deque[_Command[Any]] = deque()
        self.writer: asyncio.Task[None] | None = None
        self.moving = asyncio.Lock()  # held by whoever stores and applies, or follows
        self.moved = asyncio.Event()  # replaced at every change: set wakes those who watch
        self.compacting: asyncio.Task[None] | None = None
        self.foreign = float("-inf")  # when another process's change was last seen
        self.gone = False

    @property
    def idle(self) -> bool:
        return (
            not (self.pins or self.queue or self.moving.locked())
            and self.writer is None
            and self.compacting is None
        )

    def announce(self) -> None:
        self.moved.set()
        self.moved = asyncio.Event()


class OpenBanks:
    """The `Banks` port over a store."""

    def __init__(
        self,
        store: Store,
        blobs: Blobs,
        clock: Clock,
        ids: Ids,
        holding: Holding,
        forget: Callable[[], None] = lambda: None,
    ) -> None:
        """`forget` is called after a purge, for what else may remember the bank's texts."""
        self._forget_texts = forget
        self._store = store
        self._blobs = blobs
        self._clock = clock
        self._ids = ids
        self._holding = holding
        self._open: dict[BankKey, _Open] = {}
        self._loading: dict[BankKey, asyncio.Task[_Open]] = {}
        self._now = asyncio.get_running_loop().time
        self._stopped = False

    # ---- reading ----

    @asynccontextmanager
    async def reading(self, key: BankKey, min_revision: int = 0) -> AsyncIterator[Bank]:
        """See the port."""
        held = await self._fresh(key, min_revision)
        held.pins += 1
        try:
            yield held.bank
        finally:
            held.pins -= 1
            held.used = self._now()

    async def _fresh(self, key: BankKey, min_revision: int) -> _Open:
        """The bank, confirmed recently enough, and at least at `min_revision`."""
        asked = self._now()
        held = await self._get(key)
        stale = min_revision > held.bank.revision or asked - held.confirmed > self._holding.max_staleness
        if stale or (min_revision and held.confirmed < asked and not await self._is_the_same(held)):
            await self._follow(held)
        if held.gone:
            held = await self._get(key)  # deleted, perhaps created again
        if min_revision > held.bank.revision:
            raise RevisionNotReached(min_revision, held.bank.revision)
        return held

    async def _is_the_same(self, held: _Open) -> bool:
        """Whether the id still belongs to this bank: a revision of its successor's is none of its own."""
        head = (await self._store.heads([held.bank.key])).get(held.bank.key)
        return head is not None and head.uid == held.bank.uid

    async def _get(self, key: BankKey) -> _Open:
        held = self._open.get(key)
        if held is not None:
            return held
        loading = self._loading.get(key)
        if loading is None:
            loading = self._loading[key] = asyncio.create_task(self._load(key))
            loading.add_done_callback(lambda _: self._loading.pop(key, None))
        return await asyncio.shield(loading)

    async def _load(self, key: BankKey) -> _Open:
        asked = self._now()
        state = await self._store.load(key)
        if state is None:
            raise BankNotFound(key.bank_id)
        bank = await asyncio.to_thread(Bank.load, state, self._holding.tuning)
        return self._admit(_Open(bank, asked))

    def _admit(self, held: _Open) -> _Open:
        self._open[held.bank.key] = held
        self._compact(held)
        self._evict(held)
        return held

    def _evict(self, keep: _Open) -> None:
        """Let go of idle banks, longest unused first, until the rest fits the budget."""
        total = sum(held.bank.size for held in self._open.values())
        for held in sorted(self._open.values(), key=lambda h: h.used):
            if total <= self._holding.memory_budget:
                return
            if held is not keep and held.idle:
                total -= held.bank.size
                del self._open[held.bank.key]

    # ---- following ----

    async def keep_confirmed(self) -> None:
        """Confirm the heads of recently read banks until cancelled, so that reads need not wait for it."""
        while True:
            await asyncio.sleep(self._holding.max_staleness / 2)
            try:
                await self.confirm_recent()
            except StoreUnavailable as failure:
                log.warning(
                    "heads not confirmed", error=str(failure)
                )  # reads will ask, and say so themselves

    async def confirm_recent(self) -> None:
        """Confirm the heads of recently read banks in one query."""
        horizon = self._now() - 2 * self._holding.max_staleness
        recent = [held for held in self._open.values() if held.used > horizon or held.pins]
        if not recent:
            return
        asked = self._now()
        heads = await self._store.heads([held.bank.key for held in recent])
        for held in recent:
            if heads.get(held.bank.key) == held.bank.head:
                held.confirmed = max(held.confirmed, asked)
                await self._fetch_vectors(held)
            else:
                await self._follow(held)

    async def _follow(self, held: _Open) -> None:
        """Bring a bank to the store's head; `held.gone` afterwards if it is no longer that bank."""
        asked = self._now()
        async with held.moving:
            if held.confirmed <= asked:  # else somebody who waited in front of us has asked since
                await self._catch_up(held)

    async def _catch_up(self, held: _Open) -> None:
        """With `moving` held: apply the feed, or load anew where the feed does not connect."""
        if held.gone:
            return
        asked = self._now()
        bank = held.bank
        head = (await self._store.heads([bank.key])).get(bank.key)
        if head is None or head.uid != bank.uid:
            self._forget(held)
            return
        if head != bank.head and not await self._apply_feed(held, head):
            state = await self._store.load(bank.key)
            if state is None or state.head.uid != bank.uid:
                self._forget(held)
                return
            held.bank = await asyncio.to_thread(Bank.load, state, self._holding.tuning)
            held.foreign = asked
            held.announce()
        held.confirmed = asked
        await self._fetch_vectors(held)
        self._compact(held)

    async def _apply_feed(self, held: _Open, head: Head) -> bool:
        """Apply what others appended; False where the feed does not lead from here to there."""
        bank = held.bank
        while bank.revision < head.revision:
            try:
                changes = await self._store.changes(bank.key, bank.uid, bank.revision, FEED_PAGE)
            except RevisionTrimmed:
                return False
            if not changes or changes[0].parent != bank.head.change_id:
                return False
            for change in changes:
                await self._apply(held, change)
            held.foreign = self._now()
        return bank.head.change_id == head.change_id or bank.revision > head.revision

    async def _fetch_vectors(self, held: _Open) -> None:
        """Segment vectors that another process has made meanwhile."""
        bank = held.bank
        wanting = list(bank.wanting_vectors)[:VECTOR_PAGE]
        if wanting and held.foreign > float("-inf"):
            bank.put_segment_vectors(await self._store.segment_vectors(bank.key, bank.uid, wanting))

    def _forget(self, held: _Open) -> None:
        held.gone = True
        if self._open.get(held.bank.key) is held:
            del self._open[held.bank.key]
        held.announce()

    # ---- writing ----

    async def found(
        self, key: BankKey, draft: Draft[Result], request: RequestKey | None = None, revision: int = 1
    ) -> Committed[Result]:
        """See the port."""
        if request is not None and (known := await self._known(key, request, type(draft.result))) is not None:
            return known
        if not draft.steps or not isinstance(draft.steps[0], BankPut):
            raise TypeError("a bank is founded by a draft whose first step is BankPut")
        uid = draft.steps[0].record.uid
        changes = self._founding(draft, request, revision)
        try:
            await self._shielded(self._store.append(key, uid, changes))
        except (BankExists, HeadMoved):
            if request is not None and (known := await self._known(key, request, type(draft.result))):
                return known  # the same request, twice at once: the other one made it
            raise BankExists(key.bank_id) from None
        if len(changes) == 1 and _text_length(draft.steps) <= LARGE_TEXT:
            # A larger bank is loaded, off the loop, by whoever reads it first.
            self._admit(_Open(Bank.found(changes[0], uid, self._holding.tuning), self._now()))
        return Committed(result=draft.result, revision=changes[-1].revision)

    def _founding(self, draft: Draft[Any], request: RequestKey | None, revision: int) -> list[Change]:
        """The first changes of a bank: one, or several of bearable size that end at `revision` or later."""
        portions = [draft.steps[i : i + PORTION] for i in range(0, len(draft.steps), PORTION)]
        first = max(1, revision - len(portions) + 1)
        changes: list[Change] = []
        for number, steps in enumerate(portions, start=first):
            parent = changes[-1].change_id if changes else None
            last = len(changes) == len(portions) - 1
            changes.append(
                self._change(parent, number, replace(draft, steps=steps), request if last else None)
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
            return await self._enqueue(held, stage, request, answer)
        except BankNotFound:
            if not held.gone:
                raise
        held = await self._get(key)  # another bank bears the id by now, or none
        return await self._enqueue(held, stage, request, answer)

    async def _enqueue(
        self,
        held: _Open,
        stage: Callable[[Bank, int], Draft[Result]],
        request: RequestKey | None,
        answer: type[Result] | None,
    ) -> Committed[Result]:
        outcome: asyncio.Future[Committed[Result]] = asyncio.get_running_loop().create_future()
        held.queue.append(_Command(stage, request, answer, outcome))
        if held.writer is None:
            held.writer = asyncio.create_task(self._write(held))
        return await asyncio.shield(outcome)

    async def _write(self, held: _Open) -> None:
        """Work off the queue, group by group; ends when it is empty."""
        try:
            while held.queue:
                await self._leave_room(held)
                async with held.moving:
                    await self._write_group(held)
        finally:
            held.writer = None
            held.used = self._now()
            self._evict(held)

    async def _leave_room(self, held: _Open) -> None:
        """Where other processes write too, pause at random, so that none of them starves."""
        if self._now() - held.foreign < CONTENTION_MEMORY:
            await asyncio.sleep(random.uniform(0, CONTENTION_PAUSE))

    async def _write_group(self, held: _Open) -> None:
        commands = [held.queue.popleft() for _ in range(min(GROUP, len(held.queue)))]
        try:
            if held.gone:
                raise BankNotFound(held.bank.key.bank_id)
            fresh = await self._answer_replays(held, commands)
            staged, deferred = self._stage(held.bank, fresh)
            held.queue.extendleft(reversed(deferred))
            if staged:
                await self._append(held, staged)
        except HeadMoved:
            await self._catch_up_for(held, commands)
        except MemoryBankError as failure:
            _fail(commands, failure)
            if isinstance(failure, BankNotFound):
                self._forget(held)
        finally:  # whatever happened, nobody is left waiting for an answer that will not come
            _fail([c for c in commands if c not in held.queue], RuntimeError("the write failed unexpectedly"))

    async def _catch_up_for(self, held: _Open, commands: Sequence[_Command[Any]]) -> None:
        """Another process was first: follow it, and stage the same commands again."""
        try:
            await self._catch_up(held)
        except MemoryBankError as failure:
            _fail(commands, failure)
            return
        waiting = [c for c in commands if not c.outcome.done() and c not in held.queue]
        held.queue.extendleft(reversed(waiting))

    async def _answer_replays(self, held: _Open, commands: Sequence[_Command[Any]]) -> list[_Command[Any]]:
        """Commands whose request_id is new; the others get their answer."""
        fresh = []
        for command in commands:
            if command.request is None:
                fresh.append(command)
                continue
            assert command.answer is not None, "a request needs the class of its answer"
            try:
                known = await self._known(held.bank.key, command.request, command.answer)
            except RequestIdReused as reused:
                _fail([command], reused)
                continue
            if known is None:
                fresh.append(command)
            elif not command.outcome.done():
                command.outcome.set_result(known)
        return fresh

    async def _known(
        self, key: BankKey, request: RequestKey, answer: type[Result]
    ) -> Committed[Result] | None:
        record = await self._store.request(key, request.request_id)
        if record is None:
            return None
        if (record.verb, record.digest) != (request.verb, request.digest) or record.answer is None:
            raise RequestIdReused(request.request_id)
        result = codec.decode(answer, record.answer)
        return Committed(result=result, revision=record.revision, replayed=True)

    def _stage(
        self, bank: Bank, commands: Sequence[_Command[Any]]
    ) -> tuple[list[tuple[_Command[Any], Draft[Any]]], list[_Command[Any]]]:
        """Drafts that can be appended together, each on the bank as it stands; the others wait for the next group."""
        staged: list[tuple[_Command[Any], Draft[Any]]] = []
        deferred: list[_Command[Any]] = []
        touched: set[str] = set()
        for command in commands:
            if staged and staged[0][1].sees_all:  # it may change any node: what follows must see what it did
                deferred.append(command)
                continue
            try:
                draft = command.stage(bank, bank.revision + len(staged) + 1)
            except (MemoryBankError, Unasked) as failure:
                _fail([command], failure)
                continue
            names = draft.touches | ({f"request:{command.request.request_id}"} if command.request else set())
            if staged and (draft.sees_all or names & touched):
                deferred.append(command)
            elif draft.steps:
                touched |= names
                staged.append((command, draft))
            elif not command.outcome.done():
                command.outcome.set_result(Committed(result=draft.result, revision=bank.revision))
        return staged, deferred

    async def _append(self, held: _Open, staged: Sequence[tuple[_Command[Any], Draft[Any]]]) -> None:
        """Store the group in one transaction, then make it visible and answer."""
        bank, changes, parent = held.bank, [], held.bank.head.change_id
        for place, (command, draft) in enumerate(staged, start=1):
            change = self._change(parent, bank.revision + place, draft, command.request)
            changes.append(change)
            parent = change.change_id
        await self._store.append(bank.key, bank.uid, changes)
        for change, (command, draft) in zip(changes, staged, strict=True):
            await self._apply(held, change)
            if not command.outcome.done():
                command.outcome.set_result(Committed(result=draft.result, revision=change.revision))
        held.confirmed = self._now()
        self._compact(held)

    async def _apply(self, held: _Open, change: Change) -> None:
        prepared = None
        if _text_length(change.steps) > LARGE_TEXT:
            prepared = await asyncio.to_thread(held.bank.prepare, change.steps)
        held.bank.apply(change, prepared)
        held.announce()

    def _change(
        self, parent: ChangeId | None, revision: int, draft: Draft[Any], request: RequestKey | None
    ) -> Change:
        now = self._clock.now()
        requests: tuple[RequestRecord, ...] = ()
        if request is not None:
            requests = (
                RequestRecord(
                    request_id=RequestId(request.request_id),
                    verb=request.verb,
                    digest=request.digest,
                    create_time=now,
                    answer=codec.encode(draft.result),
                    revision=revision,
                ),
            )
        change_id = ChangeId(self._ids.new("g"))
        return Change(
            change_id=change_id,
            parent=parent,
            revision=revision,
            time=now,
            steps=draft.steps,
            requests=requests,
        )

    # ---- the rest of the port ----

    async def keep_segment_vectors(
        self, key: BankKey, uid: str, vectors: Mapping[SegmentRef, Vector]
    ) -> None:
        """See the port."""
        await self._store.put_segment_vectors(key, uid, vectors)
        held = self._open.get(key)
        if held is not None and held.bank.uid == uid:
            held.bank.put_segment_vectors(vectors)
            self._compact(held)

    async def delete(self, key: BankKey, uid: str | None = None) -> PurgeCounts:
        """See the port."""
        return await self._shielded(self._delete(key, uid))

    async def _delete(self, key: BankKey, uid: str | None) -> PurgeCounts:
        held = await self._fresh(key, 0)
        async with held.moving:
            counts = await self._store.delete(key, uid or held.bank.uid)
            files = await self._blobs.delete_bank(key, uid or held.bank.uid)
            self._forget_texts()
            named = sum(len(i.attachments) for i in held.bank.tree.interactions.values())
            stored = sum(a.stored for i in held.bank.tree.interactions.values() for a in i.attachments)
            self._forget(held)
        return PurgeCounts(
            nodes=counts.nodes,
            edges=counts.edges,
            interactions=counts.interactions,
            segments=counts.segments,
            conflicts=counts.conflicts,
            changes=counts.changes,
            requests=counts.requests,
            files_removed=files,
            files_left=named - stored,
        )

    async def watch(self, key: BankKey, after: int) -> AsyncIterator[Change]:
        """See the port."""
        held = await self._fresh(key, 0)
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
                    await self._wait_for_move(held, moved)
        finally:
            held.pins -= 1

    async def _wait_for_move(self, held: _Open, moved: asyncio.Event) -> None:
        """Until the bank moves, here or (seen by following) in another process."""
        try:
            async with asyncio.timeout(self._holding.max_staleness):
                await moved.wait()
        except TimeoutError:
            await self._follow(held)

    # ---- upkeep ----

    def unembedded(self) -> list[tuple[BankKey, InteractionId]]:
        """See the port."""
        return [(key, i) for key, held in self._open.items() for i in held.bank.unembedded()]

    def held(self) -> list[BankKey]:
        """The banks in memory now."""
        return list(self._open)

    def _compact(self, held: _Open) -> None:
        """Rebuild grown indexes off the loop, if any and none is being rebuilt."""
        if held.compacting is None and not self._stopped and (jobs := held.bank.compactions()):
            held.compacting = asyncio.create_task(self._build(held, held.bank, jobs))

    async def _build(self, held: _Open, bank: Bank, jobs: Sequence[Any]) -> None:
        try:
            for job in jobs:
                await asyncio.to_thread(job.build)
                bank.adopt(job)
        finally:
            held.compacting = None

    async def close(self) -> None:
        """Let writers and compactions finish; nothing is left half done."""
        self._stopped = True
        for held in list(self._open.values()):
            tasks = [t for t in (held.writer, held.compacting) if t is not None]
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _shielded(self, act: Coroutine[Any, Any, Done]) -> Done:
        """See an act through, whoever stops waiting for it."""
        return await asyncio.shield(asyncio.create_task(act))


def _fail(commands: Sequence[_Command[Any]], failure: BaseException) -> None:
    for command in commands:
        if not command.outcome.done():
            command.outcome.set_exception(failure)
            command.outcome.exception()  # a caller that left will not fetch it


def _text_length(steps: Sequence[Step]) -> int:
    return sum(len(step.interaction.text) for step in steps if isinstance(step, InteractionAdd))
