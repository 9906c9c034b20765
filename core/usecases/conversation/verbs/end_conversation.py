"""EndConversation: what has no summary yet gets one, what was not looked through is, and the whole may be an episode.

Law: the end is durable first (ENDING); then it is carried out by whichever process comes first (ENDED). The next turn
begins the conversation again.
"""

from dataclasses import dataclass, replace

from core.conversation.conversation import Conversation
from core.conversation.steps import ConversationPut
from core.keys import ConversationKey
from core.model.conversation import ConversationRecord, ConversationState
from core.model.usage import NO_USAGE, Usage
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.conversation.learning.extract_facts import extract_facts
from core.usecases.conversation.learning.finish_conversation import finish_conversation
from core.usecases.conversation.ports import ExtractionPorts
from core.usecases.conversation.tiers.settle import ending
from core.usecases.conversation.tiers.summarise_turns import summarise_turns
from core.usecases.ports import HasConversations
from core.usecases.replays import keep_end, kept_end


@dataclass(frozen=True, slots=True, kw_only=True)
class EndConversation:
    """`wait`: answer when the end has been carried out."""

    key: ConversationKey
    wait: bool = False
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationEnded:
    """The conversation with what its end taught; `usage`: of a call that waited."""

    record: ConversationRecord
    revision: int
    replayed: bool = False
    usage: Usage = NO_USAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class EndStored:
    """What is kept for a repetition: the conversation, its end begun. It is missing in answers that were kept before it
    was told."""

    record: ConversationRecord | None = None


async def end_conversation(ports: ExtractionPorts, command: EndConversation) -> ConversationEnded:
    """Ends a conversation; one that has ended stays as it is. Raises ConversationNotFound, RequestIdReused; where it
    waits also MemoryOff, AgentUnavailable, AgentReplyInvalid, BudgetSpent: the end is stored then all the same."""
    key, now = command.key, ports.clock.now()

    def stage(conversation: Conversation, _revision: int) -> Draft[EndStored]:
        record = conversation.record
        if record.state is not ConversationState.ACTIVE:
            return Draft(result=EndStored(record=record))
        record = ending(record, now)
        return Draft(
            result=EndStored(record=record),
            steps=(ConversationPut(record=record),),
            touches=frozenset({"conversation"}),
        )

    stored = await ports.conversations.commit(key, stage, command.request, EndStored)
    if command.wait:
        ended = await _carried_out(ports, command, stored)
    elif (record := stored.result.record) is not None:
        ended = ConversationEnded(record=record, revision=stored.revision)
    else:
        ended = await _standing(ports, key, stored.revision, NO_USAGE)
    return replace(ended, replayed=stored.replayed)


async def _carried_out(
    ports: ExtractionPorts, command: EndConversation, stored: CommitResult[EndStored]
) -> ConversationEnded:
    """Carries the end out, once for all repetitions of the call."""
    key, request = command.key, command.request
    if stored.replayed:
        kept = await kept_end(ports.conversations, key, request, ConversationEnded)
        if kept is not None:
            return kept
    ledger = ports.workshop.ledger(key)
    for work in (summarise_turns, extract_facts, finish_conversation):
        await work(ports, key, ledger)
    ended = await _standing(ports, key, stored.revision, ledger.total())
    return await keep_end(ports.conversations, key, request, ended)


async def _standing(
    ports: HasConversations, key: ConversationKey, revision: int, usage: Usage
) -> ConversationEnded:
    async with ports.conversations.reading(key, revision) as conversation:
        return ConversationEnded(record=conversation.record, revision=conversation.revision, usage=usage)
