"""DeleteTurns: turns go, and in the same change all that rests on them; what can be made anew is owed.

What the turns taught long-term memory goes next, before the call answers; where a process dies over it, as a chore.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.conversation import worths
from core.conversation.conversation import Conversation
from core.conversation.steps import (
    ConversationPut,
    InvocationDrop,
    KeyDrop,
    MidDrop,
    MidPut,
    Step,
    SummaryDrop,
    TurnDrop,
)
from core.conversation.stretches import turns_of
from core.errors import TurnNotFound
from core.keys import ConversationKey
from core.model.conversation import ConversationRecord, KeyType, SummaryOwed
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.conversation.learning.forget_turns import forget_turns, forgetting
from core.usecases.conversation.ports import TurnDeletionPorts
from core.usecases.deletions import tell_deleted


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteTurns:
    """`steps`, each of which must be there; or, none of them given, a range in which some turn must be. `keep_records`:
    what they taught long-term memory stays."""

    key: ConversationKey
    steps: tuple[int, ...] = ()
    first_step: int = 0
    last_step: int = 0
    keep_records: bool = False
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsDeleted:
    """How much went; clusters: those that lost their last turn."""

    turns: int
    clusters: int
    summaries: int
    keys: int


async def delete_turns(ports: TurnDeletionPorts, command: DeleteTurns) -> CommitResult[TurnsDeleted]:
    """Raises ConversationNotFound, TurnNotFound, RequestIdReused."""
    now = ports.clock.now()

    def stage(conversation: Conversation, _revision: int) -> Draft[TurnsDeleted]:
        gone = frozenset(_chosen(conversation, command))
        rest = without(conversation, gone)
        record = replace(shrunk(conversation, gone), due_time=now)
        if not command.keep_records:
            record = forgetting(record, gone)
        return Draft(
            result=counted(rest),
            steps=(ConversationPut(record=record), *rest),
            touches=frozenset({"conversation"}),
            erase=True,
        )

    done = await ports.conversations.commit(command.key, stage, command.request, TurnsDeleted)
    await tell_deleted(ports, ports.conversations, command.key, done)
    await forget_turns(ports, command.key)
    return done


def _chosen(conversation: Conversation, command: DeleteTurns) -> list[int]:
    if command.steps:
        return [conversation.turn(step).step for step in command.steps]
    found = [turn.step for turn in conversation.between(command.first_step, command.last_step)]
    if not found:
        raise TurnNotFound(command.first_step)
    return found


def without(conversation: Conversation, gone: frozenset[int]) -> list[Step]:
    """Returns the steps by which turns go, with all that rests on them."""
    return [
        *(TurnDrop(step=step) for step in sorted(gone)),
        *_clusters(conversation, gone),
        *_summaries(conversation, gone),
        *_keys(conversation, gone),
        *_invocations(conversation, gone),
        *worths.without(conversation.worths.values(), gone),
    ]


def _clusters(conversation: Conversation, gone: frozenset[int]) -> Iterator[Step]:
    names = conversation.cluster_names()
    for name in dict.fromkeys(names[step] for step in sorted(gone) if step in names):
        cluster = conversation.clusters[name]
        left = tuple(step for step in cluster.steps if step not in gone)
        yield MidPut(cluster=replace(cluster, steps=left)) if left else MidDrop(cluster_id=name)


def _summaries(conversation: Conversation, gone: frozenset[int]) -> Iterator[Step]:
    for summary in conversation.summaries_in_order():
        if summary.tells_of(gone):
            yield SummaryDrop(summary_id=summary.summary_id)


def _keys(conversation: Conversation, gone: frozenset[int]) -> Iterator[Step]:
    for key in conversation.keys_in_order(KeyType.SYSTEM):
        if gone.intersection(key.from_steps):
            yield KeyDrop(key_id=key.key_id)


def _invocations(conversation: Conversation, gone: frozenset[int]) -> Iterator[Step]:
    for summary in conversation.invocations_in_order():
        if summary.step in gone:
            yield InvocationDrop(invocation_id=summary.invocation_id)


def shrunk(conversation: Conversation, gone: frozenset[int]) -> ConversationRecord:
    """Returns the record without the turns, and with the summaries it owes for what is left of theirs."""
    record = conversation.record
    lost = (s for s in conversation.summaries_in_order() if s.tells_of(gone))
    owed = {each.summary_id: each for each in record.owed}
    owed |= {s.summary_id: SummaryOwed(summary_id=s.summary_id, kind=s.kind, ranges=s.ranges) for s in lost}
    standing = tuple(
        each for each in owed.values() if any(t.step not in gone for t in turns_of(conversation, each.ranges))
    )
    return replace(
        record,
        owed=standing,
        extraction=None,  # what is at work does not land; the turns that are left are fixed anew
        anew=tuple(step for step in record.anew if step not in gone),
        turn_count=record.turn_count - len(gone),
        text_bytes=record.text_bytes - sum(conversation.turn(step).text_bytes for step in gone),
        metadata_bytes=record.metadata_bytes - sum(conversation.turn(step).metadata_bytes for step in gone),
        generation=record.generation + 1,
    )


def counted(steps: list[Step]) -> TurnsDeleted:
    def count(kind: type) -> int:
        return sum(isinstance(step, kind) for step in steps)

    return TurnsDeleted(
        turns=count(TurnDrop), clusters=count(MidDrop), summaries=count(SummaryDrop), keys=count(KeyDrop)
    )
