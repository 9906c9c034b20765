"""What a user's own record means to the user's collections: whether memory is on, and how long it lasts."""

from dataclasses import dataclass
from datetime import timedelta

from core.errors import UserNotFound
from core.ids import Tenant, User
from core.keys import UserKey
from core.ports.store import Require
from core.usecases.house import House
from core.usecases.user.writer import writer_of
from core.user.user import is_writable


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """`retention`: None is without end."""

    enabled: bool = True
    retention: timedelta | None = None


async def memory_of(house: House, tenant: Tenant, user: User) -> Memory:
    """Returns the memory settings of the user's record; on, and without end, where there is none."""
    try:
        async with house.users.reading(UserKey(tenant=tenant, user=user)) as found:
            return Memory(enabled=is_writable(found.record), retention=found.record.retention)
    except UserNotFound:
        return Memory()


async def requires_of(house: House, tenant: Tenant, user: User) -> tuple[Require, ...]:
    """Returns what must hold of the user's record as something is written."""
    return (await writer_of(house, tenant, user),)
