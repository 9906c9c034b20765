"""ListVersions: the versions of a source that are kept, newest first."""

from dataclasses import dataclass

from core.ids import Tenant
from core.model.instructions import Owner
from core.usecases.instructions.list_sources import SourcesListed
from core.usecases.instructions.opening import having
from core.usecases.instructions.writing import without_text
from core.usecases.paging import BY_NUMBER, DEFAULT_PAGE, page_of, place_of
from core.usecases.ports import HasInstructions


@dataclass(frozen=True, slots=True, kw_only=True)
class ListVersions:
    tenant: Tenant
    owner: Owner
    path: str
    page_size: int = DEFAULT_PAGE
    page_token: str = ""
    min_revision: int = 0


async def list_versions(ports: HasInstructions, command: ListVersions) -> SourcesListed:
    """Raises SourceNotFound, InvalidField (page_token), RevisionNotReached."""
    place_of(command, command.page_token, BY_NUMBER)  # what is wrong with the request comes first
    key = command.owner.key(command.tenant)
    async with having(ports, key, command.path, command.min_revision) as kept:
        page = page_of(
            command,
            map(without_text, kept.versions(command.path).values()),
            lambda each: (-each.version,),
            BY_NUMBER,
            command.page_token,
            command.page_size,
        )
        return SourcesListed(
            owner=command.owner,
            sources=page.items,
            next_page_token=page.next_page_token,
            revision=kept.revision,
        )
