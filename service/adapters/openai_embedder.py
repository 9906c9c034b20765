"""Any endpoint that speaks OpenAI's embeddings API.

Law: what comes back is checked before it is believed (count, order, dimension, finite, not zero), and
everything that can go wrong out there is EmbedderUnavailable, whose cause never holds the texts.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import openai
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError

from core.errors import EmbedderUnavailable
from core.model.bank import EmbeddingSpace
from core.ports.embedder import Thresholds
from service.adapters.embedding_text import cleaned, windows

Rows = NDArray[np.float32]

NO_KEY = "none"
"""Sent to an endpoint that wants no key. Given none, the library would send it the environment's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where the model is, and how it wants to be asked.

    `window` is how many characters of a text go into one input; longer texts are cut, and their
    vectors averaged. `retries` counts attempts after the first, for connection errors, timeouts,
    408, 409, 429 and 5xx, with exponential backoff or as long as `Retry-After` says.
    """

    model: str
    base_url: str
    api_key: str = field(repr=False)
    query_prefix: str = ""  # some models want to know what they read
    passage_prefix: str = ""
    shortened: bool = False  # ask for `space.dimension` dimensions of a model that has more
    window: int = 6_000
    batch: int = 64  # inputs of one request
    concurrency: int = 4  # requests at a time
    timeout_seconds: float = 30.0  # of one attempt
    retries: int = 3


class OpenAIEmbedder:
    """Vectors of `space` from an endpoint. Same text, same bytes holds as far as the endpoint keeps it."""

    def __init__(self, endpoint: Endpoint, space: EmbeddingSpace, thresholds: Thresholds) -> None:
        self._endpoint = endpoint
        self._space = space
        self._thresholds = thresholds
        self._turns = asyncio.Semaphore(endpoint.concurrency)
        self._client = openai.AsyncOpenAI(
            api_key=endpoint.api_key or NO_KEY,
            base_url=endpoint.base_url,
            timeout=endpoint.timeout_seconds,
            max_retries=endpoint.retries,
        )

    @property
    def space(self) -> EmbeddingSpace:
        return self._space

    @property
    def thresholds(self) -> Thresholds:
        return self._thresholds

    async def embed_queries(self, texts: Sequence[str]) -> Rows:
        return await self._embed(self._endpoint.query_prefix, texts)

    async def embed_passages(self, texts: Sequence[str]) -> Rows:
        return await self._embed(self._endpoint.passage_prefix, texts)

    async def close(self) -> None:
        await self._client.close()

    async def _embed(self, prefix: str, texts: Sequence[str]) -> Rows:
        cut = [windows(cleaned(text), self._endpoint.window) for text in texts]
        # The API refuses empty inputs.
        inputs = [prefix + window or " " for parts in cut for window in parts]
        weights = np.array([max(len(window), 1) for parts in cut for window in parts], dtype=np.float64)
        rows = await self._requests(inputs)
        firsts = np.cumsum([0, *(len(parts) for parts in cut)])[:-1]
        if not texts:
            return rows.astype(np.float32)
        return _unit(np.add.reduceat(rows * weights[:, None], firsts, axis=0)).astype(np.float32)

    async def _requests(self, inputs: Sequence[str]) -> NDArray[np.float64]:
        """Embeds inputs as unit rows, in as many requests as it takes. The first failure ends them all."""
        size = self._endpoint.batch
        batches = [inputs[start : start + size] for start in range(0, len(inputs), size)]
        try:
            async with asyncio.TaskGroup() as group:
                answers = [group.create_task(self._request(batch)) for batch in batches]
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from failures
        none = np.empty((0, self._space.dimension))
        return np.concatenate([none, *(answer.result() for answer in answers)])

    async def _request(self, inputs: Sequence[str]) -> NDArray[np.float64]:
        dimension = self._space.dimension
        async with self._turns:
            try:
                response = await self._client.embeddings.with_raw_response.create(
                    model=self._endpoint.model,
                    input=list(inputs),
                    encoding_format="float",  # the other one is not understood everywhere
                    dimensions=dimension if self._endpoint.shortened else openai.omit,
                )
            except openai.OpenAIError as error:
                raise EmbedderUnavailable(cause=_cause(error)) from error
        return _unit_rows(response.content, len(inputs), dimension)


class _Item(BaseModel):
    index: int
    embedding: list[float]


class _Answer(BaseModel):
    data: list[_Item]


def _cause(error: openai.OpenAIError) -> str:
    """Returns what went wrong, without the message: endpoints like to repeat the input in it."""
    status = f" {error.status_code}" if isinstance(error, openai.APIStatusError) else ""
    return f"the endpoint failed: {type(error).__name__}{status}"


def _unit_rows(body: bytes, count: int, dimension: int) -> NDArray[np.float64]:
    """Returns the answer's vectors in the order of the inputs: shape (count, dimension), unit rows."""
    try:
        items = _Answer.model_validate_json(body).data
    except ValidationError as error:
        raise EmbedderUnavailable(cause="the endpoint's answer is no list of embeddings") from error
    if sorted(item.index for item in items) != list(range(count)):
        raise EmbedderUnavailable(cause=f"the endpoint answered {len(items)} embeddings to {count} inputs")
    lengths = {len(item.embedding) for item in items} - {dimension}
    if lengths:
        raise EmbedderUnavailable(
            cause=f"the endpoint's vectors have {min(lengths)} dimensions, not {dimension}"
        )
    rows = np.empty((count, dimension))
    for item in items:
        rows[item.index] = item.embedding
    return _unit(rows)


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    norms = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
    if not (np.isfinite(norms) & (norms > 0)).all():
        raise EmbedderUnavailable(cause="the endpoint answered a vector without direction")
    unit: NDArray[np.float64] = rows / norms
    return unit
