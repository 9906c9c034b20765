"""The local model behind the Comparer port: reads each sentence once, compares it with many.

What was embedded as a passage is not read again: facts and brief notes nearly always are embedded as they stand before
they are compared.

Law: what was read is kept by a digest and no text is; `forget` drops it. Sentences of more than `LONGEST` tokens, or of
none, are not compared. A sentence says the same as itself.
"""

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from core.agents.offline.thinking import think
from core.ports.comparer import Likelihood
from service.adapters.cached_embedder import Key, RecentRows, Rows, digest
from service.adapters.embedding_lane import Lane
from service.adapters.embedding_text import cleaned
from service.adapters.local_embedder.comparing import LONGEST, Networks
from service.adapters.local_embedder.encoder import Encoder
from service.adapters.local_embedder.tokens import Tokenizer
from service.adapters.local_embedder.weights import F32

PREFIX = "passage:"
CHARACTERS = 1_000  # of a sentence; one of so many is too long anyway
KEPT = 512  # sentences of 40 kB each
ITSELF = Likelihood(contradiction=0.0, sameness=1.0)
PASSAGES = 256  # of them apart: many passages are never compared, and would push out what is


class Readings:
    """What the latest passages gave, until they are compared: `PASSAGES` at most."""

    def __init__(self) -> None:
        self._rows: OrderedDict[Key, Rows] = OrderedDict()

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, read: Mapping[str, Rows]) -> None:
        for text, row in read.items():
            key = digest(text)
            self._rows[key] = row
            self._rows.move_to_end(key)
        while len(self._rows) > PASSAGES:
            self._rows.popitem(last=False)

    def forget(self) -> None:
        self._rows.clear()

    def take(self, texts: Sequence[str]) -> dict[str, Rows]:
        """Takes out what is there of these."""
        found = ((text, self._rows.pop(digest(text), None)) for text in texts)
        return {text: row for text, row in found if row is not None}


class LocalComparer:
    """Compares English and Chinese sentences. Belongs to one event loop."""

    def __init__(self, encoder: Encoder, tokenizer: Tokenizer, lane: Lane) -> None:
        self._networks = Networks.load()
        self._encoder, self._tokenizer, self._lane = encoder, tokenizer, lane
        self._size = LONGEST * self._networks.width
        self._read = RecentRows(self._rows, KEPT, self._size)
        self.readings = Readings()

    async def compare(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Likelihood | None]:
        """Returns what each two sentences are to each other, in order. Raises EmbedderUnavailable."""
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        self._read.add(self.readings.take(texts))
        rows = await self._read.rows(texts)
        places = {text: place for place, text in enumerate(texts)}
        return await think(self._compared, [(places[a], places[b]) for a, b in pairs], rows)

    def keep(self, read: dict[str, Rows], text: str, states: F32) -> None:
        """Adds to `read` what is kept of a passage, unless there are enough; in whichever thread embeds it."""
        if len(text) <= CHARACTERS and len(read) < PASSAGES:
            read[text] = self._row(states)

    @property
    def kept(self) -> int:
        """How many sentences' readings are kept."""
        return len(self._read) + len(self.readings)

    def forget(self) -> None:
        """Drops what was read: after a purge nothing here tells of it."""
        self._read.forget()
        self.readings.forget()

    def _compared(self, pairs: Sequence[tuple[int, int]], rows: Rows) -> list[Likelihood | None]:
        """Compares sentences by their places in `rows`."""
        there = np.asarray(rows.any(axis=1))
        read = [n for n, pair in enumerate(pairs) if there[list(pair)].all()]
        sentences = rows.reshape(len(rows), LONGEST, self._networks.width)
        ours, theirs = (sentences[[pairs[n][side] for n in read]] for side in (0, 1))
        found: list[Likelihood | None] = [None] * len(pairs)
        for n, (_, contradiction, sameness) in zip(
            read, self._networks.likelihoods(ours, theirs).tolist(), strict=True
        ):
            is_one = pairs[n][0] == pairs[n][1]  # the networks learned from no such pairs
            found[n] = ITSELF if is_one else Likelihood(contradiction=contradiction, sameness=sameness)
        return found

    async def _rows(self, texts: Sequence[str]) -> Rows:
        return await self._lane.rows(texts, self._projected, self._size)

    def _projected(self, text: str) -> Iterator[Rows]:
        yield self._row(token_states(self._encoder, self._tokenizer, text))

    def _row(self, states: F32) -> Rows:
        """Returns what is kept of a sentence, flat, zeros behind its end."""
        kept = np.zeros((LONGEST, self._networks.width), np.float32)
        kept[: len(states)] = self._networks.projected(states)
        return kept.reshape(-1)


def token_states(encoder: Encoder, tokenizer: Tokenizer, text: str) -> F32:
    """Returns the states of a sentence's own tokens, shape (tokens, hidden): none where it is too long."""
    ahead = tokenizer.ids(PREFIX)
    content = tokenizer.ids(cleaned(text, CHARACTERS))
    if len(content) > LONGEST:
        content = []
    states: F32 = encoder.states(tokenizer.framed(ahead, content))[len(ahead) + 1 : -1]
    return states
