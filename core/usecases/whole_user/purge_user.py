"""PurgeUser: everything of a user goes, whatever is written meanwhile, and after a crash all the same.

Law: first the user's record says PURGING, durably, which every write for the user requires not to be so; then the
user's aggregates go, a portion at a time; the record goes last. So a purge cut short is known, and the process
that finds it untouched for `house.settings.resume_after` goes on.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace

from core.errors import AggregateNotFound, UserExists, UserNotFound
from core.keys import Key, UserKey
from core.model.user import UserRecord, UserState
from core.ports.aggregates import Draft
from core.ports.store import PurgeCounts
from core.usecases.ports import HasStore, SpendingPorts
from core.usecases.user.permission import new_user
from core.usecases.user.ports import UserPorts
from core.usecases.whole_user.ports import PurgePorts
from core.user.steps import UserPut
from core.user.user import UserAggregate

AT_ONCE = 64  # aggregates purged together: they share the rewriting of the store's file


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeUser:
    """`include_banks`: the task memory that names the user, too."""

    key: UserKey
    include_banks: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UserPurged:
    """What was removed: aggregates by kind, and rows by part (`turns`, `records`, `nodes`, …). `revision`: the last of
    the user's record; 0: nothing was kept."""

    aggregates: Mapping[str, int] = field(default_factory=dict)
    rows: Mapping[str, int] = field(default_factory=dict)
    revision: int = 0


async def purge_user(ports: PurgePorts, command: PurgeUser) -> UserPurged:
    """Purges a user; one of whom nothing is kept is a success that removed nothing."""
    if not await _is_known(ports, command):
        return UserPurged()
    await _begin(ports, command)
    return await carry_on(ports, command.key)


async def carry_on(ports: PurgePorts, key: UserKey) -> UserPurged:
    """Purges what is left of a user whose record says PURGING; returns what this call removed."""
    aggregates, rows = Counter[str](), Counter[str]()
    try:
        async with ports.users.reading(key) as user:
            record = user.record
    except UserNotFound:
        return UserPurged()  # another process has finished it
    if record.state is not UserState.PURGING:
        return UserPurged()
    while keys := await ports.store.keys_of_user(
        key.tenant, key.user, include_banks=record.purge_banks, limit=AT_ONCE
    ):
        for counts in await asyncio.gather(*(_remove(ports, found, uid) for found, uid in keys)):
            rows += counts
        aggregates += Counter(found.kind for found, _ in keys)
        await _put_off(ports, key)
    revision = 0
    with suppress(UserNotFound):
        _, revision = await ports.users.delete(key, record.uid)
    return UserPurged(aggregates=dict(aggregates), rows=dict(rows), revision=revision)


async def _is_known(ports: HasStore, command: PurgeUser) -> bool:
    """Whether anything is kept of the user."""
    key = command.key
    if await ports.store.heads([key]):
        return True
    left = await ports.store.keys_of_user(key.tenant, key.user, include_banks=command.include_banks, limit=1)
    return bool(left)


async def _begin(ports: UserPorts, command: PurgeUser) -> None:
    now = ports.clock.now()

    def purging(record: UserRecord) -> UserRecord:
        return replace(
            record,
            state=UserState.PURGING,
            enabled=False,
            generation=record.generation + 1,
            purge_banks=record.purge_banks or command.include_banks,
            due_time=now + ports.settings.resume_after,
            update_time=now,
        )

    def stage(user: UserAggregate, _revision: int) -> Draft[None]:
        return Draft(result=None, steps=(UserPut(record=purging(user.record)),), touches=frozenset({"user"}))

    while True:
        with suppress(UserNotFound):
            await ports.users.commit(command.key, stage)
            return
        with suppress(UserExists):
            record = purging(new_user(ports, command.key))
            await ports.users.found(command.key, Draft(result=None, steps=(UserPut(record=record),)))
            return


async def _put_off(ports: PurgePorts, key: UserKey) -> None:
    """Tells other processes that the purge is still at work."""
    due_time = ports.clock.now() + ports.settings.resume_after

    def stage(user: UserAggregate, _revision: int) -> Draft[None]:
        if user.record.state is not UserState.PURGING:
            return Draft(result=None)  # finished by another process, and founded again
        record = replace(user.record, due_time=due_time)
        return Draft(result=None, steps=(UserPut(record=record),), touches=frozenset({"user"}))

    with suppress(UserNotFound):
        await ports.users.commit(key, stage)


async def _remove(ports: SpendingPorts, key: Key, uid: str) -> Counter[str]:
    try:
        counts, _ = await ports.banks.delete(key, uid)
    except AggregateNotFound:
        return Counter()  # gone already
    finally:
        ports.workshop.patience.gone(key)
    return Counter(counts.items) + Counter(
        {each.name: getattr(counts, each.name) for each in fields(PurgeCounts) if each.name != "items"}
    )
