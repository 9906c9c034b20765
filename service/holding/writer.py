"""The writer of one aggregate: stages what has gathered, stores it in one transaction, makes it visible.

Law: durable first, visible second; one writer per aggregate and process. The store's head is the fence:
a writer that staged on an old head follows, and stages the same commands again.

A request is stored with its change, once: the store refuses to append it a second time. So it is looked up only
where the store refused it, or its command did not fit; the stored answer is then returned.
"""

import asyncio
import random
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic

from core.aggregate import codec
from core.aggregate.aggregate import Aggregate
from core.aggregate.change import Change
from core.aggregate.kind import Kind
from core.errors import AggregateNotFound, MemoryBankError, RequestIdReused, StoreUnavailable
from core.ids import ChangeId, RequestId
from core.index.giving_way import yield_to_loop
from core.internal_errors import HeadMoved, RequestRepeated, RequirementFailed
from core.keys import Key
from core.model.request import RequestRecord
from core.ports.aggregates import CommitResult, Draft, RequestKey, Result
from core.ports.clock import Clock, Ids
from core.ports.store import Require, Store
from service.holding.held import HeldAggregate

GROUP = 64  # commands to one append, at most
TURN = 50  # steps staged or applied in one go, or staged in vain: then reads that wait go first
CONTENTION_PAUSE = 0.004  # seconds, at most, that a winner leaves a contested head to others
CONTENTION_MEMORY = 1.0  # seconds for which a foreign change counts as contention


@dataclass(slots=True, eq=False)
class _Command(Generic[Result]):
    """`outcome` is cancelled with its caller, which only stops waiting: the command stands until it `is_settled`.
    `came`: when it was queued."""

    stage: Callable[[Any, int], Draft[Result]]
    request: RequestKey | None
    answer: type[Result] | None
    outcome: "asyncio.Future[CommitResult[Result]]"
    came: float
    is_settled: bool = False

    def settle(self, committed: CommitResult[Result]) -> None:
        self.is_settled = True
        if not self.outcome.done():
            self.outcome.set_result(committed)

    def fail(self, failure: BaseException) -> None:
        """Sets the failure as the outcome, unless the command is settled."""
        if not self.is_settled:
            self.is_settled = True
            if not self.outcome.done():
                self.outcome.set_exception(failure)
                self.outcome.exception()  # a caller that left meanwhile will not fetch it


Staged = tuple[_Command[Any], Draft[Any]]
Misfit = tuple[_Command[Any], BaseException]
"""A command that cannot be carried out on the aggregate as it stands, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """Where changes are stored, with the clock and the ids that they are made with."""

    store: Store
    clock: Clock
    ids: Ids
    replays: "Counter[str]" = field(default_factory=Counter)
    """Repeated requests that got their first answer again, by verb."""

    def change(
        self, parent: ChangeId | None, revision: int, draft: Draft[Any], request: RequestKey | None
    ) -> Change[Any]:
        """Returns the draft as the change of this revision, its answer kept under the request's id."""
        now = self.clock.now()
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
        return Change(
            change_id=ChangeId(self.ids.new("g")),
            parent=parent,
            revision=revision,
            time=now,
            steps=draft.steps,
            requests=requests,
        )

    async def known(self, key: Key, request: RequestKey, answer: type[Result]) -> CommitResult[Result] | None:
        """Returns the answer that this request got before, if any. Raises RequestIdReused."""
        records = await self.store.requests(key, [RequestId(request.request_id)])
        return self.answered(records.get(RequestId(request.request_id)), request, answer)

    def answered(
        self, record: RequestRecord | None, request: RequestKey, answer: type[Result]
    ) -> CommitResult[Result] | None:
        """Returns the answer that is kept under the request's id, if any is. Raises RequestIdReused."""
        if record is None:
            return None
        if (record.verb, record.digest) != (request.verb, request.digest):
            raise RequestIdReused(request.request_id)
        result = codec.decode(answer, record.answer)
        self.replays[request.verb] += 1
        return CommitResult(result=result, revision=record.revision, replayed=True)


