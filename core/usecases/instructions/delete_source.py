"""DeleteSource: a source and all its versions erased."""

from dataclasses import dataclass, replace

from core.errors import SourceNotFound
from core.ids import Tenant
from core.instructions.instructions import Instructions
from core.instructions.steps import InstructionsPut, VersionsDrop
from core.internal_errors import InstructionsNotFound
from core.model.instructions import Owner
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.instructions.writing import require_version
from core.usecases.ports import HasInstructions


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteSource:
    tenant: Tenant
    owner: Owner
    path: str
    if_version: int | None = None
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDeleted:
    versions: int


async def delete_source(ports: HasInstructions, command: DeleteSource) -> CommitResult[SourceDeleted]:
    """Deletes all versions of a source; returns how many. It only removes, so memory may be switched off.

    Raises SourceNotFound, StaleVersion, RequestIdReused.
    """

    def stage(kept: Instructions, _: int) -> Draft[SourceDeleted]:
        newest = kept.source(command.path)
        require_version(command.if_version, newest)
        versions = tuple(sorted(kept.versions(command.path)))
        record = replace(kept.record, last_version=max(kept.record.last_version, newest.version))
        return Draft(
            result=SourceDeleted(versions=len(versions)),
            steps=(VersionsDrop(path=command.path, versions=versions), InstructionsPut(record=record)),
            touches=frozenset({"record", f"source:{command.path}"}),
            erase=True,
        )

    key = command.owner.key(command.tenant)
    try:
        return await ports.instructions.commit(key, stage, command.request, SourceDeleted)
    except InstructionsNotFound:
        raise SourceNotFound(command.path) from None
