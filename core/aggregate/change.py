"""A change: the unit of durability, one revision of one aggregate.

Law: an aggregate changes only by `apply(change)`, and a change is stored before it is applied. Its steps are defined
by the aggregate's kind.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from core.ids import ChangeId
from core.model.request import RequestRecord

S = TypeVar("S")
"""The steps of one kind of aggregate: a union of frozen dataclasses."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Change(Generic[S]):
    """What one revision adds. `parent` is the change before (None for the first): the fence.

    `requests` are rows written in the same transaction and kept out of the feed: followers have no use for a
    request_id.
    """

    change_id: ChangeId
    parent: ChangeId | None
    revision: int
    time: datetime
    steps: tuple[S, ...]
    requests: tuple[RequestRecord, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Where an aggregate stands: which one (`uid`), how far (`revision`), by which change (`change_id`)."""

    uid: str
    revision: int
    change_id: ChangeId
