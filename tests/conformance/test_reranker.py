"""One suite for every Reranker: what the port promises, on real implementations."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from core.internal_errors import RerankerUnavailable
from core.ports.reranker import Reranker
from service.adapters.breaker import RerankerBreaker
from service.adapters.endpoint_reranker import Endpoint, EndpointReranker
from tests.support.rerank_endpoint import failing, serving
from tests.support.scripted_reranker import ScriptedReranker

QUESTION = "渡船几点开"
TEXTS = ["渡船早上九点开", "The ferry leaves at nine", "", "nul\0 \ud800 half a character", "长" * 40_000]
DOWN = RerankerUnavailable("down")


@pytest.fixture(params=["scripted", "guarded", "endpoint"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@asynccontextmanager
async def open_reranker(kind: str, *, down: bool = False) -> AsyncIterator[Reranker]:
    """A reranker that prefers what shares the query's characters, or none that can be had."""
    match kind:
        case "scripted":
            yield ScriptedReranker([DOWN] * down)
        case "guarded":
            yield RerankerBreaker(ScriptedReranker([DOWN] * down), failures=1, rest_seconds=60)
        case "endpoint":
            with serving() as served:
                served.script = [failing(503)] * down
                remote = EndpointReranker(
                    Endpoint(model="m", base_url=served.url, api_key="k", timeout_seconds=30)
                )
                yield remote
                await remote.close()


async def test_every_text_gets_a_score_of_0_to_1_in_its_place(kind: str) -> None:
    async with open_reranker(kind) as reranker:
        scores = await reranker.rerank(QUESTION, TEXTS)

    assert len(scores) == len(TEXTS)
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert max(range(len(TEXTS)), key=lambda place: scores[place]) == 0


async def test_that_there_are_no_scores_is_said_in_one_way_without_the_texts(kind: str) -> None:
    async with open_reranker(kind, down=True) as reranker:
        with pytest.raises(RerankerUnavailable) as raised:
            await reranker.rerank(QUESTION, TEXTS)

    assert str(raised.value)
    assert not any(text and text in str(raised.value) for text in (QUESTION, *TEXTS))


async def test_calls_at_the_same_time_each_get_their_own_scores(kind: str) -> None:
    async with open_reranker(kind) as reranker:
        answers = await asyncio.gather(
            *(reranker.rerank(f"word{n} common", [f"word{n}", "common", "neither"]) for n in range(12))
        )

    assert [list(scores) for scores in answers] == [[0.5, 0.5, 0.0]] * 12


async def test_a_call_that_is_cancelled_disturbs_no_other(kind: str) -> None:
    async with open_reranker(kind) as reranker:
        given_up = asyncio.create_task(reranker.rerank(QUESTION, TEXTS))
        staying = asyncio.create_task(reranker.rerank(QUESTION, TEXTS))
        given_up.cancel()

        scores, cancelled = await asyncio.gather(staying, given_up, return_exceptions=True)

    assert isinstance(cancelled, asyncio.CancelledError)
    assert isinstance(scores, list)
    assert len(scores) == len(TEXTS)
