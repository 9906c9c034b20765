"""The reranker behind an endpoint against a real HTTP server, through the real client."""

import math
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from structlog.testing import capture_logs

from core.internal_errors import RerankerLate, RerankerUnavailable
from service.adapters.endpoint_reranker import Endpoint, EndpointReranker, TextsRefused
from tests.support.rerank_endpoint import Reply, RerankEndpoint, failing, scoring, serving

SECRET = "sk-very-secret"
QUESTION = "谁是首席执行官？"
TEXTS = ["a text nobody else should read", "首席执行官是张三"]


@pytest.fixture
def endpoint() -> Iterator[RerankEndpoint]:
    with serving() as served:
        yield served


@asynccontextmanager
async def reranker(url: str, **settings: object) -> AsyncIterator[EndpointReranker]:
    given = {"model": "m", "base_url": url, "api_key": SECRET, "timeout_seconds": 30.0, **settings}
    made = EndpointReranker(Endpoint(**given))  # type: ignore[arg-type]
    try:
        yield made
    finally:
        await made.close()


async def test_the_endpoint_is_asked_in_the_common_form_and_scores_come_in_the_order_of_the_texts(
    endpoint: RerankEndpoint,
) -> None:
    endpoint.script = [scoring(0.25, 0.75)]

    async with reranker(endpoint.url) as remote:
        scores = await remote.rerank(QUESTION, TEXTS)

    assert scores == [0.25, 0.75]
    assert endpoint.requests == [{"model": "m", "query": QUESTION, "documents": TEXTS, "top_n": 2}]
    assert endpoint.keys == [f"Bearer {SECRET}"]


async def test_what_json_or_the_api_cannot_carry_is_cleaned_first(endpoint: RerankEndpoint) -> None:
    async with reranker(endpoint.url) as remote:
        await remote.rerank("\0", ["", "nul\0", "\ud800"])

    assert endpoint.requests[0]["query"] == " "
    assert endpoint.requests[0]["documents"] == [" ", "nul", "\ufffd"]


async def test_logits_become_shares_in_the_same_order(endpoint: RerankEndpoint) -> None:
    endpoint.script = [scoring(8.6, -5.4, 0.0, 1e308, -1e308)]

    async with reranker(endpoint.url, logits=True) as remote:
        scores = await remote.rerank(QUESTION, TEXTS[:1] * 5)

    assert scores == pytest.approx([1 / (1 + math.exp(-8.6)), 1 / (1 + math.exp(5.4)), 0.5, 1.0, 0.0])


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (scoring(0.5), "scored 1 texts, and was given 2"),
        (scoring(), "scored 0 texts, and was given 2"),
        (scoring(0.5, 0.5, 0.5), "scored 3 texts, and was given 2"),
        (scoring(0.5, 0.5, first=1), "scored 2 texts, and was given 2"),
        (scoring(float("nan"), 0.5), "no number"),
        (scoring(float("inf"), 0.5), "no number"),
        (scoring(8.6, -5.4), "not 0 to 1: are they logits?"),
        (Reply(body=b"{}"), "no list of scores"),
        (Reply(body=b'{"results": [{"index": 0, "score": 1}]}'), "no list of scores"),
        (Reply(body=b"<html>Bad gateway</html>"), "no list of scores"),
        (Reply(body=b"\xff\xfe{"), "no list of scores"),
        (Reply(body=scoring(0.5, 0.5).body, cut=True), "APIConnectionError"),
    ],
)
async def test_an_answer_that_cannot_be_used_is_unavailable_and_says_why(
    endpoint: RerankEndpoint, reply: Reply, cause: str
) -> None:
    endpoint.script = [reply]

    async with reranker(endpoint.url) as remote:
        with pytest.raises(RerankerUnavailable, match=cause):
            await remote.rerank(QUESTION, TEXTS)


@pytest.mark.parametrize("status", [401, 404, 429, 500, 503])
async def test_a_failure_is_not_tried_again(endpoint: RerankEndpoint, status: int) -> None:
    endpoint.script = [failing(status)]

    async with reranker(endpoint.url) as remote:
        with pytest.raises(RerankerUnavailable, match=str(status)) as raised:
            await remote.rerank(QUESTION, TEXTS)

    assert len(endpoint.requests) == 1
    assert not isinstance(raised.value, TextsRefused)


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_texts_that_are_refused_are_told_from_an_endpoint_that_fails(
    endpoint: RerankEndpoint, status: int
) -> None:
    endpoint.script = [failing(status)]

    async with reranker(endpoint.url) as remote:
        with pytest.raises(TextsRefused, match=str(status)):
            await remote.rerank(QUESTION, TEXTS)


async def test_an_endpoint_that_hangs_is_given_up_in_time(endpoint: RerankEndpoint) -> None:
    endpoint.script = [Reply(hangs=True)]

    async with reranker(endpoint.url, timeout_seconds=0.1) as remote:
        with pytest.raises(RerankerLate, match=r"within 0\.1 seconds"):
            await remote.rerank(QUESTION, TEXTS)


async def test_waiting_for_a_turn_counts_as_waiting_for_scores(endpoint: RerankEndpoint) -> None:
    async with reranker(endpoint.url, timeout_seconds=0.1, concurrency=1) as remote, remote._turns:
        with pytest.raises(RerankerLate):
            await remote.rerank(QUESTION, TEXTS)

    assert not endpoint.requests


async def test_an_endpoint_that_is_not_there_is_unavailable() -> None:
    with serving() as endpoint:
        gone = endpoint.url

    async with reranker(gone) as remote:
        with pytest.raises(RerankerUnavailable, match="APIConnectionError"):
            await remote.rerank(QUESTION, TEXTS)


async def test_what_failed_is_logged_where_it_happens_without_texts_and_secrets(
    endpoint: RerankEndpoint,
) -> None:
    endpoint.script = [Reply(status=401, body=f'{{"error": "{TEXTS[0]} {SECRET}"}}'.encode())]

    with capture_logs() as events:
        async with reranker(endpoint.url) as remote:
            with pytest.raises(RerankerUnavailable) as raised:
                await remote.rerank(QUESTION, TEXTS)

    assert events == [
        {
            "log_level": "warning",
            "event": "reranker failed",
            "texts": 2,
            "problem": "the endpoint failed: AuthenticationError 401",
        }
    ]
    assert raised.value.__cause__ is None
    assert SECRET not in repr(Endpoint(model="m", base_url=endpoint.url, api_key=SECRET))


async def test_without_a_key_of_its_own_an_endpoint_is_not_sent_the_environments(
    endpoint: RerankEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)

    async with reranker(endpoint.url, api_key="") as remote:
        await remote.rerank(QUESTION, TEXTS)

    assert SECRET not in endpoint.keys[0]
