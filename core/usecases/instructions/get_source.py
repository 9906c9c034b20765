"""GetSource: a source with its text."""

from dataclasses import dataclass

from core.ids import Tenant
from core.model.instructions import Owner, Source
from core.usecases.instructions.opening import having
from core.usecases.ports import HasInstructions


@dataclass(frozen=True, slots=True, kw_only=True)
class GetSource:
    """`version` None: the newest."""

    tenant: Tenant
    owner: Owner
    path: str
    version: int | None = None
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSeen:
    owner: Owner
    source: Source
    revision: int


async def get_source(ports: HasInstructions, command: GetSource) -> SourceSeen:
    """Raises SourceNotFound, RevisionNotReached."""
    key = command.owner.key(command.tenant)
    async with having(ports, key, command.path, command.min_revision) as kept:
        source = kept.source(command.path, command.version)
        return SourceSeen(owner=command.owner, source=source, revision=kept.revision)
