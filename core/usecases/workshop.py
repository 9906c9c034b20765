"""Structuring at work in this process: one task per interaction, however many calls wait for it.

The work belongs to the bank: a call that gives up only stops waiting, a repeated call attaches to
what runs, and what a crash left is taken up by `usecases.leftovers`.
"""

import asyncio
from collections.abc import Awaitable, Callable
from weakref import WeakValueDictionary

from core.agents.usage import Ledger, Listen, RoleCall, TokenBudget
from core.ids import InteractionId
from core.keys import Key
from core.ports.clock import Clock
from core.usecases.limits import Budgets
from core.usecases.observer import NullObserver, Observer
from core.usecases.patience import RetryBackoff
from core.usecases.tokens import TokenCounts, owner_of

Report = Callable[[str, int, int], None]
"""Told how far work is: stage (`embedding` and `clustering` in segments, `structuring` in clusters, `planning`),
done, total."""

Work = Callable[[Ledger, Report], Awaitable[None]]


class Running:
    """One interaction being structured: its task, what it has spent, and who listens to its progress."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.task: asyncio.Task[None]
        self.listeners: list[Report] = []

    def report(self, stage: str, done: int, total: int) -> None:
        for listener in self.listeners:
            listener(stage, done, total)

    async def finished(self) -> None:
        """Waits for the work; cancelling the waiting leaves the work alone. Raises what the work raised."""
        await asyncio.shield(self.task)


class JobRunner:
    """Starts structuring, at most once per interaction, and keeps it going when callers leave."""

    def __init__(
        self, clock: Clock, budgets: Budgets | None = None, observer: Observer | None = None
    ) -> None:
        self.observer = observer or NullObserver()
        self.patience = RetryBackoff(clock)
        self.tokens = TokenCounts()
        self._clock = clock
        self._budgets = budgets or Budgets()
        self._purses: WeakValueDictionary[Key, TokenBudget] = WeakValueDictionary()
        self._running: dict[tuple[Key, InteractionId], Running] = {}
        self._turns: WeakValueDictionary[Key, asyncio.Lock] = WeakValueDictionary()

    def begin(
        self, key: Key, interaction_id: InteractionId, work: Work, caller: Ledger | None = None
    ) -> Running:
        """Returns the work on this interaction: what runs already, or a new start, within the budget of its caller."""
        running = self._running.get((key, interaction_id))
        if running is None:
            running = self._running[key, interaction_id] = Running(self.ledger(key, caller))
            running.task = asyncio.create_task(self._work(key, interaction_id, work, running))
            running.task.add_done_callback(_retrieve)
        return running

    def ledger(self, key: Key, caller: Ledger | None = None) -> Ledger:
        """Returns an account for a new call's spending on this bank, or for a part of the caller's: within the
        call's budget, and within what is left of the bank's."""
        purse = self._purses.get(key)
        if purse is None:
            purse = self._purses[key] = TokenBudget("budget.tokens_per_bank", self._budgets.tokens_per_bank)
        call = caller.call if caller else TokenBudget("budget.tokens_per_call", self._budgets.tokens_per_call)
        return Ledger(self._clock, call=call, bank=purse, listen=self._listening(key))

    def _listening(self, key: Key) -> Listen:
        """Tells the observer, and counts among the user's tokens."""
        owner = owner_of(key)
        if owner is None:
            return self.observer.asked

        def told(asked: RoleCall) -> None:
            self.tokens.add(owner, asked.cost.tokens)
            self.observer.asked(asked)

        return told

    def is_running(self, key: Key, interaction_id: InteractionId) -> bool:
        return (key, interaction_id) in self._running

    def is_at_work(self, key: Key) -> bool:
        """Whether an interaction of the bank is being structured."""
        return any(of == key for of, _ in self._running)

    @property
    def running(self) -> int:
        """How many interactions are being structured."""
        return len(self._running)

    def turn(self, key: Key) -> asyncio.Lock:
        """Returns the lock of a bank's turn: of two nodes judged at once, one would be judged again."""
        lock = self._turns.get(key)
        if lock is None:
            lock = self._turns[key] = asyncio.Lock()
        return lock

    async def close(self) -> None:
        """Stops all work where it stands; it is stored up to there and can be resumed."""
        tasks = [running.task for running in self._running.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _work(self, key: Key, interaction_id: InteractionId, work: Work, running: Running) -> None:
        try:
            await work(running.ledger, running.report)
        finally:
            del self._running[key, interaction_id]


def _retrieve(task: "asyncio.Task[None]") -> None:
    """Retrieves the task's failure: it is stored with the interaction, so a caller that left before has not missed
    it."""
    if not task.cancelled():
        task.exception()
