"""ListSummaries: summaries in step order."""

from dataclasses import dataclass
from datetime import datetime

from core.keys import ConversationKey
from core.model.conversation import Summary, SummaryKind
from core.usecases.paging import BY_NUMBER_AND_ID, DEFAULT_PAGE, page_of
from core.usecases.ports import HasConversations


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSummaries:
    """Those that touch the steps and the time. None: any."""

    key: ConversationKey
    kind: SummaryKind | None = None
    first_step: int | None = None
    last_step: int | None = None
    since: datetime | None = None
    until: datetime | None = None
    page_size: int = DEFAULT_PAGE
    page_token: str = ""
    min_revision: int = 0

    def admits(self, summary: Summary) -> bool:
        return (
            self.kind in (None, summary.kind)
            and (self.first_step is None or summary.last_step >= self.first_step)
            and (self.last_step is None or summary.first_step <= self.last_step)
            and (self.since is None or summary.end_time >= self.since)
            and (self.until is None or summary.start_time < self.until)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SummariesListed:
    summaries: tuple[Summary, ...]
    next_page_token: str
    revision: int


async def list_summaries(ports: HasConversations, command: ListSummaries) -> SummariesListed:
    """Raises ConversationNotFound, RevisionNotReached, InvalidField (page_token)."""
    async with ports.conversations.reading(command.key, command.min_revision) as conversation:
        page = page_of(
            command,
            filter(command.admits, conversation.summaries.values()),
            lambda summary: (summary.first_step, summary.summary_id),
            BY_NUMBER_AND_ID,
            command.page_token,
            command.page_size,
        )
        return SummariesListed(
            summaries=page.items, next_page_token=page.next_page_token, revision=conversation.revision
        )
