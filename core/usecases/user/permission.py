"""What a user's record allows a call. A call asks for it once; one value answers everything.

Law: what is written for a user names what must hold of their record in its draft (`writer`, `keeper`, `tender`), so
that nothing lands after a purge or a switch-off, whichever process began it.
"""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from core.errors import MemoryOff, UserExists, UserNotFound
from core.ids import Tenant, User
from core.keys import UserKey
from core.model.user import UserRecord, UserState
from core.ports.aggregates import Draft
from core.ports.store import Require
from core.usecases.ports import HasUsers, MakingPorts
from core.usecases.user.ports import UserPorts
from core.user.steps import UserPut
from core.user.user import is_writable

SCOPE = "user"


class OfUser(Protocol):
    """A key, or anything else that says whose it is."""

    @property
    def tenant(self) -> Tenant: ...

    @property
    def user(self) -> User: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """`record`: None where nothing was written for the user yet. Then memory is on, and the configuration alone bounds
    it."""

    key: UserKey
    record: UserRecord | None

    @property
    def is_on(self) -> bool:
        """Whether the user's memory may be read, and written."""
        return self.record is None or is_writable(self.record)

    @property
    def retention(self) -> timedelta | None:
        """How long the user's memory is kept; None is without end."""
        return self.record.retention if self.record else None

    def quota(self, kind: str, limit: int) -> int:
        """Returns how many aggregates of a kind the user may have; without a quota of their own, as many as `limit`."""
        return self.record.quotas.get(kind, limit) if self.record else limit

    def require_on(self) -> None:
        """Raises MemoryOff where nothing of this user's may be read or written."""
        if not self.is_on:
            raise MemoryOff(SCOPE)

    def writer(self) -> Require:
        """Returns what must hold when a call writes for this user. Raises MemoryOff while they are imported.

        The store refuses the write where memory is off (RequirementFailed): only there is it known whether the call is
        a repetition, which gets its first answer all the same."""
        record = self._there()
        if record.state is UserState.IMPORTING:
            raise MemoryOff(SCOPE)
        return Require(key=self.key, uid=record.uid)

    def keeper(self) -> Require:
        """Returns what must hold when something is kept under this user's name that holds nothing about them: their
        memory need not be on. Raises MemoryOff while they are purged or imported."""
        record = self._there()
        if record.state is not UserState.ACTIVE:
            raise MemoryOff(SCOPE)
        return Require(key=self.key, uid=record.uid, generation=record.generation, enabled=False)

    def tender(self) -> Require:
        """Returns what must hold when work that no call asked for lands in what is a user's, also as it is imported.
        Raises MemoryOff, UserNotFound: a chore that outlives a purge must not bring the user back."""
        record = self._there()
        if not is_writable(record) and record.state is not UserState.IMPORTING:
            raise MemoryOff(SCOPE)
        return Require(key=self.key, uid=record.uid)

    def _there(self) -> UserRecord:
        if self.record is None:
            raise UserNotFound(self.key.user)
        return self.record


async def permission_of(ports: HasUsers, of: OfUser) -> Permission:
    """Returns what the user's record allows."""
    key = UserKey(tenant=of.tenant, user=of.user)
    try:
        async with ports.users.reading(key) as found:
            return Permission(key=key, record=found.record)
    except UserNotFound:
        return Permission(key=key, record=None)


async def permission_to_write(ports: UserPorts, of: OfUser) -> Permission:
    """Returns the same. The first write makes the user's record, before it is known whether it may be written."""
    return await _founded(ports, await permission_of(ports, of))


async def _founded(ports: UserPorts, permission: Permission) -> Permission:
    while permission.record is None:
        record = new_user(ports, permission.key)
        try:
            await ports.users.found(record.key, Draft(result=record, steps=(UserPut(record=record),)))
        except UserExists:
            permission = await permission_of(ports, permission.key)
        else:
            return Permission(key=permission.key, record=record)
    return permission


class Permissions:
    """The permissions of a call that reads several things at once, maybe of several users: each is asked for once."""

    def __init__(self, ports: UserPorts) -> None:
        self._ports = ports
        self._known: dict[UserKey, Permission] = {}
        self._asking = asyncio.Lock()

    async def of(self, of: OfUser) -> Permission:
        key = UserKey(tenant=of.tenant, user=of.user)
        async with self._asking:
            if key not in self._known:
                self._known[key] = await permission_of(self._ports, key)
            return self._known[key]

    async def to_write(self, of: OfUser) -> Permission:
        """Returns the same, and makes the user's record where there is none."""
        permission = await _founded(self._ports, await self.of(of))
        self._known[permission.key] = permission
        return permission


def new_user(ports: MakingPorts, key: UserKey) -> UserRecord:
    """Returns the record of a user for whom nothing was written yet."""
    now = ports.clock.now()
    return UserRecord(key=key, uid=ports.ids.new("u"), user=key.user, create_time=now, update_time=now)
