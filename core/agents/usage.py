"""What a call's agents cost: calls, tokens and time by role, and what they may cost.

Law: every question to an agent or the embedder goes through `Ledger.spending`, and every reply of a
model through `charge`, so nothing is spent that is not counted.
"""

from asyncio import CancelledError
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType

from core.errors import AgentReplyInvalid, AgentUnavailable, BudgetSpent, EmbedderUnavailable
from core.internal_errors import RerankerLate, RerankerUnavailable
from core.model.usage import RoleUsage, Usage
from core.ports.chat import ChatReply
from core.ports.clock import Clock


class Answer(StrEnum):
    """How a question to an agent ended."""

    OK = "ok"
    FELL_BACK = "fell_back"  # the offline agent answered in place of the model
    UNAVAILABLE = "unavailable"
    LATE = "late"  # no answer in its time
    INVALID = "invalid"  # the answer could not be used
    BUDGET_SPENT = "budget_spent"
    CANCELLED = "cancelled"
    FAILED = "failed"  # in a way that was never meant to be


ANSWERS: Mapping[type[BaseException], Answer] = {
    AgentUnavailable: Answer.UNAVAILABLE,
    EmbedderUnavailable: Answer.UNAVAILABLE,
    RerankerUnavailable: Answer.UNAVAILABLE,
    RerankerLate: Answer.LATE,
    AgentReplyInvalid: Answer.INVALID,
    BudgetSpent: Answer.BUDGET_SPENT,
    CancelledError: Answer.CANCELLED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleCall:
    """One question to one role: how it ended, after how many seconds, and what it cost."""

    role: str
    answer: Answer
    seconds: float
    cost: RoleUsage


Listen = Callable[[RoleCall], None]
"""Told of every question when it has ended."""


class TokenBudget:
    """What may be spent under one setting (`allowed` tokens; 0: no bound), and what has been.

    `recorded` of it is known to be on the bank's record, the rest is still to be put there.
    """

    def __init__(self, name: str, allowed: int = 0) -> None:
        self._name = name
        self._allowed = allowed
        self._recorded = 0
        self._unrecorded = 0

    def afford(self) -> None:
        """Raises BudgetSpent when nothing is left."""
        spent = self._recorded + self._unrecorded
        if self._allowed and spent >= self._allowed:
            raise BudgetSpent(budget=self._name, spent=spent, allowed=self._allowed)

    def charge(self, tokens: int) -> None:
        self._unrecorded += tokens

    def saw(self, recorded: int) -> None:
        """Takes over what the bank's record says is spent. It never falls."""
        self._recorded = max(self._recorded, recorded)

    def put_on_record(self, tokens: int, recorded: int) -> None:
        """Notes that so many of the tokens charged are part of what is recorded."""
        self._unrecorded -= tokens
        self.saw(recorded)


class Ledger:
    """Adds up what one call spends, as it spends it, and knows what it may not exceed.

    `call` bounds one call's spending, also where it is at work in several places, each with a ledger of its
    own; `bank` that of all that is at work on one bank.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        call: TokenBudget | None = None,
        bank: TokenBudget | None = None,
        listen: Listen | None = None,
    ) -> None:
        self.clock = clock
        self.call = call or TokenBudget("")
        self._bank = bank or TokenBudget("")
        self._listen = listen
        self._roles: dict[str, RoleUsage] = {}
        self._unrecorded = 0
        self.is_left = False  # the caller is gone while a change with the spending was being stored

    def spending(self, role: str) -> "Question":
        """Counts a question to `role` until the block ends, failed or not: the models it asks, else one call."""
        return Question(self, role)

    def total(self) -> Usage:
        return Usage(roles=dict(self._roles))

    @property
    def unrecorded(self) -> int:
        """Tokens spent that are not on the bank's record yet."""
        return self._unrecorded

    def saw(self, recorded: int) -> None:
        """Takes over what the bank's record says is spent, by all calls."""
        self._bank.saw(recorded)

    def put_on_record(self, tokens: int, recorded: int) -> None:
        """Notes that a change is stored which counts so many of the unrecorded tokens: the bank's record is at
        `recorded`."""
        self._unrecorded -= tokens
        self._bank.put_on_record(tokens, recorded)

    def afford(self) -> None:
        """Raises BudgetSpent when nothing is left to ask a model with."""
        self.call.afford()
        self._bank.afford()

    def charge(self, tokens: int) -> None:
        """Counts a reply, whatever it is worth."""
        self._unrecorded += tokens
        self.call.charge(tokens)
        self._bank.charge(tokens)

    def close(self, asked: RoleCall) -> None:
        """Counts a question as ended."""
        self._roles[asked.role] = self._roles.get(asked.role, RoleUsage()) + asked.cost
        if self._listen is not None:
            self._listen(asked)


class Question(AbstractContextManager["Question"]):
    """One question to one role, while it is open: agents need not be told what they cost, or to whom."""

    def __init__(self, ledger: Ledger, role: str) -> None:
        self.ledger = ledger
        self.cost = RoleUsage()
        self.uncompared_pairs = 0  # of sentences, by the Judge, because of its bounds
        self._role = role

    def __enter__(self) -> "Question":
        self._start = self.ledger.clock.now()
        self._token = _open.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        _open.reset(self._token)
        seconds = max(0.0, (self.ledger.clock.now() - self._start).total_seconds())  # a clock may be set back
        calls = 0 if self.cost.calls else 1
        cost = self.cost + RoleUsage(calls=calls, milliseconds=round(seconds * 1000))
        answer = self._answer(kind)
        self.ledger.close(RoleCall(role=self._role, answer=answer, seconds=seconds, cost=cost))

    def _answer(self, failure: type[BaseException] | None) -> Answer:
        if failure is None:
            return Answer.FELL_BACK if self.cost.fell_back else Answer.OK
        return ANSWERS.get(failure, Answer.FAILED)


_open: ContextVar[Question | None] = ContextVar("open", default=None)
"""The question that this task, and what it starts, is at work on."""


def afford() -> None:
    """Checks the budget before a model is asked. Raises BudgetSpent."""
    if (question := _open.get()) is not None:
        question.ledger.afford()


def charge(reply: ChatReply) -> None:
    """Counts the cost of a model's reply, good or bad."""
    if (question := _open.get()) is not None:
        question.ledger.charge(reply.input_tokens + reply.output_tokens)
        question.cost += RoleUsage(
            calls=1, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens
        )


def note_fallback() -> None:
    """Counts an answer of the offline agent in place of a model that could not."""
    if (question := _open.get()) is not None:
        question.cost += RoleUsage(fell_back=1)


def note_uncompared(pairs: int) -> None:
    """Counts pairs of sentences that a judgement did not compare because of its bounds."""
    if (question := _open.get()) is not None:
        question.uncompared_pairs += pairs
