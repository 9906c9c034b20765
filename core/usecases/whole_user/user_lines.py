"""What stands on the lines of a user's files: written by ExportUser, read by ImportUser."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.model.collection import CollectionRecord, Feedback, Tombstone
from core.model.conversation import (
    NOTHING_TAUGHT,
    ClusterHits,
    ConversationRecord,
    ForgettingOwed,
    KeyMemory,
    Summary,
    SummaryOwed,
    Taught,
    TurnCluster,
)
from core.model.instructions import Owner, Source
from core.model.invocation import InvocationRecord, InvocationSummary, Item
from core.model.user import UserRecord
from core.usecases.bank.exchange.export_records import ExportRecord
from core.usecases.conversation.verbs.list_turns import PlacedTurn
from core.usecases.long_term.exchange.export_collection import FilePart
from core.usecases.long_term.verbs.get_collection import CollectionSeen
from core.usecases.user.get_user import UserSeen


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedSource:
    owner: Owner
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class HitCluster:
    cluster: TurnCluster
    hits: ClusterHits | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the background work on a conversation has come. `unstated`: turns whose writer may not speak for the
    user. `actions`: calls of tools that an invocation made, by its id. `seen_to`: the last turn of its cluster as a
    key of the system was made, by the key's id."""

    placed_to: int
    summarised_to: int
    attempts: int = 0
    unstated: tuple[int, ...] = ()
    anew: tuple[int, ...] = ()
    actions: Mapping[str, int] = field(default_factory=dict)
    taught: Taught = NOTHING_TAUGHT
    owed: tuple[SummaryOwed, ...] = ()
    forgetting: tuple[ForgettingOwed, ...] = ()
    seen_to: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """What an invocation that has not ended is. Its key, uid, sizes and times are the importer's to give."""

    record: InvocationRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class TombstoneLine:
    """A tombstone, and the salt of its hashes."""

    tombstone: Tombstone
    salt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionRead:
    """A collection as its file describes it, and the revision it was written at."""

    record: CollectionRecord
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UserRead:
    """A user as their file describes them, and the revision they were written at."""

    record: UserRecord
    revision: int


Both = (
    OwnedSource
    | ConversationRecord
    | Progress
    | PlacedTurn
    | HitCluster
    | Summary
    | KeyMemory
    | InvocationSummary
    | Running
    | Item
    | Feedback
    | TombstoneLine
    | ExportRecord
)
"""What is read as it is written."""
Value = Both | UserSeen | InvocationRecord | CollectionSeen
"""What is written."""
Read = Both | UserRead | CollectionRead
"""What is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The next value of a file, on a line of its own. The lines of a file come one after another."""

    path: str
    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLine:
    """The next value of a file that is read, and the number of its line there, from 1."""

    path: str
    line: int
    value: Read


Piece = ReadLine | FilePart
"""A line, or a whole file that is no lines: `memory.json`, `reflections/ID.md`."""
