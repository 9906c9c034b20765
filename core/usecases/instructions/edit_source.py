"""EditSource: one passage of a source replaced, if it stands there exactly once, as it is stored or as it is shown."""

from dataclasses import dataclass, replace

from core.context.frame import as_data
from core.ids import Tenant
from core.instructions.edit import edited
from core.instructions.instructions import Instructions
from core.model.instructions import Owner, Source
from core.ports.aggregates import Draft, RequestKey
from core.usecases.instructions.ports import SourcePorts
from core.usecases.instructions.writing import WrittenSource, commit, require_version, required, writing


@dataclass(frozen=True, slots=True, kw_only=True)
class EditSource:
    """`old_text` is not empty and differs from `new_text`. `if_version`: only if that is the newest."""

    tenant: Tenant
    owner: Owner
    path: str
    old_text: str
    new_text: str
    if_version: int | None = None
    update_by: str = ""
    request: RequestKey | None = None


async def edit_source(ports: SourcePorts, command: EditSource) -> WrittenSource:
    """Replaces a passage; returns the version made, without its text.

    Raises SourceNotFound, StaleVersion, EditNotFound, EditAmbiguous, LimitReached, MemoryOff, RequestIdReused.
    """
    requires = await required(ports, command.tenant, command.owner)

    def stage(kept: Instructions) -> Draft[Source]:
        before = kept.source(command.path)
        require_version(command.if_version, before)
        shown = as_data(before.text)
        text = edited(before.text, command.path, command.old_text, command.new_text, shown)
        new = writing(ports, command.path, text, command.update_by)
        return replace(new.superseding(kept, before), requires=requires)

    key = command.owner.key(command.tenant)
    done = await commit(ports, key, command.path, stage, command.request)
    return WrittenSource(owner=command.owner, done=done)
