"""The local model behind the Reader port: one short run of the encoder a sentence, then a small network.

Law: keeps nothing of what it read. The network's weights are checked when they are opened, at start. The model is the
process's one (service.comparers), and is loaded when a sentence is first read.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import structlog

from core.agents.offline.thinking import think
from core.errors import EmbedderUnavailable
from core.ports.reader import NONE, Reading
from service.adapters.embedding_text import cleaned
from service.adapters.local_embedder.embedder import LocalEmbedder
from service.adapters.local_embedder.reading import INPUTS, LONGEST, MODEL, ReadingNetwork, seen
from service.adapters.local_embedder.weights import F32

PREFIX = "passage:"
CHARACTERS = 1_000  # of a sentence: LONGEST tokens have fewer
NO_WORDS = "."  # what is read where there is nothing

log: structlog.stdlib.BoundLogger = structlog.get_logger("memorybank.reading")


class LocalReader:
    """Reads sentences. `open_model` returns what makes token states, any thread may call it; it raises
    EmbedderUnavailable where the weights are not installed: then nothing is read from then on."""

    def __init__(self, open_model: Callable[[], LocalEmbedder], network: ReadingNetwork) -> None:
        self._open_model = open_model
        self._network = network
        self._embedder: LocalEmbedder | None = None
        self._absent = False

    @property
    def model(self) -> str:
        return NONE if self._absent else MODEL

    @property
    def size(self) -> int:
        """How many bytes the network takes."""
        return self._network.size

    async def read(self, sentences: Sequence[str]) -> Sequence[Reading | None]:
        """Returns how each sentence is read, in order."""
        embedder = await self._model() if sentences else None
        if embedder is None:
            return [None] * len(sentences)
        rows = await embedder.passages.rows(sentences, partial(_read, embedder), INPUTS)
        return await think(self._network.readings, rows)

    async def _model(self) -> LocalEmbedder | None:
        if self._embedder is None and not self._absent:
            try:
                self._embedder = await asyncio.to_thread(self._open_model)
            except EmbedderUnavailable as missing:
                self._absent = True
                log.warning("nothing reads what users say: no facts are learned from it", cause=str(missing))
        return self._embedder


def _read(embedder: LocalEmbedder, sentence: str) -> Iterator[F32]:
    yield seen(states_of(embedder, sentence), sentence)


def states_of(embedder: LocalEmbedder, sentence: str) -> F32:
    """Returns the states of a sentence's own tokens, shape (tokens, hidden): of its first LONGEST, at least one."""
    tokenizer = embedder.tokenizer
    ahead = tokenizer.ids(PREFIX)
    content = tokenizer.ids(cleaned(sentence, CHARACTERS))[:LONGEST] or tokenizer.ids(NO_WORDS)
    states: F32 = embedder.encoder.states(tokenizer.framed(ahead, content))[len(ahead) + 1 : -1]
    return states
