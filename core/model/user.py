"""A user: a person, or whatever else a tenant keeps memory for under one name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from core.ids import User
from core.keys import UserKey


class UserState(StrEnum):
    ACTIVE = "active"
    IMPORTING = "importing"  # it is being made of an import; no call writes anything more
    PURGING = "purging"  # everything of the user is being removed; nothing more is written


@dataclass(frozen=True, slots=True, kw_only=True)
class UserRecord:
    """`enabled`: False switches all memory of the user off. `retention`: how long records are kept at the most; None:
    as long as their collections say. `quotas`: how many aggregates of a kind the user may have, by kind, where that is
    less than configured. `generation` grows when memory is switched off or purged: work begun before must not land.
    `purge_banks`: what the purge under way was asked to take along. `edited_at`: the revision at which a setting last
    changed. `tokens_spent`: what language models have cost so far, also for what is gone."""

    key: UserKey
    uid: str
    user: User
    create_time: datetime
    update_time: datetime
    enabled: bool = True
    retention: timedelta | None = None
    quotas: Mapping[str, int] = field(default_factory=dict)
    generation: int = 0
    state: UserState = UserState.ACTIVE
    purge_banks: bool = False
    edited_at: int = 0
    tokens_spent: int = 0
    due_time: datetime | None = None
