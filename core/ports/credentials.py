"""API keys, kept beside the memory that they open.

Law: one conformance suite runs on every implementation (`tests/conformance`). What a key allows never grows: its time
only shortens, and a revoked one stays revoked.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from core.model.access import ApiKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Whether calls are asked for a credential, and a number that grows with every change of that or of a key."""

    is_on: bool
    version: int


class Credentials(Protocol):
    """Raises StoreUnavailable."""

    async def asking(self) -> Asking:
        """Returns whether calls are asked. It is off until the first key, and stays on until `stop_asking`."""
        ...

    async def add(self, key: ApiKey) -> None:
        """Stores a new key, and has calls asked from now on."""
        ...

    async def find(self, key_id: str) -> ApiKey | None:
        """Returns a key, also one that is valid no more."""
        ...

    async def listed(self) -> Sequence[ApiKey]:
        """Returns all keys of all tenants, oldest first."""
        ...

    async def shorten(self, key_id: str, expire_time: datetime) -> bool:
        """Has a key expire at this time, unless it does so before. Returns False where there is none."""
        ...

    async def revoke(self, key_id: str, now: datetime) -> bool:
        """Revokes a key, for ever. Returns False where there is none."""
        ...

    async def touch(self, key_ids: Collection[str], day: datetime) -> None:
        """Notes the day on which keys were used last."""
        ...

    async def stop_asking(self) -> None:
        """Asks calls for nothing from now on. Keys stay as they are."""
        ...
