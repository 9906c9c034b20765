"""The OpenAI-compatible embedder against a real HTTP server, through the real client."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import numpy as np
import pytest

from core.errors import EmbedderUnavailable
from core.model.bank import EmbeddingSpace
from core.ports.embedder import Thresholds
from service.adapters.openai_embedder import Endpoint, OpenAIEmbedder
from tests.support.embedding_endpoint import (
    DIMENSION,
    EmbeddingEndpoint,
    Reply,
    answering,
    failing,
    serving,
)
from tests.support.hashing_embedder import HashingEmbedder

SECRET = "sk-very-secret"
TEXT = "a text nobody else should read"


@pytest.fixture
def endpoint() -> Iterator[EmbeddingEndpoint]:
    with serving() as served:
        yield served


@asynccontextmanager
async def embedder(url: str, dimension: int = DIMENSION, **settings: object) -> AsyncIterator[OpenAIEmbedder]:
    made = OpenAIEmbedder(
        Endpoint(**{"model": "m", "base_url": url, "api_key": SECRET, **settings}),  # type: ignore[arg-type]
        EmbeddingSpace(name="remote", dimension=dimension),
        Thresholds(topic=0.2, related=0.3, cluster=0.4, same=0.7),
    )
    try:
        yield made
    finally:
        await made.close()


async def test_rows_come_in_the_order_of_the_texts_over_several_batches(endpoint: EmbeddingEndpoint) -> None:
    texts = [f"text number {n}" for n in range(7)]

    async with embedder(endpoint.url, batch=3) as remote:
        rows = await remote.embed_passages(texts)

    assert sorted(len(request["input"]) for request in endpoint.requests) == [1, 3, 3]
    hashed = HashingEmbedder(DIMENSION)
    assert rows == pytest.approx(np.stack([hashed.vector(text) for text in texts]), abs=1e-6)


async def test_prefixes_and_dimensions_are_sent_as_configured(endpoint: EmbeddingEndpoint) -> None:
    async with embedder(
        endpoint.url, query_prefix="query: ", passage_prefix="passage: ", shortened=True
    ) as remote:
        await remote.embed_queries(["who?"])
        await remote.embed_passages(["she"])

    assert [request["input"] for request in endpoint.requests] == [["query: who?"], ["passage: she"]]
    assert [request["dimensions"] for request in endpoint.requests] == [DIMENSION, DIMENSION]


async def test_what_json_or_the_api_cannot_carry_is_cleaned_first(endpoint: EmbeddingEndpoint) -> None:
    async with embedder(endpoint.url) as remote:
        await remote.embed_passages(["", "nul\0", "\ud800"])

    assert endpoint.requests[0]["input"] == [" ", "nul", "\ufffd"]


async def test_a_long_text_is_asked_in_windows_and_averaged(endpoint: EmbeddingEndpoint) -> None:
    left, right = [1.0] + [0.0] * 63, [0.0, 1.0] + [0.0] * 62
    endpoint.script = [answering(left, right)]

    async with embedder(endpoint.url, window=10) as remote:
        (row,) = await remote.embed_passages(["x" * 18])

    assert endpoint.requests[0]["input"] == ["x" * 9, "x" * 9]
    assert row[:2] == pytest.approx([np.sqrt(0.5)] * 2)


@pytest.mark.parametrize("status", [408, 429, 500, 503])
async def test_a_passing_failure_is_tried_again(endpoint: EmbeddingEndpoint, status: int) -> None:
    endpoint.script = [failing(status), failing(status)]

    async with embedder(endpoint.url, retries=2) as remote:
        rows = await remote.embed_queries([TEXT])

    assert rows.shape == (1, DIMENSION)
    assert len(endpoint.requests) == 3


@pytest.mark.parametrize("status", [429, 500])
async def test_a_lasting_failure_is_unavailable_after_the_last_try(
    endpoint: EmbeddingEndpoint, status: int
) -> None:
    endpoint.script = [failing(status)] * 9

    async with embedder(endpoint.url, retries=2) as remote:
        with pytest.raises(EmbedderUnavailable) as raised:
            await remote.embed_queries([TEXT])

    assert len(endpoint.requests) == 3
    assert str(status) in raised.value.cause


async def test_a_refusal_is_not_tried_again_and_its_cause_keeps_secrets(endpoint: EmbeddingEndpoint) -> None:
    body = f'{{"error": {{"message": "{TEXT} {SECRET}"}}}}'.encode()
    endpoint.script = [Reply(status=401, body=body)]

    async with embedder(endpoint.url) as remote:
        with pytest.raises(EmbedderUnavailable) as raised:
            await remote.embed_queries([TEXT])

    assert len(endpoint.requests) == 1
    assert "401" in raised.value.cause
    assert TEXT not in str(raised.value)
    assert SECRET not in str(raised.value)
    assert SECRET not in repr(Endpoint(model="m", base_url=endpoint.url, api_key=SECRET))


async def test_an_endpoint_that_hangs_is_given_up(endpoint: EmbeddingEndpoint) -> None:
    endpoint.script = [Reply(hangs=True)]

    async with embedder(endpoint.url, timeout_seconds=0.1, retries=0) as remote:
        with pytest.raises(EmbedderUnavailable, match="Timeout"):
            await remote.embed_queries([TEXT])


async def test_an_endpoint_that_is_not_there_is_unavailable() -> None:
    with serving() as endpoint:
        gone = endpoint.url

    async with embedder(gone, retries=0) as remote:
        with pytest.raises(EmbedderUnavailable, match="APIConnectionError"):
            await remote.embed_queries([TEXT])


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (answering([1.0, 2.0]), "2 dimensions, not 64"),
        (answering([1.0] * 64, [1.0] * 64), "2 embeddings to 1 inputs"),
        (answering(), "0 embeddings to 1 inputs"),
        (answering([0.0] * 64), "without direction"),
        (answering([float("nan")] * 64), "without direction"),
        (Reply(body=b"{}"), "no list of embeddings"),
        (Reply(body=b"<html>Bad gateway</html>"), "no list of embeddings"),
        (Reply(body=b'{"data": [{"index": 7, "embedding": [1]}]}'), "1 embeddings to 1 inputs"),
        (Reply(headers={"content-type": "text/html"}, body=b"hello"), "no list of embeddings"),
    ],
)
async def test_an_answer_that_cannot_be_used_is_unavailable_and_says_why(
    endpoint: EmbeddingEndpoint, reply: Reply, cause: str
) -> None:
    endpoint.script = [reply]

    async with embedder(endpoint.url) as remote:
        with pytest.raises(EmbedderUnavailable, match=cause):
            await remote.embed_passages([TEXT])


async def test_one_failing_batch_fails_the_call_once(endpoint: EmbeddingEndpoint) -> None:
    endpoint.script = [failing(500)] * 9

    async with embedder(endpoint.url, batch=1, retries=0) as remote:
        with pytest.raises(EmbedderUnavailable):
            await remote.embed_passages(["one", "two", "three"])


async def test_without_a_key_of_its_own_an_endpoint_is_not_sent_the_environments(
    endpoint: EmbeddingEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)

    async with embedder(endpoint.url, api_key="") as remote:
        await remote.embed_queries([TEXT])

    assert SECRET not in endpoint.keys[0]
