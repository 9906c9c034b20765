"""Instruction documents, their versions, and what a run of an agent has fixed of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.ids import Tenant, User
from core.keys import InstructionsKey, RunKey


class Level(StrEnum):
    """What kind of owner sources have."""

    USER = "user"
    AGENT = "agent"
    PROJECT = "project"
    TENANT = "tenant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Whose sources they are. `name` is empty for the tenant's own."""

    level: Level
    name: str = ""

    def key(self, tenant: Tenant) -> InstructionsKey:
        return InstructionsKey(tenant=tenant, level=self.level.value, owner=self.name)

    @property
    def user(self) -> User | None:
        """The user whose memory this is; None for what is no user's."""
        return User(self.name) if self.level is Level.USER else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRef:
    """Names a source of an owner; without `path` all of the owner's."""

    owner: Owner
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One version of a document. `first_version` is the number that its first version had, above those of any document
    that was deleted before. `characters` and `tokens` are of the text, and stay where the text is left out."""

    path: str
    text: str
    version: int
    first_version: int
    characters: int
    tokens: int
    create_time: datetime
    update_time: datetime
    update_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstructionsRecord:
    """Of an owner's sources as a whole. `user`: whose memory it is; empty for other levels. `last_version`: the highest
    number that a deleted source had. `due_time`: when a superseded version has been kept long enough; None: none
    waits for that."""

    key: InstructionsKey
    uid: str
    create_time: datetime
    user: str = ""
    last_version: int = 0
    due_time: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """What a reference stands for in a run: versions by path, in order. `uid` and `revision` are those of the owner's
    sources when they were fixed; without a `uid` the owner had none."""

    ref: SourceRef
    uid: str
    revision: int
    versions: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A run of an agent: what it has loaded, by reference. It holds no text. `user`: for whom; may be empty.

    `run_time`: when it was last fixed. Past `expire_time` it must be refreshed; at `purge_time` it is forgotten.
    """

    key: RunKey
    uid: str
    create_time: datetime
    user: str
    run_time: datetime
    expire_time: datetime
    purge_time: datetime
    pins: tuple[Pin, ...] = ()
