"""The remembering embedder, around one that counts and can be held."""

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from core.errors import EmbedderUnavailable
from service.adapters.cached_embedder import CachedEmbedder
from tests.support.hashing_embedder import HashingEmbedder


class HeldEmbedder(HashingEmbedder):
    """Counts its calls, which wait until `go` is set, and fails them while `broken`."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[list[str]] = []
        self.go = asyncio.Event()
        self.broken = False

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls.append(list(texts))
        await self.go.wait()
        if self.broken:
            raise EmbedderUnavailable(cause="told to")
        return await super().embed_queries(texts)


@pytest.fixture
async def inner() -> HeldEmbedder:
    return HeldEmbedder()


async def begun(*tasks: asyncio.Task[NDArray[np.float32]]) -> None:
    """Let the tasks run as far as they can."""
    for _ in range(5):
        await asyncio.sleep(0)
    assert not any(task.done() for task in tasks)


async def test_a_known_text_is_not_embedded_again(inner: HeldEmbedder) -> None:
    inner.go.set()
    cached = CachedEmbedder(inner)

    first = await cached.embed_queries(["who?", "where?"])
    second = await cached.embed_queries(["where?", "when?", "who?"])

    assert inner.calls == [["who?", "where?"], ["when?"]]
    assert second[[2, 0]].tobytes() == first.tobytes()


async def test_queries_and_passages_are_remembered_apart() -> None:
    inner = HashingEmbedder()
    cached = CachedEmbedder(inner)

    await cached.embed_queries(["same"])
    await cached.embed_passages(["same"])

    assert inner.texts_embedded == 2


async def test_the_least_recently_used_is_forgotten_first(inner: HeldEmbedder) -> None:
    inner.go.set()
    cached = CachedEmbedder(inner, queries=2)

    await cached.embed_queries(["a", "b"])
    await cached.embed_queries(["a"])
    await cached.embed_queries(["c"])
    await cached.embed_queries(["a", "b"])

    assert inner.calls == [["a", "b"], ["c"], ["b"]]


async def test_more_texts_than_it_keeps_are_all_answered(inner: HeldEmbedder) -> None:
    inner.go.set()
    texts = [str(n) for n in range(20)]

    rows = await CachedEmbedder(inner, queries=2).embed_queries([*texts, *texts])

    assert len(inner.calls) == 1
    assert rows.tobytes() == np.stack([inner.vector(text) for text in [*texts, *texts]]).tobytes()


async def test_identical_concurrent_texts_are_embedded_once(inner: HeldEmbedder) -> None:
    cached = CachedEmbedder(inner)
    tasks = [asyncio.create_task(cached.embed_queries(["who?"])) for _ in range(5)]
    more = asyncio.create_task(cached.embed_queries(["what?", "who?"]))
    await begun(*tasks, more)

    inner.go.set()
    rows = await asyncio.gather(*tasks)

    assert inner.calls == [["who?"], ["what?"]]
    assert {row.tobytes() for row in rows} == {inner.vector("who?").tobytes()}
    assert (await more)[1].tobytes() == rows[0].tobytes()


async def test_a_caller_who_gives_up_takes_nothing_from_the_others(inner: HeldEmbedder) -> None:
    cached = CachedEmbedder(inner)
    first = asyncio.create_task(cached.embed_queries(["who?"]))
    second = asyncio.create_task(cached.embed_queries(["who?"]))
    await begun(first, second)

    first.cancel()
    inner.go.set()
    rows = await second

    assert rows.tobytes() == inner.vector("who?").tobytes()
    assert inner.calls == [["who?"]]


async def test_a_failure_reaches_every_caller_and_is_not_remembered(inner: HeldEmbedder) -> None:
    cached = CachedEmbedder(inner)
    inner.broken = True
    tasks = [asyncio.create_task(cached.embed_queries(["who?"])) for _ in range(2)]
    await begun(*tasks)
    inner.go.set()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    inner.broken = False

    again = await cached.embed_queries(["who?"])

    assert [type(outcome) for outcome in outcomes] == [EmbedderUnavailable] * 2
    assert again.tobytes() == inner.vector("who?").tobytes()


async def test_what_is_forgotten_is_embedded_again(inner: HeldEmbedder) -> None:
    inner.go.set()
    cached = CachedEmbedder(inner)
    await cached.embed_queries(["who?"])

    cached.forget()
    await cached.embed_queries(["who?"])

    assert len(inner.calls) == 2


async def test_what_is_forgotten_on_its_way_is_answered_and_not_kept(inner: HeldEmbedder) -> None:
    cached = CachedEmbedder(inner)
    task = asyncio.create_task(cached.embed_queries(["who?"]))
    await begun(task)

    cached.forget()
    inner.go.set()
    rows = await task
    await cached.embed_queries(["who?"])

    assert rows.tobytes() == inner.vector("who?").tobytes()
    assert len(inner.calls) == 2
