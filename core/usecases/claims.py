"""Who does background work that every process could do: told by claims in the store, which run out.

Law: efficiency only. Nothing is wrong where two do the same work, or where a claim is lost: the store's fence decides
what is stored. A claim only saves the second one its tokens.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from core.errors import StoreUnavailable
from core.keys import Key
from core.ports.store import Store

SECONDS = 30.0  # that a claim lasts unless it is renewed


class Claims:
    """The claims of one process, which is known to the others as `holder`."""

    def __init__(self, store: Store, holder: str, seconds: float = SECONDS) -> None:
        self._store, self._holder, self._seconds = store, holder, seconds

    async def take(self, what: str) -> bool:
        """Whether this process may begin: no other has a claim that lasts."""
        return await self._store.claim(what, self._holder, self._seconds)

    @asynccontextmanager
    async def kept(self, what: str) -> AsyncIterator[None]:
        """Keeps a claim while work goes on. What is done sooner than others would take it up makes none."""
        keeping = asyncio.create_task(self._keep(what))
        try:
            yield
        finally:
            keeping.cancel()

    async def _keep(self, what: str) -> None:
        while True:
            await asyncio.sleep(self._seconds / 3)
            try:
                await self.take(what)
            except StoreUnavailable:
                continue  # another process may begin the same: that costs tokens, and nothing else


def work_on(key: Key, part: str = "") -> str:
    """Returns the name of a claim on work on an aggregate."""
    return f"{key.tenant}/{key.kind}/{key.name}/{part}"
