"""ListInvocations: what the runs of agents left in a conversation, oldest first."""

from dataclasses import dataclass

from core.keys import ConversationKey
from core.model.invocation import InvocationSummary
from core.usecases.paging import BY_NUMBER, DEFAULT_PAGE, page_of
from core.usecases.ports import HasConversations


@dataclass(frozen=True, slots=True, kw_only=True)
class ListInvocations:
    key: ConversationKey
    page_size: int = DEFAULT_PAGE
    page_token: str = ""
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationsListed:
    invocations: tuple[InvocationSummary, ...]
    next_page_token: str
    revision: int


async def list_invocations(ports: HasConversations, command: ListInvocations) -> InvocationsListed:
    """Raises ConversationNotFound, RevisionNotReached, InvalidField (page_token)."""
    async with ports.conversations.reading(command.key, command.min_revision) as conversation:
        ordered = conversation.invocations_in_order()
        place = {each.invocation_id: number for number, each in enumerate(ordered)}
        page = page_of(
            command,
            ordered,
            lambda each: (place[each.invocation_id],),
            BY_NUMBER,
            command.page_token,
            command.page_size,
        )
        return InvocationsListed(
            invocations=page.items, next_page_token=page.next_page_token, revision=conversation.revision
        )