class Writer:
    """The queue of one aggregate's commands, worked off group by group."""

    def __init__(self, held: HeldAggregate, journal: Journal, done: Callable[[], None]) -> None:
        """`done` is called whenever the queue has been worked off."""
        self._held = held
        self._journal = journal
        self._done = done
        self._queue: deque[_Command[Any]] = deque()
        self._task: asyncio.Task[None] | None = None
        self._now = asyncio.get_running_loop().time

    @property
    def is_idle(self) -> bool:
        return self._task is None

    @property
    def queued(self) -> int:
        """The number of commands that wait for their turn."""
        return len(self._queue)

    async def commit(
        self,
        stage: Callable[[Any, int], Draft[Result]],
        request: RequestKey | None,
        answer: type[Result] | None,
    ) -> CommitResult[Result]:
        """Queues the command and waits for its outcome. A cancelled caller leaves it in the queue."""
        assert request is None or answer is not None, "a request needs the class of its answer"
        outcome: asyncio.Future[CommitResult[Result]] = asyncio.get_running_loop().create_future()
        self._queue.append(_Command(stage, request, answer, outcome, self._now()))
        if self._task is None:
            self._task = asyncio.create_task(self._write())
        return await outcome

    async def finished(self) -> None:
        """Waits until the queue is worked off."""
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    async def _write(self) -> None:
        """Works off the queue, group by group, until it is empty. However it ends, no caller is left waiting."""
        try:
            while self._queue:
                if self._now() - self._held.foreign < CONTENTION_MEMORY:
                    await asyncio.sleep(random.uniform(0, CONTENTION_PAUSE))
                before = self._held.aggregate.head.revision
                async with self._held.moving:
                    await self._write_group()
                await asyncio.sleep(0)  # callers that have their answers go first
                if self._held.aggregate.head.revision > before and not self._held.gone:
                    self._held.edited()
        finally:
            self._task = None
            _fail(self._queue, StoreUnavailable("the writer stopped before it came to this"))
            self._queue.clear()
            self._held.used = self._now()
            self._done()

    async def _write_group(self) -> None:
        commands = [self._queue.popleft() for _ in range(min(GROUP, len(self._queue)))]
        try:
            try:
                await self._stage_and_append(commands)
            except HeadMoved:  # another process was first: follow it, and stage the same commands again
                await self._held.catch_up()
                self._queue.extendleft(reversed(self._left_of(commands)))
        except MemoryBankError as failure:
            _fail(self._left_of(commands), failure)
            if isinstance(failure, AggregateNotFound):
                self._held.leave()
        except Exception as defect:  # noqa: BLE001 - no caller is left waiting, nothing halfway between two changes
            _fail(self._left_of(commands), defect)
            await self._held.load_again()

    async def _stage_and_append(self, commands: Sequence[_Command[Any]]) -> None:
        if self._held.gone:
            raise self._held.kind.missing(self._held.aggregate.key)
        staged = await _staged(self._held.aggregate, commands)
        self._queue.extendleft(reversed(staged.deferred))
        if not await self._stood_there(staged.unchecked):
            self._queue.extendleft(reversed(self._left_of(commands)))
            return
        for command, draft in staged.unchanging:
            command.settle(CommitResult(result=draft.result, revision=self._held.aggregate.head.revision))
        await self._refuse(staged.misfits)
        if staged.drafts:
            await self._append(staged.drafts)

    async def _stood_there(self, commands: Sequence[_Command[Any]]) -> bool:
        """Whether the store's head was the one in memory at some time since these commands came; follows where it was
        not. No append proves what they are told."""
        held = self._held
        if all(held.confirmed >= command.came for command in commands):
            return True
        head = held.aggregate.head
        await held.catch_up()
        return not held.gone and held.aggregate.head == head

    def _left_of(self, commands: Sequence[_Command[Any]]) -> list[_Command[Any]]:
        """Returns those that neither have their outcome nor wait for the next group."""
        return [c for c in commands if not c.is_settled and c not in self._queue]

    async def _refuse(self, misfits: Sequence[Misfit]) -> None:
        """Fails these commands, but answers those whose request was carried out before: they fitted then."""
        await self._answer_repeated([command for command, _ in misfits])
        for command, failure in misfits:
            command.fail(failure)

    async def _answer_repeated(self, commands: Sequence[_Command[Any]]) -> None:
        """Settles those whose request_id is stored: with its answer, or RequestIdReused. One query for all."""
        request_ids = {c.request.request_id for c in commands if c.request is not None}
        if not request_ids:
            return
        records = await self._journal.store.requests(self._held.aggregate.key, request_ids)
        for command in commands:
            if command.request is None or command.answer is None:  # both, or neither
                continue
            try:
                record = records.get(RequestId(command.request.request_id))
                known = self._journal.answered(record, command.request, command.answer)
            except RequestIdReused as reused:
                command.fail(reused)
                continue
            if known is not None:
                command.settle(known)

    async def _append(self, staged: Sequence[Staged]) -> None:
        """Stores the group in one transaction, then makes it visible and answers."""
        head, changes = self._held.aggregate.head, []
        parent = head.change_id
        for place, (command, draft) in enumerate(staged, start=1):
            change = self._journal.change(parent, head.revision + place, draft, command.request)
            changes.append(change)
            parent = change.change_id
        drafts = [draft for _, draft in staged]
        try:
            prepared = await self._store(changes, drafts)
        except (RequirementFailed, RequestRepeated) as refusal:
            await self._sort_out(staged, refusal)
            return
        steps = 0
        for change, words, (command, draft) in zip(changes, prepared, staged, strict=True):
            self._held.apply(change, words)
            command.settle(CommitResult(result=draft.result, revision=change.revision, steps=draft.steps))
            if (steps := steps + len(change.steps)) > TURN:
                steps = 0
                await yield_to_loop()
        self._held.confirmed = self._now()

    async def _sort_out(self, staged: Sequence[Staged], refusal: RequirementFailed | RequestRepeated) -> None:
        """Answers the commands that the store refused; the others of their group are staged again, first of all."""
        commands = [command for command, _ in staged]
        if isinstance(refusal, RequirementFailed):
            owners = [require.key for require in owned(self._held.kind, self._held.aggregate.record)]
            await self._refuse(
                [
                    (command, refusal)
                    for command, draft in staged
                    if refusal.key in owners or any(r.key == refusal.key for r in draft.requires)
                ]
            )
        else:
            await self._answer_repeated(commands)
        self._queue.extendleft(reversed(self._left_of(commands)))

    async def _store(self, changes: Sequence[Change[Any]], drafts: Sequence[Draft[Any]]) -> Sequence[Any]:
        """Stores the changes and analyses their texts: much text in a thread, a little while the disk syncs."""
        held, at_hand = self._held, self._held.aggregate
        store = partial(
            self._journal.store.append,
            at_hand.key,
            at_hand.head.uid,
            changes,
            requires=(
                *owned(held.kind, at_hand.record),
                *{require: None for draft in drafts for require in draft.requires},
            ),
            erase=any(draft.erase for draft in drafts),
        )
        if held.are_wordy(changes):
            _, prepared = await asyncio.gather(store(), held.prepare(changes))
            return list(prepared)
        found: list[Any] = []
        await store(meanwhile=lambda: found.extend([at_hand.prepare(change.steps) for change in changes]))
        return found or [None] * len(changes)


