"""What spares a load the making of its indexes.

Law: one conformance suite runs on every implementation (`tests/conformance`).
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from core.ids import BankKey


class IndexCache(Protocol):
    """What was derived of banks' indexes, by part, kept near for their next load. Raises StoreUnavailable.

    It may lose anything at any time, and nothing depends on what it holds: a blob says itself whether it is
    whole, and whoever takes it up verifies it against the rows.
    """

    async def put(self, key: BankKey, uid: str, part: str, pieces: Sequence[bytes]) -> None:
        """Keep a part's blob, given in pieces, in place of the one before: whole or not at all."""
        ...

    async def get(self, key: BankKey, uid: str) -> Mapping[str, bytes]:
        """The bank's blobs by part; none for a bank it knows nothing of, or of another uid."""
        ...

    async def delete_bank(self, key: BankKey, uid: str) -> None:
        """Remove all of the bank. Removing what is gone removes nothing."""
        ...

    async def owners(self) -> Sequence[tuple[BankKey, str]]:
        """The banks (key, uid) of which anything is kept."""
        ...
