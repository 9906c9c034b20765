"""DeleteSummaries: summaries go, and are not made anew; their turns stay."""

from dataclasses import dataclass, replace
from datetime import datetime

from core.conversation.conversation import Conversation
from core.conversation.steps import ConversationPut, Step, SummaryDrop
from core.keys import ConversationKey
from core.model.conversation import Summary, SummaryOwed
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.ports import HasConversations


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteSummaries:
    """Those wholly from one step to another; with a time, those whose turns were all said in it."""

    key: ConversationKey
    first_step: int | None = None
    last_step: int | None = None
    since: datetime | None = None
    until: datetime | None = None
    request: RequestKey | None = None

    def covers(self, summary: Summary | SummaryOwed) -> bool:
        """Whether all of it lies inside. What is only owed has no time."""
        first, last = summary.ranges[0].first_step, summary.ranges[-1].last_step
        if self.first_step is not None or self.last_step is not None:
            return (self.first_step is None or self.first_step <= first) and (
                self.last_step is None or last <= self.last_step
            )
        if isinstance(summary, SummaryOwed):
            return False
        return (self.since is None or self.since <= summary.start_time) and (
            self.until is None or summary.end_time < self.until
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SummariesDeleted:
    summaries: int


async def delete_summaries(
    ports: HasConversations, command: DeleteSummaries
) -> CommitResult[SummariesDeleted]:
    """Raises ConversationNotFound, RequestIdReused."""

    def stage(conversation: Conversation, _revision: int) -> Draft[SummariesDeleted]:
        gone = [s for s in conversation.summaries_in_order() if command.covers(s)]
        owed = tuple(each for each in conversation.record.owed if not command.covers(each))
        if not gone and owed == conversation.record.owed:
            return Draft(result=SummariesDeleted(summaries=0))
        steps: tuple[Step, ...] = (
            ConversationPut(record=replace(conversation.record, owed=owed)),
            *(SummaryDrop(summary_id=summary.summary_id) for summary in gone),
        )
        return Draft(
            result=SummariesDeleted(summaries=len(gone)),
            steps=steps,
            touches=frozenset({"conversation"}),
            erase=True,
        )

    return await ports.conversations.commit(command.key, stage, command.request, SummariesDeleted)
