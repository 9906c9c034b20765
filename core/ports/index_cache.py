"""A cache of indexes, so that a load need not build them.

Law: one conformance suite runs on every implementation (`tests/conformance`).
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from core.keys import Key


class IndexCache(Protocol):
    """Snapshots of aggregates' indexes, by part, kept near for their next load. Raises StoreUnavailable.

    It may lose anything at any time, and nothing depends on what it holds: a blob says itself whether it is
    whole, and its reader verifies it against the rows.
    """

    async def put(self, key: Key, uid: str, part: str, pieces: Sequence[bytes]) -> None:
        """Stores a part's blob, given in pieces, in place of the one before: whole or not at all."""
        ...

    async def get(self, key: Key, uid: str) -> Mapping[str, bytes]:
        """Returns the aggregate's blobs by part; none for one it knows nothing of, or of another uid."""
        ...

    async def delete(self, key: Key, uid: str) -> None:
        """Removes all of the aggregate. Removing what is gone removes nothing."""
        ...

    async def owners(self) -> Sequence[tuple[Key, str]]:
        """Returns the aggregates (key, uid) of which anything is kept."""
        ...
