"""PutSource: a source with a whole text, new or in place of what it said."""

from dataclasses import dataclass, replace

from core.ids import Tenant
from core.instructions.instructions import Instructions
from core.instructions.steps import InstructionsPut, SourcePut
from core.model.instructions import InstructionsRecord, Owner, Source
from core.ports.aggregates import Draft, RequestKey
from core.usecases.instructions.ports import SourcePorts
from core.usecases.instructions.writing import (
    WrittenSource,
    commit_or_found,
    require_version,
    required,
    without_text,
    writing,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PutSource:
    """`if_version`: only if that is the newest (0: only if there is no such source)."""

    tenant: Tenant
    owner: Owner
    path: str
    text: str
    if_version: int | None = None
    update_by: str = ""
    request: RequestKey | None = None


async def put_source(ports: SourcePorts, command: PutSource) -> WrittenSource:
    """Stores a text as the newest version, and returns that without its text; a text that stands there already makes
    no new one.

    Raises StaleVersion, LimitReached, MemoryOff, RequestIdReused.
    """
    ports.settings.limits.check_source(len(command.text))
    requires = await required(ports, command.tenant, command.owner)
    key = command.owner.key(command.tenant)
    new = writing(ports, command.path, command.text, command.update_by)

    def stage(kept: Instructions) -> Draft[Source]:
        before = kept.find(command.path)
        require_version(command.if_version, before)
        if before is not None and before.text == command.text:
            return Draft(result=without_text(before))
        if before is not None:
            return replace(new.superseding(kept, before), requires=requires)
        ports.settings.limits.check_sources(len(kept.paths) + 1)
        source = new.first(kept.record)
        touches = frozenset({"record", f"source:{command.path}"})
        steps = (SourcePut(source=source),)
        return Draft(result=without_text(source), steps=steps, touches=touches, requires=requires)

    def founding() -> Draft[Source]:
        require_version(command.if_version, None)
        record = InstructionsRecord(
            key=key, uid=ports.ids.new("u"), create_time=new.now, user=command.owner.user or ""
        )
        source = new.first(record)
        steps = (InstructionsPut(record=record), SourcePut(source=source))
        return Draft(result=without_text(source), steps=steps, requires=requires)

    done = await commit_or_found(ports, key, stage, founding, command.request)
    return WrittenSource(owner=command.owner, done=done)
