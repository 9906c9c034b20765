"""Summarising: each full stretch of turns, what is left when a conversation ends, and what lost a turn."""

from collections.abc import Sequence
from dataclasses import replace

from core.agents.memory_roles import Purpose
from core.agents.usage import Ledger
from core.conversation.conversation import Conversation
from core.conversation.stretches import next_owed, put_summary, turns_of
from core.keys import ConversationKey
from core.model.conversation import Summary, SummaryKind, SummaryOwed, Turn
from core.usecases.conversation.ports import TierPorts
from core.usecases.conversation.tiers.tending import Outcome, SeenConversation, land, passages_of, summary_of

PURPOSES = {SummaryKind.LONG: Purpose.LONG, SummaryKind.FOLDED: Purpose.FOLDED}


async def summarise_turns(ports: TierPorts, key: ConversationKey, ledger: Ledger) -> None:
    """Summarises turns until no summary is owed. Raises ConversationNotFound, AgentUnavailable, AgentReplyInvalid,
    BudgetSpent."""
    while await _summarise_one(ports, key, ledger):
        pass


async def _summarise_one(ports: TierPorts, key: ConversationKey, ledger: Ledger) -> bool:
    """Whether one was owed."""
    async with ports.conversations.reading(key) as conversation:
        seen, owed = SeenConversation.of(conversation), next_owed(conversation)
        if owed is None:
            return False
        turns = turns_of(conversation, owed.ranges)
        limit = conversation.tiers.summary_length
    summary = await summarised(ports, ledger, owed, turns, limit)

    def make(conversation: Conversation) -> Outcome | None:
        if next_owed(conversation) != owed:
            return None
        record = conversation.record
        if owed in record.owed:
            record = replace(record, owed=tuple(each for each in record.owed if each != owed))
        else:
            record = replace(record, summarised_to=owed.ranges[-1].last_step)
        return record, put_summary(conversation, summary)

    await land(ports, key, seen, ledger, make)
    return True


async def summarised(
    ports: TierPorts, ledger: Ledger, owed: SummaryOwed, turns: Sequence[Turn], limit: int
) -> Summary:
    """Returns the summary of some turns. Raises AgentUnavailable, AgentReplyInvalid, BudgetSpent."""
    passages = passages_of(turns)
    text = await summary_of(ports, ledger, passages, limit, PURPOSES[owed.kind])
    times = [turn.event_time for turn in turns]
    return Summary(
        summary_id=owed.summary_id,
        kind=owed.kind,
        ranges=owed.ranges,
        text=text,
        start_time=min(times),
        end_time=max(times),
        create_time=ports.clock.now(),
    )
