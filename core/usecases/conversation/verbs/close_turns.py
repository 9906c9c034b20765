"""ReleaseTurns and EraseTurns: turns that were taken back stand again, or go for good.

A release brings back the turns, their clusters, keys and summaries. A summary that tells of other turns meanwhile is
made anew. What they taught long-term memory comes back next, before the call answers, or goes with them.

Law: one change of the conversation. What is erased leaves the steps of its retraction, and no word.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.conversation.conversation import Conversation
from core.conversation.steps import (
    ConversationPut,
    HeldTurnDrop,
    InvocationPut,
    KeyPut,
    MidPut,
    Step,
    SummaryDrop,
    SummaryPut,
    TurnAdd,
    TurnRetractionPut,
)
from core.errors import RetractionClosed
from core.keys import ConversationKey
from core.model.conversation import (
    ConversationRecord,
    StepRange,
    Summary,
    SummaryKind,
    SummaryOwed,
    TurnCluster,
)
from core.model.retraction import RetractionState
from core.model.turn_retraction import HeldTurn, TurnRetraction
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.conversation.learning.forget_turns import forget_turns, forgetting
from core.usecases.conversation.ports import ForgettingPorts
from core.usecases.retractions import tell_retracted


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseTurns:
    """`erases`: else they are released."""

    key: ConversationKey
    retraction_id: str
    erases: bool
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsClosed:
    """`turns` came back, or went for good."""

    retraction: TurnRetraction
    turns: int


async def close_turns(ports: ForgettingPorts, command: CloseTurns) -> CommitResult[TurnsClosed]:
    """Also where memory is off. Raises RetractionNotFound, RetractionClosed, ConversationNotFound, RequestIdReused."""
    now = ports.clock.now()
    state = RetractionState.ERASED if command.erases else RetractionState.RELEASED

    def stage(conversation: Conversation, _revision: int) -> Draft[TurnsClosed]:
        made = conversation.retraction(command.retraction_id)
        if made.state is not RetractionState.QUARANTINED:
            raise RetractionClosed(command.retraction_id, made.state)
        held = conversation.held_by(command.retraction_id)
        record = replace(
            conversation.record, generation=conversation.record.generation + 1, extraction=None, due_time=now
        )
        back: list[Step] = []
        if not command.erases:
            release = _Release(conversation, made, held)
            record, back = release.record(record), release.steps()
        record = forgetting(record, frozenset(made.steps), retraction_id=made.retraction_id, closes=state)
        closed = replace(made, state=state, close_time=now)
        drops = (HeldTurnDrop(name=each.name) for each in held)
        return Draft(
            result=TurnsClosed(retraction=closed, turns=sum(each.turn is not None for each in held)),
            steps=(ConversationPut(record=record), TurnRetractionPut(retraction=closed), *drops, *back),
            touches=frozenset({"conversation"}),
            erase=command.erases,
        )

    done = await ports.conversations.commit(command.key, stage, command.request, TurnsClosed)
    await tell_retracted(ports, ports.conversations, command.key, done.result.retraction)
    await forget_turns(ports, command.key)
    return done


class _Release:
    """What comes back into a conversation as it stands."""

    def __init__(self, conversation: Conversation, made: TurnRetraction, held: Sequence[HeldTurn]) -> None:
        self._conversation, self._made, self._held = conversation, made, held
        self._turns = [each.turn for each in held if each.turn is not None]
        self._back = frozenset(turn.step for turn in self._turns)
        self._is_as_left = conversation.record.generation == made.generation
        self._summaries = {e.summary.summary_id: e.summary for e in held if e.summary and self._is_as_left}

    def steps(self) -> list[Step]:
        back: list[Step] = [TurnAdd(turn=turn) for turn in self._turns]
        back += [MidPut(cluster=cluster) for cluster in self._clusters()]
        back += [SummaryPut(summary=summary) for summary in self._summaries.values()]
        back += [SummaryDrop(summary_id=each.summary_id) for each in self._outdated()]
        for each in self._held:
            if each.key is not None and self._stand(each.key.from_steps):
                back.append(KeyPut(key=each.key))
            if each.invocation is not None:
                back.append(InvocationPut(summary=each.invocation))
        return back

    def record(self, record: ConversationRecord) -> ConversationRecord:
        """Returns the record with the turns counted, and with what is to be made of them."""
        owed = {each.summary_id: each for each in record.owed if each.summary_id not in self._summaries}
        owed |= {each.summary_id: each for each in self._owed()}
        unlearned = (step for step in self._made.unlearned if step <= record.extracted_to)
        return replace(
            record,
            turn_count=record.turn_count + len(self._turns),
            text_bytes=record.text_bytes + sum(turn.text_bytes for turn in self._turns),
            owed=tuple(owed.values()),
            anew=tuple(sorted(self._back.intersection(unlearned).union(record.anew))),
        )

    def _stand(self, steps: Sequence[int]) -> bool:
        return all(step in self._back or self._conversation.has_turn(step) for step in steps)

    def _clusters(self) -> Iterator[TurnCluster]:
        """Yields the clusters that turns come back into; a turn that has none, and would be given none, founds one."""
        placed: set[int] = set()
        changed: dict[str, TurnCluster] = {}
        for each in self._held:
            if (was := each.cluster) is None:
                continue
            now = self._conversation.clusters.get(was.cluster_id)
            steps = self._back.intersection(was.steps).union(now.steps if now else ())
            placed |= steps
            if steps:
                changed[was.cluster_id] = replace(now or was, steps=tuple(sorted(steps)))
        yield from changed.values()
        for step in sorted(self._back - placed):
            if step <= self._conversation.record.placed_to:
                yield TurnCluster(cluster_id=f"c{step}", steps=(step,))

    def _outdated(self) -> list[Summary]:
        """Returns the summaries that were made without the turns that come back."""
        return [
            each
            for each in self._conversation.summaries_in_order()
            if each.summary_id not in self._summaries and each.tells_of(self._back)
        ]

    def _owed(self) -> Iterator[SummaryOwed]:
        """Yields the summaries to be made: those that are outdated, and of turns that none tells of."""
        for each in self._outdated():
            yield SummaryOwed(summary_id=each.summary_id, kind=each.kind, ranges=each.ranges)
        held = [e.summary for e in self._held if e.summary and e.summary.summary_id not in self._summaries]
        for each in held:
            yield SummaryOwed(summary_id=each.summary_id, kind=each.kind, ranges=each.ranges)
        told = [*self._outdated(), *held, *self._summaries.values()]
        record = self._conversation.record
        for step in sorted(self._back):
            if step <= record.summarised_to and not any(each.tells_of(frozenset({step})) for each in told):
                alone = StepRange(first_step=step, last_step=step)
                yield SummaryOwed(summary_id=f"s{step}-{step}", kind=SummaryKind.LONG, ranges=(alone,))
