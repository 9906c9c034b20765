"""ListTurnRetractions: what was taken back of a conversation, by id, without its words."""

from dataclasses import dataclass

from core.keys import ConversationKey
from core.model.turn_retraction import TurnRetraction
from core.usecases.paging import BY_ID, DEFAULT_PAGE, page_of
from core.usecases.ports import HasConversations


@dataclass(frozen=True, slots=True, kw_only=True)
class ListTurnRetractions:
    key: ConversationKey
    page_size: int = DEFAULT_PAGE
    page_token: str = ""
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRetractionsListed:
    retractions: tuple[TurnRetraction, ...]
    next_page_token: str
    revision: int


async def list_turn_retractions(
    ports: HasConversations, command: ListTurnRetractions
) -> TurnRetractionsListed:
    """Raises InvalidField (page_token), ConversationNotFound, RevisionNotReached."""
    async with ports.conversations.reading(command.key, command.min_revision) as conversation:
        page = page_of(
            command,
            conversation.retractions.values(),
            lambda r: (r.retraction_id,),
            BY_ID,
            command.page_token,
            command.page_size,
        )
        return TurnRetractionsListed(
            retractions=page.items, next_page_token=page.next_page_token, revision=conversation.revision
        )
