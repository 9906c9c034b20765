"""RetractTurns: turns are taken back with all that rests on them: out of every answer at once, and kept for a release.

What they taught long-term memory is taken back next, under the same id, before the call answers; where a process dies
over it, as a chore.

Law: one change of the conversation. It counts as an erasure: the feed forgets what came before it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from core.conversation.conversation import Conversation
from core.conversation.steps import (
    ConversationPut,
    HeldTurnPut,
    InvocationDrop,
    KeyDrop,
    MidDrop,
    MidPut,
    Step,
    SummaryDrop,
    TurnDrop,
    TurnRetractionDrop,
    TurnRetractionPut,
)
from core.errors import CollectionNotFound
from core.keys import CollectionKey, ConversationKey
from core.long_term.unlearning import Selection
from core.model.conversation import Turn
from core.model.retraction import RetractionState
from core.model.turn_retraction import HeldTurn, TurnRetraction
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.conversation.learning.forget_turns import forget_turns, forgetting
from core.usecases.conversation.ports import ForgettingPorts
from core.usecases.conversation.verbs.delete_turns import counted, shrunk, without
from core.usecases.long_term.ports import RetractionPorts
from core.usecases.long_term.verbs.retract_records import RetractRecords, retract_records
from core.usecases.retractions import tell_retracted

MOST_CLOSED = 100
"""Closed retractions that a conversation keeps, the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetractTurns:
    """`steps`, each of which must be there; else turns by `writer`, and by time of writing from `since` until before
    `until`. `dry_run`: only tell what would go. `retraction_id`: of the retraction that it repeats; empty: a new
    one."""

    key: ConversationKey
    steps: tuple[int, ...] = ()
    writer: str = ""
    since: datetime | None = None
    until: datetime | None = None
    reason: str = ""
    dry_run: bool = False
    retraction_id: str = ""
    request: RequestKey | None = None

    def chooses(self, turn: Turn) -> bool:
        if self.writer and turn.writer != self.writer:
            return False
        if self.since is not None and turn.create_time < self.since:
            return False
        return self.until is None or turn.create_time < self.until


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsRetracted:
    """Without words: a repetition is answered from here. `retraction`: None where nothing was chosen, or it was only
    tried. `records` of long-term memory go with the turns, `changed` lose evidence or stand again."""

    retraction: TurnRetraction | None
    steps: tuple[int, ...] = ()
    clusters: int = 0
    summaries: int = 0
    keys: int = 0
    records: int = 0
    changed: int = 0


async def retract_turns(ports: ForgettingPorts, command: RetractTurns) -> CommitResult[TurnsRetracted]:
    """Takes turns back, also where memory is off. Raises ConversationNotFound, TurnNotFound, RequestIdReused."""
    retracting = _Retracting(
        command=command,
        retraction_id=command.retraction_id or ports.ids.new("x"),
        now=ports.clock.now(),
    )
    tried, revision = await _tried(ports, command)
    if command.dry_run:
        return CommitResult(result=tried, revision=revision)

    def stage(conversation: Conversation, _revision: int) -> Draft[TurnsRetracted]:
        return retracting.draft(conversation, tried)

    done = await ports.conversations.commit(command.key, stage, command.request, TurnsRetracted)
    await tell_retracted(ports, ports.conversations, command.key, done.result.retraction)
    await forget_turns(ports, command.key)
    return done


async def _tried(ports: ForgettingPorts, command: RetractTurns) -> tuple[TurnsRetracted, int]:
    """Returns what would go as the conversation stands, and at which revision that is."""
    async with ports.conversations.reading(command.key) as conversation:
        found = _there(conversation, command)
        rest, revision = without(conversation, found), conversation.revision
        place = CollectionKey(
            tenant=command.key.tenant, user=command.key.user, collection=conversation.record.collection
        )
    records, changed = await _taught(ports, command, place, found)
    return _told(found, rest, TurnsRetracted(retraction=None, records=records, changed=changed)), revision


def _there(conversation: Conversation, command: RetractTurns) -> frozenset[int]:
    """Returns the turns chosen. Of a repetition they went; only what is tried must name turns that are there."""
    if not command.steps:
        return _chosen(conversation, command)
    steps = [step for step in command.steps if command.dry_run or conversation.has_turn(step)]
    return _chosen(conversation, replace(command, steps=tuple(steps))) if steps else frozenset()


