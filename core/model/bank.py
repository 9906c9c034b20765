"""What a bank is apart from its contents: identity, scopes, settings, embedding space."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

from core.ids import NodeId
from core.keys import BankKey
from core.model.expiry import expiry_after

NEVER = timedelta(seconds=-1)
"""A ttl that does not run out."""


class SpaceSource(StrEnum):
    SERVER = "server"  # the service embeds
    CLIENT = "client"  # callers bring every vector


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSpace:
    """Where vectors live. Vectors of different spaces are never compared.

    `cosine_floor` and `cosine_ceiling` are the embedder's calibration: the cosine of unrelated
    texts and of the same text, which the scale of scores maps to 0 and 1 (linear between).
    """

    name: str
    dimension: int
    source: SpaceSource = SpaceSource.SERVER
    cosine_floor: float = 0.0
    cosine_ceiling: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSettings:
    """A bank's overrides of the configuration; None means the configured value holds."""

    top_k: int | None = None
    alpha: float | None = None
    chunk_ratio: float | None = None
    validation_floor: float | None = None
    judge_assistants: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BankRecord:
    """`uid` tells apart banks that had the same id one after another. `ttl` counts from finishing; None: configured,
    NEVER: it stays until it is deleted.

    `tokens_spent`: what language models have cost so far. `unembedded`: nodes whose words have changed since they were
    embedded, with a checksum of the vector that they had then. `lists_unembedded`: who wrote the record last knows of
    them; else they are found again by the outcomes of clusters. `due_time`: when any process may embed them; None:
    there are none.
    """

    key: BankKey
    uid: str
    goal: str
    space: EmbeddingSpace
    create_time: datetime
    update_time: datetime
    user: str = ""
    collection: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    settings: RetrievalSettings = RetrievalSettings()
    ttl: timedelta | None = None
    finish_time: datetime | None = None
    tokens_spent: int = 0
    unembedded: Mapping[NodeId, int] = field(default_factory=dict)
    lists_unembedded: bool = False
    due_time: datetime | None = None

    def goes_at(self, configured: timedelta) -> datetime | None:
        """Returns when it is purged, `configured` being the ttl of banks without one; None: not before something
        else happens."""
        ttl = configured if self.ttl is None else self.ttl
        if self.finish_time is None or ttl < timedelta():
            return None
        return expiry_after(self.finish_time, ttl)

    def is_noted_as(self, after: "BankRecord") -> bool:
        """Whether nothing differs but what the service notes for itself: no caller's business when it changes the
        settings."""
        noted = replace(
            self,
            tokens_spent=after.tokens_spent,
            unembedded=after.unembedded,
            lists_unembedded=after.lists_unembedded,
            due_time=after.due_time,
        )
        return noted == after and self != after
