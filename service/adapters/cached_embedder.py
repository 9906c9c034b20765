"""An embedder that remembers: the vectors of recent texts, and which are being made right now.

Law: answers exactly what the inner embedder would, and keeps no text: entries are found by a digest.
Texts that several callers ask for at once are embedded once, and a caller who gives up takes nothing
from the others; what all have given up is no longer embedded. Belongs to one event loop.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from core.model.bank import EmbeddingSpace
from core.ports.embedder import Embedder, Thresholds

Rows = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Awaitable[Rows]]
Key = bytes
Flight = asyncio.Task[dict[Key, Rows]]


class CachedEmbedder:
    """Keeps the vectors of `queries` queries and `passages` passages; the least recently used go first."""

    def __init__(self, inner: Embedder, *, queries: int = 4096, passages: int = 1024) -> None:
        self._inner = inner
        self._queries = RecentRows(inner.embed_queries, queries, inner.space.dimension)
        self._passages = RecentRows(inner.embed_passages, passages, inner.space.dimension)

    @property
    def space(self) -> EmbeddingSpace:
        return self._inner.space

    @property
    def thresholds(self) -> Thresholds:
        return self._inner.thresholds

    async def embed_queries(self, texts: Sequence[str]) -> Rows:
        return await self._queries.rows(texts)

    async def embed_passages(self, texts: Sequence[str]) -> Rows:
        return await self._passages.rows(texts)

    def forget(self) -> set[Flight]:
        """Drops every vector: after a purge nothing here tells what was once embedded. Returns the calls under way,
        whose callers still get their vectors."""
        return self._queries.forget() | self._passages.forget()

    @property
    def kept(self) -> int:
        """How many texts' vectors are remembered."""
        return len(self._queries) + len(self._passages)

    @property
    def under_way(self) -> int:
        """How many texts are being embedded."""
        return self._queries.under_way + self._passages.under_way

    @property
    def hits(self) -> int:
        """How many texts needed no embedding so far."""
        return self._queries.hits + self._passages.hits

    @property
    def misses(self) -> int:
        """How many texts were embedded so far."""
        return self._queries.misses + self._passages.misses


class RecentRows:
    """One side's recent rows, and the calls under way."""

    def __init__(self, embed: Embed, size: int, dimension: int) -> None:
        self._embed = embed
        self._size = size
        self._dimension = dimension
        self._recent: OrderedDict[Key, Rows] = OrderedDict()
        self._under_way: dict[Key, Flight] = {}
        self._waiting: Counter[Flight] = Counter()
        self.hits = self.misses = 0

    def __len__(self) -> int:
        return len(self._recent)

    @property
    def under_way(self) -> int:
        return len(self._under_way)

    async def rows(self, texts: Sequence[str]) -> Rows:
        wanted = [digest(text) for text in texts]
        known = {key: self._recent[key] for key in wanted if key in self._recent}
        missing = {key: text for key, text in zip(wanted, texts, strict=True) if key not in known}
        absent = {key: text for key, text in missing.items() if key not in self._under_way}
        self.hits += len(wanted) - len(absent)
        self.misses += len(absent)
        if absent:
            self._start(absent)
        for flight in {self._under_way[key] for key in missing}:
            known |= await self._landed(flight)
        self._touch(wanted)
        return np.array([known[key] for key in wanted], dtype=np.float32).reshape(-1, self._dimension)

    def forget(self) -> set[Flight]:
        """Drops all; returns the calls under way, whose callers still get their rows."""
        under_way = set(self._under_way.values())
        self._recent.clear()
        self._under_way.clear()
        return under_way

    async def _landed(self, flight: Flight) -> dict[Key, Rows]:
        """Returns its vectors. Shielded, as others may be waiting for the same texts; the last to leave ends it."""
        self._waiting[flight] += 1
        try:
            return await asyncio.shield(flight)
        finally:
            self._waiting[flight] -= 1
            if not self._waiting[flight]:
                del self._waiting[flight]
                if not flight.done():
                    self._give_up(flight)

    def _give_up(self, flight: Flight) -> None:
        for key in [key for key, under_way in self._under_way.items() if under_way is flight]:
            del self._under_way[key]  # the next caller asks anew
        flight.cancel()

    def _start(self, absent: dict[Key, str]) -> None:
        flight = asyncio.create_task(self._fetch(absent))
        self._under_way |= dict.fromkeys(absent, flight)
        flight.add_done_callback(lambda done: self._land(absent, done))

    async def _fetch(self, absent: dict[Key, str]) -> dict[Key, Rows]:
        rows = await self._embed(list(absent.values()))
        return dict(zip(absent, rows, strict=True))

    def _land(self, keys: dict[Key, str], flight: Flight) -> None:
        # Those forgotten meanwhile are not ours any more.
        landing = [key for key in keys if self._under_way.get(key) is flight]
        for key in landing:
            del self._under_way[key]
        # Asking for the exception also tells the loop that it was seen, if every caller has gone.
        if flight.cancelled() or flight.exception() is not None:
            return
        rows = flight.result()
        for key in landing:
            self._recent[key] = rows[key].copy()  # a view would keep its whole batch
        self._drop_oldest()

    def _drop_oldest(self) -> None:
        while len(self._recent) > self._size:
            self._recent.popitem(last=False)

    def _touch(self, keys: Sequence[Key]) -> None:
        for key in keys:
            if key in self._recent:
                self._recent.move_to_end(key)


def digest(text: str) -> Key:
    """Returns what a text is found by, which does not tell it."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
