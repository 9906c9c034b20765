"""ListSources: an owner's sources by path."""

from dataclasses import dataclass

from core.ids import Tenant
from core.model.instructions import Owner, Source
from core.usecases.instructions.opening import opened
from core.usecases.instructions.writing import without_text
from core.usecases.paging import BY_ID, DEFAULT_PAGE, page_of
from core.usecases.ports import HasInstructions


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSources:
    tenant: Tenant
    owner: Owner
    path_prefix: str = ""
    page_size: int = DEFAULT_PAGE
    page_token: str = ""
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesListed:
    """Without texts. `revision` 0: the owner never had a source."""

    owner: Owner
    sources: tuple[Source, ...]
    next_page_token: str
    revision: int


async def list_sources(ports: HasInstructions, command: ListSources) -> SourcesListed:
    """Raises InvalidField (page_token), RevisionNotReached."""
    async with opened(ports, command.owner.key(command.tenant), command.min_revision) as kept:
        newest = [kept.source(path) for path in kept.paths] if kept else []
        chosen = (source for source in newest if source.path.startswith(command.path_prefix))
        page = page_of(
            command,
            map(without_text, chosen),
            lambda each: (each.path,),
            BY_ID,
            command.page_token,
            command.page_size,
        )
        return SourcesListed(
            owner=command.owner,
            sources=page.items,
            next_page_token=page.next_page_token,
            revision=kept.revision if kept else 0,
        )
