"""Writing for a user: their record is founded by the first write, and every other write requires it.

Law: what is written for a user names this requirement in its draft, so that nothing lands after a purge or a
switch-off, whichever process began it.
"""

from contextlib import suppress

from core.errors import MemoryOff, UserExists, UserNotFound
from core.ids import Tenant, User
from core.keys import UserKey
from core.model.user import UserRecord, UserState
from core.ports.aggregates import Draft
from core.ports.store import Require
from core.usecases.house import House
from core.user.steps import UserPut
from core.user.user import is_writable

SCOPE = "user"


async def writer_of(house: House, tenant: Tenant, user: User) -> Require:
    """Returns what must hold when something is written for this user, whose record is made if there is none. Raises
    MemoryOff while they are imported.

    The store refuses the write where memory is off (RequirementFailed): only there is it known whether the call is a
    repetition, which gets its first answer all the same."""
    record = await _record_of(house, tenant, user)
    if record.state is UserState.IMPORTING:
        raise MemoryOff(SCOPE)
    return Require(key=record.key, uid=record.uid)


async def require_memory(house: House, tenant: Tenant, user: User) -> None:
    """Raises MemoryOff where nothing may be written for this user: before a model is shown what is theirs."""
    if not is_writable(await _record_of(house, tenant, user)):
        raise MemoryOff(SCOPE)


async def keeper_of(house: House, tenant: Tenant, user: User) -> Require:
    """Returns what must hold when something is kept under this user's name that holds nothing about them: their
    memory need not be on. Raises MemoryOff while they are purged or imported."""
    record = await _record_of(house, tenant, user)
    if record.state is not UserState.ACTIVE:
        raise MemoryOff(SCOPE)
    return Require(key=record.key, uid=record.uid, generation=record.generation, enabled=False)


async def tender_of(house: House, tenant: Tenant, user: User) -> Require:
    """Returns what must hold when work that no call asked for lands in what is a user's, also as it is imported.
    Makes no record: a chore that outlives a purge must not bring the user back. Raises MemoryOff, UserNotFound."""
    async with house.users.reading(UserKey(tenant=tenant, user=user)) as found:
        record = found.record
        if not is_writable(record) and record.state is not UserState.IMPORTING:
            raise MemoryOff(SCOPE)
        return Require(key=record.key, uid=record.uid)


async def memory_is_on(house: House, tenant: Tenant, user: User) -> bool:
    """Whether this user's memory may be read. That of an unknown user is on."""
    try:
        async with house.users.reading(UserKey(tenant=tenant, user=user)) as found:
            return is_writable(found.record)
    except UserNotFound:
        return True


async def _record_of(house: House, tenant: Tenant, user: User) -> UserRecord:
    """Returns the user's record, made if nothing was written yet."""
    key = UserKey(tenant=tenant, user=user)
    while True:
        with suppress(UserNotFound):
            async with house.users.reading(key) as found:
                return found.record
        with suppress(UserExists):
            record = new_user(house, key)
            await house.users.found(key, Draft(result=record, steps=(UserPut(record=record),)))


def new_user(house: House, key: UserKey) -> UserRecord:
    """Returns the record of a user for whom nothing was written yet."""
    now = house.clock.now()
    return UserRecord(key=key, uid=house.ids.new("u"), user=key.user, create_time=now, update_time=now)
