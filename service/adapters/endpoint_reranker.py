"""Any endpoint that reranks in the form that Cohere and Jina gave it: vLLM, llama.cpp, OpenVINO and others do.

POST base_url/rerank {"model", "query", "documents": [text, …], "top_n"} answers {"results": [{"index",
"relevance_score"}, …]}, in any order, an index counting the documents from 0. Most give shares, 0 to 1; llama.cpp
gives logits. (text-embeddings-inference has a `/rerank` of another form.)

Law: what comes back is checked before it is believed (one score for each text, finite, on the scale that was
configured). Whatever can go wrong out there is RerankerUnavailable; its cause never holds the texts, nor what the
endpoint wrote about them, and is logged where it happens.
"""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import openai
import structlog
from pydantic import BaseModel, ValidationError

from core.internal_errors import RerankerLate, RerankerUnavailable
from service.adapters.embedding_text import cleaned
from service.process.current_call import trace_headers

NO_KEY = "none"
"""Sent to an endpoint that wants no key. Given none, the library would send it the environment's."""

_ABOUT_THE_TEXTS = {400, 413, 422}

log: structlog.stdlib.BoundLogger = structlog.get_logger("memorybank.reranker")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where the model is, and how it answers. `logits`: its scores are any numbers, and 0 says "perhaps"."""

    model: str
    base_url: str
    api_key: str = field(repr=False)
    logits: bool = False
    concurrency: int = 4  # requests at a time
    timeout_seconds: float = 0.5  # of one call, waiting for its turn included


class TextsRefused(RerankerUnavailable):
    """The endpoint is there and will not take this request (too long, say); the next one may do."""


class EndpointReranker:
    """A reranker behind an endpoint, asked once: by the time of a second attempt the search is answered."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._turns = asyncio.Semaphore(endpoint.concurrency)
        self._client = openai.AsyncOpenAI(
            api_key=endpoint.api_key or NO_KEY,
            base_url=endpoint.base_url,
            timeout=endpoint.timeout_seconds,
            max_retries=0,
        )

    async def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        try:
            return await self._scores(query, texts)
        except RerankerUnavailable as problem:
            log.warning("reranker failed", texts=len(texts), problem=str(problem))
            raise

    async def close(self) -> None:
        await self._client.close()

    async def _scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        limit = self._endpoint.timeout_seconds
        try:
            async with asyncio.timeout(limit), self._turns:
                body = await self._answer(query, texts)
        # Not chained: these errors hold the request, and the endpoint's words on it.
        except (TimeoutError, openai.APITimeoutError):
            raise RerankerLate(f"the endpoint gave no scores within {limit:g} seconds") from None
        except openai.OpenAIError as error:
            raise _unavailable(error) from None
        return [self._share(score) for score in _read(body, len(texts))]

    async def _answer(self, query: str, texts: Sequence[str]) -> str:
        asked = {
            "model": self._endpoint.model,
            "query": cleaned(query) or " ",
            "documents": [cleaned(text) or " " for text in texts],
            "top_n": len(texts),
        }
        options = openai.RequestOptions(headers=trace_headers())
        return await self._client.post("/rerank", cast_to=str, body=asked, options=options)

    def _share(self, score: float) -> float:
        """Returns the score on a scale of 0 to 1."""
        if not math.isfinite(score):
            raise RerankerUnavailable("the endpoint gave a score that is no number")
        if self._endpoint.logits:
            return (1.0 + math.tanh(score / 2.0)) / 2.0  # the logistic function, which overflows nowhere
        if not 0.0 <= score <= 1.0:
            raise RerankerUnavailable("the endpoint's scores are not 0 to 1: are they logits?")
        return score


def _unavailable(error: openai.OpenAIError) -> RerankerUnavailable:
    cause = f"the endpoint failed: {type(error).__name__}"
    if not isinstance(error, openai.APIStatusError):
        return RerankerUnavailable(cause)
    kind = TextsRefused if error.status_code in _ABOUT_THE_TEXTS else RerankerUnavailable
    return kind(f"{cause} {error.status_code}")


class _Result(BaseModel):
    index: int
    relevance_score: float


class _Answer(BaseModel):
    results: list[_Result]


def _read(body: str, count: int) -> Sequence[float]:
    """Returns the scores in the order of the texts."""
    try:
        results = _Answer.model_validate_json(body).results
    except ValidationError:
        raise RerankerUnavailable("the endpoint's answer is no list of scores") from None
    if sorted(result.index for result in results) != list(range(count)):
        raise RerankerUnavailable(f"the endpoint scored {len(results)} texts, and was given {count}")
    return [result.relevance_score for result in sorted(results, key=lambda result: result.index)]
