"""Snapshots of indexes in this process's memory: for tests."""

from collections.abc import Mapping, Sequence

from core.keys import Key


class MemoryIndexCache:
    """Implements `core.ports.IndexCache`."""

    def __init__(self) -> None:
        self._blobs: dict[tuple[Key, str], dict[str, bytes]] = {}

    async def put(self, key: Key, uid: str, part: str, pieces: Sequence[bytes]) -> None:
        self._blobs.setdefault((key, uid), {})[part] = b"".join(pieces)

    async def get(self, key: Key, uid: str) -> Mapping[str, bytes]:
        return dict(self._blobs.get((key, uid), {}))

    async def delete(self, key: Key, uid: str) -> None:
        self._blobs.pop((key, uid), None)

    async def owners(self) -> Sequence[tuple[Key, str]]:
        return list(self._blobs)
