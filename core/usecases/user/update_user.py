"""UpdateUser: switch a user's memory off or on, and say how long it is kept."""

from collections.abc import Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta

from core.errors import MemoryOff, UserExists
from core.keys import UserKey
from core.model.user import UserRecord, UserState
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.revisions import require_unchanged
from core.usecases.user.permission import SCOPE, new_user
from core.usecases.user.ports import UserSettingsPorts
from core.user.steps import UserPut
from core.user.user import UserAggregate


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateUser:
    """`fields` names what is set: `enabled`, `retention` (None: as long as the collections say),
    `quotas` (by kind, all of them anew)."""

    key: UserKey
    fields: Set[str]
    enabled: bool = True
    retention: timedelta | None = None
    quotas: Mapping[str, int] = field(default_factory=dict)
    if_revision: int | None = None
    request: RequestKey | None = None


async def update_user(ports: UserSettingsPorts, command: UpdateUser) -> CommitResult[UserRecord]:
    """Updates a user; one for whom nothing was written is made. Raises StaleRevision, MemoryOff (being purged, or
    imported), RequestIdReused."""
    now = ports.clock.now()

    def stage(user: UserAggregate, revision: int) -> Draft[UserRecord]:
        require_unchanged(command.if_revision, user.record.edited_at)
        if user.record.state is not UserState.ACTIVE:
            raise MemoryOff(SCOPE)
        record = replace(user.record, update_time=now, edited_at=revision)
        if "retention" in command.fields:
            record = replace(record, retention=command.retention)
        if "quotas" in command.fields:
            record = replace(record, quotas=command.quotas)
        if "enabled" in command.fields:
            switched_off = user.record.enabled and not command.enabled
            generation = record.generation + 1 if switched_off else record.generation
            record = replace(record, enabled=command.enabled, generation=generation)
        return Draft(result=record, steps=(UserPut(record=record),), touches=frozenset({"user"}))

    await _founded(ports, command.key)
    return await ports.users.commit(command.key, stage, command.request, UserRecord)


async def _founded(ports: UserSettingsPorts, key: UserKey) -> None:
    if key not in await ports.store.heads([key]):
        with suppress(UserExists):
            record = new_user(ports, key)
            await ports.users.found(key, Draft(result=record, steps=(UserPut(record=record),)))
