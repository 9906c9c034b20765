"""Files the service keeps.

Law: one conformance suite runs on every implementation (`tests/conformance`).
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from core.ids import Tenant
from core.keys import Key


@dataclass(frozen=True, slots=True, kw_only=True)
class UnclaimedFile:
    """A file that was put, and its owner: no record names it yet."""

    tenant: Tenant
    kind: str
    name: str
    uid: str
    attachment_id: str
    uri: str


class Blobs(Protocol):
    """Files the service keeps for banks. A URI it gives is stable and names one file.

    Raises AttachmentNotFound, BlobCorrupt.
    """

    async def put(
        self, key: Key, uid: str, attachment_id: str, chunks: AsyncIterator[bytes]
    ) -> tuple[str, int]:
        """Stores the chunks durably under a new name; returns (uri, size in bytes). Nothing remains if it fails.

        The file is unclaimed until `claim`: `sweep` may remove it a long time later.
        """
        ...

    async def claim(self, uri: str) -> None:
        """Marks the file as named by its aggregate, durably. Claiming twice, or what is gone, does nothing."""
        ...

    async def sweep(self, before: datetime, is_named: Callable[[UnclaimedFile], Awaitable[bool]]) -> int:
        """Claims, of the files put before that moment and still unclaimed, those that are named; removes the others,
        and returns how many. Removes also what was written of files that were never finished."""
        ...

    def read(self, key: Key, uid: str, uri: str, offset: int, limit: int | None) -> AsyncIterator[bytes]:
        """Yields the bytes of a file of this very aggregate from `offset`, at most `limit` of them, in chunks."""
        ...

    async def delete_all(self, key: Key, uid: str) -> int:
        """Removes every file of the aggregate; returns how many. Removing what is gone removes nothing."""
        ...
