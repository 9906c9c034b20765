"""Covering mentions in a conversation: sentences that name a person or a thing are overwritten, word for word, and what
rested on their turns is made anew.

Law: one change, and an erasure. A turn keeps its step, its length and its cluster; no offset moves. What these turns
taught long-term memory goes next, without a tombstone: the turns are looked through again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.conversation.conversation import Conversation
from core.conversation.steps import (
    ConversationPut,
    HeldTurnDrop,
    HeldTurnPut,
    InvocationDrop,
    KeyDrop,
    Step,
    SummaryDrop,
    TurnAdd,
    TurnDrop,
    TurnRetractionPut,
)
from core.errors import ConversationNotFound
from core.keys import ConversationKey
from core.model.conversation import ConversationRecord, KeyType, SummaryOwed, Turn
from core.ports.aggregates import Draft
from core.text.mentions import Mentions
from core.text.sensitive import lines_of_json
from core.usecases.conversation.learning.forget_turns import forget_turns, forgetting
from core.usecases.conversation.ports import ForgettingPorts
from core.usecases.conversation.turn_metadata import metadata_of
from core.usecases.ports import HasConversations


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsCovered:
    """Turns that were overwritten, and what went: keys, summaries (owed again), summaries of runs."""

    turns: int = 0
    keys: int = 0
    summaries: int = 0
    invocations: int = 0


async def cover_turns(
    ports: ForgettingPorts, key: ConversationKey, mentions: Mentions, *, dry_run: bool = False
) -> TurnsCovered:
    """Covers them, also where memory is off; nothing where the conversation is gone. `dry_run`: only counts."""
    now = ports.clock.now()
    beside = await _naming_beside(ports, key, mentions)

    def stage(conversation: Conversation, _revision: int) -> Draft[TurnsCovered]:
        every = conversation.newest(len(conversation.steps))
        turns = [turn for turn in every if turn.step in beside or _names(turn, mentions)]
        steps = frozenset(turn.step for turn in turns)
        rest = [
            *(step for turn in turns for step in _again(turn, mentions)),
            *_keys(conversation, steps, mentions),
            *_summaries(conversation, steps, mentions),
            *_invocations(conversation, mentions),
            *_held(conversation, mentions),
            *_retractions(conversation, mentions),
        ]
        record = _record(conversation, turns, steps, mentions)
        if not rest and record == conversation.record:
            return Draft(result=TurnsCovered())
        if steps:
            record = forgetting(record, steps, again=True)
        return Draft(
            result=_counted(rest),
            steps=(ConversationPut(record=replace(record, due_time=now)), *rest),
            touches=frozenset({"conversation"}),
            erase=True,
        )

    try:
        if dry_run:
            async with ports.conversations.reading(key) as conversation:
                return stage(conversation, 0).result
        done = await ports.conversations.commit(key, stage)
        await forget_turns(ports, key)
    except ConversationNotFound:
        return TurnsCovered()
    return done.result


async def _naming_beside(ports: HasConversations, key: ConversationKey, mentions: Mentions) -> frozenset[int]:
    """Returns the steps of turns whose metadata hold a name."""
    try:
        async with ports.conversations.reading(key) as conversation:
            uid = conversation.uid
            every = conversation.newest(len(conversation.steps))
            steps = [turn.step for turn in every if turn.metadata_bytes]
    except ConversationNotFound:
        return frozenset()
    found = set[int]()
    async for step, metadata_json in metadata_of(ports, key, uid, steps):
        if mentions.are_in(*lines_of_json(metadata_json)):
            found.add(step)
    return frozenset(found)


def _names(turn: Turn, mentions: Mentions) -> bool:
    labels = (*turn.labels, *turn.labels.values())
    return mentions.are_in(turn.input, turn.reply, turn.input_speaker, turn.reply_speaker, *labels)


def _again(turn: Turn, mentions: Mentions) -> Iterator[Step]:
    """Yields the turn anew: its vectors and its metadata go with the old one."""
    yield TurnDrop(step=turn.step)
    yield TurnAdd(turn=_covered(turn, mentions))


def _covered(turn: Turn, mentions: Mentions) -> Turn:
    return replace(
        turn,
        input=mentions.covered(turn.input),
        reply=mentions.covered(turn.reply),
        input_speaker=mentions.covered(turn.input_speaker),
        reply_speaker=mentions.covered(turn.reply_speaker),
        labels=mentions.left_out(turn.labels),
        metadata_bytes=0,
    )


def _keys(conversation: Conversation, steps: frozenset[int], mentions: Mentions) -> Iterator[Step]:
    for key in conversation.keys_in_order():
        rests = key.type is KeyType.SYSTEM and not steps.isdisjoint(key.from_steps)
        if rests or mentions.are_in(key.text):
            yield KeyDrop(key_id=key.key_id)


def _summaries(conversation: Conversation, steps: frozenset[int], mentions: Mentions) -> Iterator[Step]:
    for summary in conversation.summaries_in_order():
        if summary.tells_of(steps) or mentions.are_in(summary.text):
            yield SummaryDrop(summary_id=summary.summary_id)


def _invocations(conversation: Conversation, mentions: Mentions) -> Iterator[Step]:
    for summary in conversation.invocations_in_order():
        if mentions.are_in(str(summary)):
            yield InvocationDrop(invocation_id=summary.invocation_id)


def _held(conversation: Conversation, mentions: Mentions) -> Iterator[Step]:
    """Yields what becomes of what a retraction keeps: turns are covered, what rested on them goes."""
    for name, held in sorted(conversation.held.items()):
        if held.turn is not None and _names(held.turn, mentions):
            yield HeldTurnPut(held=replace(held, turn=_covered(held.turn, mentions)))
        elif held.turn is None and mentions.are_in(str(held)):
            yield HeldTurnDrop(name=name)


def _retractions(conversation: Conversation, mentions: Mentions) -> Iterator[Step]:
    """Yields the retractions whose reason, in a caller's words, holds a name."""
    for made in conversation.retractions.values():
        if mentions.are_in(made.reason):
            yield TurnRetractionPut(retraction=replace(made, reason=mentions.covered(made.reason)))


def _record(
    conversation: Conversation, turns: Sequence[Turn], steps: frozenset[int], mentions: Mentions
) -> ConversationRecord:
    """Returns the record with the summaries that it owes, and without the names in its goal and labels."""
    record = conversation.record
    lost = [s for s in conversation.summaries_in_order() if s.tells_of(steps) or mentions.are_in(s.text)]
    owed = {each.summary_id: each for each in record.owed}
    owed |= {s.summary_id: SummaryOwed(summary_id=s.summary_id, kind=s.kind, ranges=s.ranges) for s in lost}
    after = replace(
        record,
        goal=mentions.covered(record.goal),
        labels=mentions.left_out(record.labels),
        owed=tuple(owed.values()),
    )
    if not steps:
        return after
    return replace(
        after,
        extraction=None,  # what is at work does not land
        text_bytes=record.text_bytes + sum(_covered(t, mentions).text_bytes - t.text_bytes for t in turns),
        metadata_bytes=record.metadata_bytes - sum(turn.metadata_bytes for turn in turns),
        generation=record.generation + 1,
    )


def _counted(steps: Sequence[Step]) -> TurnsCovered:
    def count(kind: type) -> int:
        return sum(isinstance(step, kind) for step in steps)

    return TurnsCovered(
        turns=count(TurnAdd) + count(HeldTurnPut),
        keys=count(KeyDrop),
        summaries=count(SummaryDrop),
        invocations=count(InvocationDrop),
    )
