"""API keys in this process's memory, for the store that keeps everything there."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from core.model.access import ApiKey
from core.ports.credentials import Asking


class MemoryCredentials:
    """Implements `core.ports.credentials.Credentials`. Nothing in it awaits, so every call is atomic."""

    def __init__(self) -> None:
        self._keys: dict[str, ApiKey] = {}
        self._asking = Asking(is_on=False, version=0)

    async def asking(self) -> Asking:
        return self._asking

    async def add(self, key: ApiKey) -> None:
        self._keys[key.key_id] = key
        self._changed(is_on=True)

    async def find(self, key_id: str) -> ApiKey | None:
        return self._keys.get(key_id)

    async def listed(self) -> Sequence[ApiKey]:
        return sorted(self._keys.values(), key=lambda key: (key.create_time, key.key_id))

    async def shorten(self, key_id: str, expire_time: datetime) -> bool:
        key = self._keys.get(key_id)
        if key is not None:
            self._keys[key_id] = replace(key, expire_time=min(key.expire_time, expire_time))
            self._changed(is_on=self._asking.is_on)
        return key is not None

    async def revoke(self, key_id: str, now: datetime) -> bool:
        key = self._keys.get(key_id)
        if key is not None:
            self._keys[key_id] = replace(key, revoke_time=key.revoke_time or now)
            self._changed(is_on=self._asking.is_on)
        return key is not None

    async def touch(self, key_ids: Collection[str], day: datetime) -> None:
        for key in [self._keys[key_id] for key_id in key_ids if key_id in self._keys]:
            self._keys[key.key_id] = replace(key, last_used=max(day, key.last_used or day))

    async def stop_asking(self) -> None:
        self._changed(is_on=False)

    def _changed(self, *, is_on: bool) -> None:
        self._asking = Asking(is_on=is_on, version=self._asking.version + 1)
