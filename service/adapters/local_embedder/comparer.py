"""The local model behind the Comparer port: reads each sentence once, compares it with many.

Law: what was read is kept by a digest and no text is; `forget` drops it. Sentences of more than `LONGEST` tokens, or of
none, are not compared.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from core.agents.offline.thinking import think
from core.ports.comparer import UNLIKELY, Likelihood
from service.adapters.cached_embedder import RecentRows, Rows
from service.adapters.embedding_lane import Lane
from service.adapters.embedding_text import cleaned
from service.adapters.local_embedder.comparing import LONGEST, Network
from service.adapters.local_embedder.encoder import Encoder
from service.adapters.local_embedder.tokens import Tokenizer
from service.adapters.local_embedder.weights import F32

PREFIX = "passage:"
CHARACTERS = 1_000  # of a sentence; one of so many is too long anyway
KEPT = 1_024  # sentences of 12 kB each


class LocalComparer:
    """Compares English and Chinese sentences. Belongs to one event loop."""

    def __init__(self, encoder: Encoder, tokenizer: Tokenizer, lane: Lane) -> None:
        self._network = Network.load()
        self._encoder, self._tokenizer, self._lane = encoder, tokenizer, lane
        self._size = LONGEST * self._network.width
        self._read = RecentRows(self._rows, KEPT, self._size)

    async def compare(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Likelihood]:
        """Returns what each two sentences are to each other, in order. Raises EmbedderUnavailable."""
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        rows = await self._read.rows(texts)
        return await think(self._compared, pairs, dict(zip(texts, rows, strict=True)))

    @property
    def kept(self) -> int:
        """How many sentences' readings are kept."""
        return len(self._read)

    def forget(self) -> None:
        """Drops what was read: after a purge nothing here tells of it."""
        self._read.forget()

    def _compared(self, pairs: Sequence[tuple[str, str]], rows: dict[str, Rows]) -> list[Likelihood]:
        read = [n for n, pair in enumerate(pairs) if all(rows[text].any() for text in pair)]
        ours, theirs = (
            np.array([rows[pairs[n][side]] for n in read], np.float32).reshape(
                len(read), LONGEST, self._network.width
            )
            for side in (0, 1)
        )
        found = [UNLIKELY] * len(pairs)
        for n, (_, contradiction, sameness) in zip(
            read, self._network.likelihoods(ours, theirs).tolist(), strict=True
        ):
            found[n] = Likelihood(contradiction=contradiction, sameness=sameness)
        return found

    async def _rows(self, texts: Sequence[str]) -> Rows:
        return await self._lane.rows(texts, self._projected, self._size)

    def _projected(self, text: str) -> Iterator[Rows]:
        """Yields what is kept of a sentence, flat, zeros behind its end."""
        kept = np.zeros((LONGEST, self._network.width), np.float32)
        states = token_states(self._encoder, self._tokenizer, text)
        kept[: len(states)] = self._network.projected(states)
        yield kept.reshape(-1)


def token_states(encoder: Encoder, tokenizer: Tokenizer, text: str) -> F32:
    """Returns the states of a sentence's own tokens, shape (tokens, hidden): none where it is too long."""
    ahead = tokenizer.ids(PREFIX)
    content = tokenizer.ids(cleaned(text, CHARACTERS))
    if len(content) > LONGEST:
        content = []
    states: F32 = encoder.states(tokenizer.framed(ahead, content))[len(ahead) + 1 : -1]
    return states
