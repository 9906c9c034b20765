"""EndConversation: what has no summary yet gets one, what was not looked through is, and the whole may be an episode.

Law: the end is durable first (ENDING); then it is carried out by whichever process comes first (ENDED). The next turn
begins the conversation again.
"""

from dataclasses import dataclass

from core.conversation.conversation import Conversation
from core.conversation.steps import ConversationPut
from core.keys import ConversationKey
from core.model.conversation import ConversationRecord, ConversationState
from core.model.usage import NO_USAGE, Usage
from core.ports.aggregates import Draft, RequestKey
from core.usecases.conversation.extract_facts import extract_facts
from core.usecases.conversation.finish_conversation import finish_conversation
from core.usecases.conversation.settle import ending
from core.usecases.conversation.summarise_turns import summarise_turns
from core.usecases.house import House


@dataclass(frozen=True, slots=True, kw_only=True)
class EndConversation:
    """`wait`: answer when the end has been carried out."""

    key: ConversationKey
    wait: bool = False
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationEnded:
    """The conversation as it stands, with what its end taught; `usage`: of a call that waited."""

    record: ConversationRecord
    revision: int
    replayed: bool = False
    usage: Usage = NO_USAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class EndStored:
    """What is kept for a repetition."""


async def end_conversation(house: House, command: EndConversation) -> ConversationEnded:
    """Ends a conversation; one that has ended stays as it is. Raises ConversationNotFound, RequestIdReused; where it
    waits also MemoryOff, AgentUnavailable, AgentReplyInvalid, BudgetSpent: the end is stored then all the same."""
    key, now = command.key, house.clock.now()

    def stage(conversation: Conversation, _revision: int) -> Draft[EndStored]:
        record = conversation.record
        if record.state is not ConversationState.ACTIVE:
            return Draft(result=EndStored())
        return Draft(
            result=EndStored(),
            steps=(ConversationPut(record=ending(record, now)),),
            touches=frozenset({"conversation"}),
        )

    stored = await house.conversations.commit(key, stage, command.request, EndStored)
    ledger = house.workshop.ledger(key)
    if command.wait:
        for work in (summarise_turns, extract_facts, finish_conversation):
            await work(house, key, ledger)
    async with house.conversations.reading(key, stored.revision) as conversation:
        return ConversationEnded(
            record=conversation.record,
            revision=conversation.revision,
            replayed=stored.replayed,
            usage=ledger.total(),
        )
