"""A user in memory, and as a kind of aggregate."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from core.aggregate.kind import Chore, Kind
from core.aggregate.parts import PartsAggregate
from core.errors import UserExists, UserNotFound
from core.keys import UserKey
from core.model.user import UserRecord, UserState
from core.user.steps import STEPS, UserPut

PURGE = Chore(name="purge")
ABANDON = Chore(name="abandon")


class UserAggregate(PartsAggregate[UserRecord, UserPut]):
    """A record alone."""


def _due(user: UserAggregate, now: datetime) -> Sequence[Chore]:
    """Returns what is due: a purge or an import is its caller's work, until it must be taken for cut short."""
    record = user.record
    if record.due_time is None or record.due_time > now:
        return ()
    return {UserState.PURGING: (PURGE,), UserState.IMPORTING: (ABANDON,)}.get(record.state, ())


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