def _told(steps: Iterable[int], rest: list[Step], told: TurnsRetracted) -> TurnsRetracted:
    """Returns the answer with what goes of the conversation."""
    counts = counted(rest)
    return replace(
        told,
        steps=tuple(sorted(steps)),
        clusters=counts.clusters,
        summaries=counts.summaries,
        keys=counts.keys,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Retracting:
    """One retraction, made of a conversation as it stands."""

    command: RetractTurns
    retraction_id: str
    now: datetime

    def draft(self, conversation: Conversation, tried: TurnsRetracted) -> Draft[TurnsRetracted]:
        gone = _chosen(conversation, self.command)
        if not gone:
            return Draft(result=TurnsRetracted(retraction=None))
        rest, record = without(conversation, gone), shrunk(conversation, gone)
        made = self._retraction(conversation, gone, record.generation)
        record = forgetting(replace(record, due_time=self.now), gone, retraction_id=self.retraction_id)
        held = (HeldTurnPut(held=each) for each in _held(conversation, self.retraction_id, rest))
        kept = (TurnRetractionPut(retraction=made), *held, *oldest_closed(conversation))
        return Draft(
            result=_told(gone, rest, replace(tried, retraction=made)),
            steps=(ConversationPut(record=record), *kept, *rest),
            touches=frozenset({"conversation"}),
            erase=True,
        )

    def _retraction(
        self, conversation: Conversation, gone: frozenset[int], generation: int
    ) -> TurnRetraction:
        command = self.command
        return TurnRetraction(
            retraction_id=self.retraction_id,
            state=RetractionState.QUARANTINED,
            create_time=self.now,
            steps=tuple(sorted(gone)),
            unlearned=_unlearned(conversation, gone),
            generation=generation,
            writer=command.writer,
            since=command.since,
            until=command.until,
            reason=command.reason,
        )


def _chosen(conversation: Conversation, command: RetractTurns) -> frozenset[int]:
    if command.steps:
        return frozenset(conversation.turn(step).step for step in command.steps)
    everything = conversation.newest(len(conversation.steps))
    return frozenset(turn.step for turn in everything if command.chooses(turn))


async def _taught(
    ports: RetractionPorts, command: RetractTurns, place: CollectionKey, steps: frozenset[int]
) -> tuple[int, int]:
    """Returns how many records of long-term memory go with turns, and how many change."""
    if not steps:
        return 0, 0
    chosen = Selection(conversation_id=command.key.conversation_id, steps=steps)
    try:
        done = await retract_records(ports, RetractRecords(key=place, chosen=chosen, dry_run=True))
    except CollectionNotFound:
        return 0, 0
    return len(done.result.record_ids), len(done.result.changed_ids)


def _unlearned(conversation: Conversation, gone: frozenset[int]) -> tuple[int, ...]:
    """Returns the steps that had not been looked through for facts: what is at work on them does not land."""
    record = conversation.record
    waiting = {*record.anew, *(record.extraction.steps if record.extraction else ())}
    return tuple(sorted(step for step in gone if step > record.extracted_to or step in waiting))


def _held(conversation: Conversation, retraction_id: str, rest: Iterable[Step]) -> Iterator[HeldTurn]:
    """Yields everything that goes or shrinks, as it is before."""
    for step in rest:
        match step:
            case TurnDrop():
                turn = replace(conversation.turn(step.step), metadata_bytes=0)  # which goes for good
                yield HeldTurn(retraction_id=retraction_id, turn=turn)
            case MidDrop():
                yield HeldTurn(retraction_id=retraction_id, cluster=conversation.clusters[step.cluster_id])
            case MidPut():
                name = step.cluster.cluster_id
                yield HeldTurn(retraction_id=retraction_id, cluster=conversation.clusters[name])
            case SummaryDrop():
                yield HeldTurn(retraction_id=retraction_id, summary=conversation.summaries[step.summary_id])
            case KeyDrop():
                yield HeldTurn(retraction_id=retraction_id, key=conversation.keys[step.key_id])
            case InvocationDrop():
                told = conversation.invocations[step.invocation_id]
                yield HeldTurn(retraction_id=retraction_id, invocation=told)


def oldest_closed(conversation: Conversation) -> list[Step]:
    """Returns drops of the oldest closed retractions, so that there is room for one more."""
    closed = [r for r in conversation.retractions.values() if r.state is not RetractionState.QUARANTINED]
    closed.sort(key=lambda r: (r.create_time, r.retraction_id))
    return [
        TurnRetractionDrop(retraction_id=r.retraction_id) for r in closed[: max(0, len(closed) - MOST_CLOSED)]
    ]
