"""What use cases of users need."""

from typing import Protocol

from core.usecases.ports import CommonPorts, HasSettings, HasStore, HasUsers, HasWorkshop


class UserPorts(CommonPorts, HasUsers, Protocol):
    """A user's record, which the first write makes."""


class QuotaPorts(HasStore, HasSettings, Protocol):
    """What bounds how many aggregates a user has."""


class UserSettingsPorts(UserPorts, HasStore, Protocol):
    """A user's settings, which callers change."""


class UserRecordPorts(HasUsers, HasStore, HasWorkshop, Protocol):
    """A user's settings as they are, what is there of theirs, and what it has cost."""
