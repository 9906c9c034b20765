"""The local model behind the Reader port: one short run of the encoder a sentence, then a small network.

What was read of late is not read again, nor what is embedded as a passage in these very words, as an input of one
sentence is; a brief sentence that is read is embedded, so that who compares it need not read it. A sentence among
others is read: its tokens' states in the run of the whole text are other ones, by which half of what is told is missed.

Law: what it keeps of a text is found by a digest, and no text is; `forget` drops it. The network's weights are checked
when they are opened, at start. The model is the process's one (`service.assembly.comparers`), and loaded when something
is read.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
import structlog

from core.agents.offline.thinking import think
from core.errors import EmbedderUnavailable
from core.ports.reader import NONE, Reading
from service.adapters.cached_embedder import digest
from service.adapters.embedding_text import cleaned
from service.adapters.local_embedder.embedder import Embed, LocalEmbedder
from service.adapters.local_embedder.reading import LONGEST, MEANS, MODEL, ReadingNetwork, means, seen
from service.adapters.local_embedder.state_cache import StateCache
from service.adapters.local_embedder.weights import F32

PREFIX = "passage:"
CHARACTERS = 1_000  # of a sentence: LONGEST tokens have fewer
KEPT_BYTES = 4_000_000  # of what was overheard: some 1,300 texts, the last turns of many conversations
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
        self._embed: Embed | None = None
        self._overheard = StateCache(KEPT_BYTES)

    @property
    def model(self) -> str:
        return NONE if self._absent else MODEL

    @property
    def size(self) -> int:
        """How many bytes it takes: the network, and what it read."""
        return self._network.size + self._overheard.size

    def overhear(self, embedder: LocalEmbedder, embed: Embed) -> None:
        """From now on, keeps what it sees of the brief passages that are embedded; `embed` embeds them."""
        embedder.overhear(self._keep)
        self._embed = embed

    def forget(self) -> None:
        """Drops what was read: after a purge nothing here tells of it."""
        self._overheard.clear()

    def _keep(self) -> Callable[[str, F32], None]:
        """Returns what is told of the passages of one call as they are embedded, in whichever thread."""
        edition = self._overheard.edition

        def keep(text: str, states: F32) -> None:
            if len(states) > 0:
                self._overheard.add(digest(text), means(states), edition)

        return keep

    async def read(self, sentences: Sequence[str]) -> Sequence[Reading | None]:
        """Returns how each sentence is read, in order."""
        embedder = await self._model() if sentences else None
        if embedder is None:
            return [None] * len(sentences)
        edition = self._overheard.edition
        if self._embed and (brief := [s for s in sentences if self._is_news(embedder, s)]):
            await self._embed(brief)
        found = [self._overheard.get(digest(sentence)) for sentence in sentences]
        missing = [sentence for sentence, known in zip(sentences, found, strict=True) if known is None]
        read = await embedder.passages.rows(missing, partial(_read, embedder), MEANS) if missing else ()
        for sentence, row in zip(missing, read, strict=True):
            self._overheard.add(digest(sentence), np.array(row), edition)
        made = iter(read)
        rows = [
            seen(next(made) if known is None else known, s) for s, known in zip(sentences, found, strict=True)
        ]
        return await think(self._network.readings, np.stack(rows))

    def _is_news(self, embedder: LocalEmbedder, sentence: str) -> bool:
        return self._overheard.get(digest(sentence)) is None and embedder.is_brief(sentence)

    async def _model(self) -> LocalEmbedder | None:
        if self._embedder is None and not self._absent:
            try:
                self._embedder = await asyncio.to_thread(self._open_model)
            except EmbedderUnavailable as missing:
                self._absent = True
                log.warning("nothing reads what users say: no facts are learned from it", cause=str(missing))
        return self._embedder


def _read(embedder: LocalEmbedder, sentence: str) -> Iterator[F32]:
    yield means(states_of(embedder, sentence))


def states_of(embedder: LocalEmbedder, sentence: str) -> F32:
    """Returns the states of a sentence's own tokens, shape (tokens, hidden): of its first LONGEST, at least one."""
    tokenizer = embedder.tokenizer
    ahead = tokenizer.ids(PREFIX)
    content = tokenizer.ids(cleaned(sentence, CHARACTERS))[:LONGEST] or tokenizer.ids(NO_WORDS)
    states: F32 = embedder.encoder.states(tokenizer.framed(ahead, content))[len(ahead) + 1 : -1]
    return states