def owned(kind: Kind[Any, Any], record: Any) -> tuple[Require, ...]:
    """Returns what every write of an aggregate with this record requires of its user."""
    owner = kind.owner_of(record)
    return () if owner is None else (Require(key=owner, if_there=True),)


@dataclass(frozen=True, slots=True)
class _StagedGroup:
    """What became of a group. `drafts` can be appended together, each on the aggregate as it stands; `unchanging` ones
    have nothing to append; `deferred` commands wait for the next group; `misfits` do not fit."""

    drafts: list[Staged] = field(default_factory=list)
    unchanging: list[Staged] = field(default_factory=list)
    deferred: list[_Command[Any]] = field(default_factory=list)
    misfits: list[Misfit] = field(default_factory=list)

    @property
    def unchecked(self) -> list[_Command[Any]]:
        """The commands whose outcome rests on the aggregate in memory alone."""
        refused = [command for command, failure in self.misfits if isinstance(failure, MemoryBankError)]
        return [*refused, *(command for command, _ in self.unchanging)]


async def _staged(aggregate: Aggregate[Any], commands: Sequence[_Command[Any]]) -> _StagedGroup:
    """Stages the commands. Of batches that touch the same things, all but one are staged in vain: after TURN such steps
    the rest are deferred."""
    steps = in_vain = 0
    revision = aggregate.head.revision
    done = _StagedGroup()
    touched: set[str] = set()
    for command in commands:
        sees_all = (
            done.drafts and done.drafts[0][1].sees_all
        )  # may change anything: others wait for its outcome
        if sees_all or in_vain > TURN:
            done.deferred.append(command)
            continue
        try:
            draft = command.stage(aggregate, revision + len(done.drafts) + 1)
        except Exception as failure:  # noqa: BLE001 - it is this command's own: nothing has changed
            done.misfits.append((command, failure))
            continue
        names = draft.touches | ({f"request:{command.request.request_id}"} if command.request else set())
        if done.drafts and (draft.sees_all or names & touched):
            done.deferred.append(command)
            in_vain += len(draft.steps)
        elif draft.steps or command.request is not None:  # what changed nothing is remembered too
            touched |= names
            done.drafts.append((command, draft))
            if (steps := steps + len(draft.steps)) > TURN:
                steps = 0
                await yield_to_loop()
        else:
            done.unchanging.append((command, draft))
    return done


def _fail(commands: Iterable[_Command[Any]], failure: BaseException) -> None:
    for command in commands:
        command.fail(failure)
