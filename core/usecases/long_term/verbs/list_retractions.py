"""ListRetractions: what was taken back of a collection, by id, without its words."""

from dataclasses import dataclass

from core.keys import CollectionKey
from core.model.retraction import Retraction
from core.usecases.long_term.ports import CollectionPorts
from core.usecases.long_term.reading import looking
from core.usecases.paging import BY_ID, DEFAULT_PAGE, page_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRetractions:
    key: CollectionKey
    page_size: int = DEFAULT_PAGE
    page_token: str = ""
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RetractionsListed:
    retractions: tuple[Retraction, ...]
    next_page_token: str
    revision: int


async def list_retractions(ports: CollectionPorts, command: ListRetractions) -> RetractionsListed:
    """Raises InvalidField (page_token), CollectionNotFound, RevisionNotReached."""
    async with looking(ports, command.key, command.min_revision) as opened:
        page = page_of(
            command,
            opened.collection.retractions.values(),
            lambda r: (r.retraction_id,),
            BY_ID,
            command.page_token,
            command.page_size,
        )
        return RetractionsListed(
            retractions=page.items,
            next_page_token=page.next_page_token,
            revision=opened.collection.revision,
        )
