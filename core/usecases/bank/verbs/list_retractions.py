"""ListInteractionRetractions: what was taken back of a bank, by id, without its words."""

from dataclasses import dataclass

from core.keys import BankKey
from core.model.interaction_retraction import InteractionRetraction
from core.usecases.bank.verbs.retract_interactions import without_words
from core.usecases.paging import BY_ID, DEFAULT_PAGE, page_of
from core.usecases.ports import HasBanks


@dataclass(frozen=True, slots=True, kw_only=True)
class ListInteractionRetractions:
    key: BankKey
    page_size: int = DEFAULT_PAGE
    page_token: str = ""
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionRetractionsListed:
    retractions: tuple[InteractionRetraction, ...]
    next_page_token: str
    revision: int


async def list_interaction_retractions(
    ports: HasBanks, command: ListInteractionRetractions
) -> InteractionRetractionsListed:
    """Raises InvalidField (page_token), BankNotFound, RevisionNotReached."""
    async with ports.banks.reading(command.key, command.min_revision) as bank:
        page = page_of(
            command,
            map(without_words, bank.retractions.values()),
            lambda r: (r.retraction_id,),
            BY_ID,
            command.page_token,
            command.page_size,
        )
        return InteractionRetractionsListed(
            retractions=page.items, next_page_token=page.next_page_token, revision=bank.revision
        )
