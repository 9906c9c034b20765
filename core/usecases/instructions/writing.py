"""What every write to an owner's sources shares: whom it requires, versions, and what they push out."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from core.errors import SourceNotFound, StaleVersion
from core.ids import Tenant
from core.instructions.instructions import Instructions
from core.instructions.steps import InstructionsPut, InstructionsStep, SourcePut, VersionsDrop
from core.internal_errors import InstructionsExist, InstructionsNotFound
from core.keys import InstructionsKey, UserKey
from core.model.instructions import InstructionsRecord, Owner, Source
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.ports.store import Require
from core.text.tokens import estimate
from core.usecases.limits import Limits
from core.usecases.ports import CommonPorts, HasInstructions
from core.usecases.user.permission import permission_to_write
from core.usecases.user.ports import UserPorts


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """The text that a source is to have, by whom and when; and what bounds its versions."""

    path: str
    text: str
    update_by: str
    now: datetime
    limits: Limits
    kept_for: timedelta  # a superseded version

    def first(self, record: InstructionsRecord) -> Source:
        """Returns the first version of a source, numbered on from every source that was deleted."""
        number = record.last_version + 1
        return self._source(number, number, self.now)

    def superseding(self, instructions: Instructions, before: Source) -> Draft[Source]:
        """Returns the version after `before`; the oldest goes where too many are kept."""
        source = self._source(before.version + 1, before.first_version, before.create_time)
        steps: list[InstructionsStep] = [SourcePut(source=source)]
        touches = {f"source:{self.path}"}
        kept = instructions.versions(self.path)
        if len(kept) >= self.limits.versions_per_source:
            steps.append(VersionsDrop(path=self.path, versions=(min(kept),)))
        if instructions.record.due_time is None:
            record = replace(instructions.record, due_time=self.now + self.kept_for)
            steps.append(InstructionsPut(record=record))
            touches.add("record")
        return Draft(result=without_text(source), steps=tuple(steps), touches=frozenset(touches))

    def _source(self, version: int, first_version: int, create_time: datetime) -> Source:
        self.limits.check_source(len(self.text))
        return Source(
            path=self.path,
            text=self.text,
            version=version,
            first_version=first_version,
            characters=len(self.text),
            tokens=estimate(self.text),
            create_time=create_time,
            update_time=self.now,
            update_by=self.update_by,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenSource:
    """Whose source was written, and what came of it: the newest version, without its text."""

    owner: Owner
    done: CommitResult[Source]


def writing(ports: CommonPorts, path: str, text: str, update_by: str) -> Writing:
    return Writing(
        path=path,
        text=text,
        update_by=update_by,
        now=ports.clock.now(),
        limits=ports.settings.limits,
        kept_for=ports.settings.run_lifetime,
    )


def without_text(source: Source) -> Source:
    """Returns the version as answers have it that are kept for repetitions: with its sizes, without its text."""
    return replace(source, text="")


def require_version(if_version: int | None, newest: Source | None) -> None:
    """Raises StaleVersion if the newest version is not the one the caller read (0: none)."""
    actual = newest.version if newest else 0
    if if_version is not None and if_version != actual:
        raise StaleVersion(if_version, actual)


async def required(ports: UserPorts, tenant: Tenant, owner: Owner) -> tuple[Require, ...]:
    """Returns what a write of this owner's sources requires: a user's own record; other levels require none."""
    if owner.user is None:
        return ()
    return ((await permission_to_write(ports, UserKey(tenant=tenant, user=owner.user))).writer(),)


async def commit(
    ports: HasInstructions,
    key: InstructionsKey,
    path: str,
    stage: Callable[[Instructions], Draft[Source]],
    request: RequestKey | None,
) -> CommitResult[Source]:
    """Commits to sources that are there. Raises SourceNotFound where the owner never had one."""
    try:
        return await ports.instructions.commit(key, lambda kept, _: stage(kept), request, Source)
    except InstructionsNotFound:
        raise SourceNotFound(path) from None


async def commit_or_found(
    ports: HasInstructions,
    key: InstructionsKey,
    stage: Callable[[Instructions], Draft[Source]],
    founding: Callable[[], Draft[Source]],
    request: RequestKey | None,
) -> CommitResult[Source]:
    """Commits to the owner's sources, or founds them. Of several that found, one wins and the others commit."""
    try:
        return await ports.instructions.commit(key, lambda kept, _: stage(kept), request, Source)
    except InstructionsNotFound:
        pass
    try:
        return await ports.instructions.found(key, founding(), request)
    except InstructionsExist:
        return await ports.instructions.commit(key, lambda kept, _: stage(kept), request, Source)
