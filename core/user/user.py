"""A user in memory, and as a kind of aggregate."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from core.aggregate.kind import Chore, Kind
from core.aggregate.parts import PartsAggregate
from core.errors import UserNotFound
from core.internal_errors import UserExists
from core.keys import UserKey
from core.model.user import UserRecord, UserState
from core.user.steps import STEPS, UserPut

PURGE = Chore(name="purge")


class UserAggregate(PartsAggregate[UserRecord, UserPut]):
    """A record alone."""


def _due(user: UserAggregate, now: datetime) -> Sequence[Chore]:
    """Returns what is due: a purge is its caller's work, until it must be taken for cut short."""
    record = user.record
    is_left = record.due_time is not None and record.due_time <= now
    return (PURGE,) if record.state is UserState.PURGING and is_left else ()


USER: Kind[UserAggregate, UserPut] = Kind(
    name=UserKey.kind,
    key_of=UserKey.named,
    steps=STEPS,
    puts=UserPut,
    found=UserAggregate.found,
    load=UserAggregate.load,
    missing=lambda key: UserNotFound(key.user),
    taken=lambda key: UserExists(key.user),
    due=_due,
)
UserAggregate.kind = USER


def is_writable(record: Any) -> bool:
    """Whether something may be written for this user now."""
    return bool(record.enabled) and record.state is UserState.ACTIVE
