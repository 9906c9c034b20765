"""The local model behind the Comparer port: reads each sentence once, compares it with many.

It is a model of the process: it compares whatever embedder the banks use. Where that is the local one, both share the
weights, and a run serves both: what was embedded as a passage is not read again (facts and brief notes nearly always
are embedded as they stand before they are compared), and what is read is embedded. Its own small networks are given,
checked; the model is loaded at the first comparison.

Law: what was read is kept by a digest and no text is; `forget` drops it, and what is being read meanwhile is not kept.
Sentences of more than `LONGEST` tokens, or of none, are not compared. A sentence says the same as itself.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import structlog

from core.agents.offline.thinking import think
from core.errors import EmbedderUnavailable
from core.ports.comparer import NONE, Likelihood
from service.adapters.cached_embedder import digest
from service.adapters.embedding_text import cleaned
from service.adapters.local_embedder.comparing import LONGEST, MODEL, Networks
from service.adapters.local_embedder.embedder import BRIEF, Embed, LocalEmbedder
from service.adapters.local_embedder.encoder import Encoder
from service.adapters.local_embedder.state_cache import StateCache, States
from service.adapters.local_embedder.tokens import Tokenizer
from service.adapters.local_embedder.weights import F32

PREFIX = "passage:"
CACHE_BYTES = 64_000_000
AT_ONCE = 256  # sentences read, and pairs compared, before others have a turn
ITSELF = Likelihood(contradiction=0.0, sameness=1.0)

log: structlog.stdlib.BoundLogger = structlog.get_logger("memorybank.judging")


class LocalComparer:
    """Compares English and Chinese sentences. Belongs to one event loop.

    `open_model` returns what reads the sentences, and raises EmbedderUnavailable where the weights are not installed:
    then nothing is compared from then on. `embed`: of the embedder whose model it is, which counts its own memory.
    """

    def __init__(
        self,
        open_model: Callable[[], LocalEmbedder],
        networks: Networks,
        *,
        embed: Embed | None = None,
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        self._open_model = open_model
        self._networks = networks
        self._embed = embed
        self._cache = StateCache(cache_bytes)
        self._loaded: LocalEmbedder | None = None
        self._absent = False
        self._loading = asyncio.Lock()

    @property
    def model(self) -> str:
        return NONE if self._absent else MODEL

    @property
    def size(self) -> int:
        own = 0 if self._embed or self._loaded is None else self._loaded.encoder.size
        return own + self._networks.size + self._cache.size

    @property
    def kept(self) -> int:
        """How many sentences' states are kept."""
        return len(self._cache)

    async def compare(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Likelihood | None]:
        """Returns what each two sentences are to each other, in order. Raises EmbedderUnavailable."""
        edition = self._cache.edition
        loaded = await self._load() if pairs else None
        if loaded is None:
            return [None] * len(pairs)
        found: list[Likelihood | None] = []
        for start in range(0, len(pairs), AT_ONCE):
            part = pairs[start : start + AT_ONCE]
            texts = list(dict.fromkeys(text for pair in part for text in pair))
            states = await self._states(loaded, texts, edition)
            found += await think(_compared, self._networks, part, states)
        return found

    def forget(self) -> None:
        """Drops what was read: after a purge nothing here tells of it."""
        self._cache.clear()

    async def _load(self) -> LocalEmbedder | None:
        async with self._loading:
            if self._loaded is None and not self._absent:
                try:
                    self._loaded = await asyncio.to_thread(self._open_model)
                except EmbedderUnavailable as missing:
                    self._absent = True
                    log.warning("nothing compares sentences: judging.model is none", cause=str(missing))
                    return None
                if self._embed:
                    self._loaded.overhear(self._overhear)
        return self._loaded

    def _overhear(self) -> Callable[[str, F32], None]:
        """Returns what is told of the passages of one call as they are embedded, in whichever thread."""
        networks, edition = self._networks, self._cache.edition

        def keep(text: str, states: F32) -> None:
            if len(states) > 0 and len(text) <= BRIEF:
                self._cache.add(digest(text), _kept_of(networks, states), edition)

        return keep

    def _known(self, texts: Sequence[str]) -> dict[str, States]:
        return {text: states for text in texts if (states := self._cache.get(digest(text))) is not None}

    async def _states(self, loaded: LocalEmbedder, texts: Sequence[str], edition: int) -> dict[str, States]:
        """Returns what is kept of each text, read now where it is not known: shape (0, width) of one too long."""
        known = self._known(texts)
        missing = [text for text in texts if text not in known]
        if self._embed and (brief := list(filter(loaded.is_brief, missing))):
            await self._embed(brief)  # which is overheard
            known |= self._known(brief)
            missing = [text for text in missing if text not in known]
        if missing:
            width = self._networks.width
            read = _reading(loaded, self._networks)
            rows = await loaded.passages.rows(missing, read, LONGEST * width)
            for text, row in zip(missing, rows.reshape(-1, LONGEST, width), strict=True):
                states = row[row.any(axis=1)].astype(np.float16)
                known[text] = states
                self._cache.add(digest(text), states, edition)
        return known


def _reading(embedder: LocalEmbedder, networks: Networks) -> Callable[[str], Iterator[F32]]:
    def read(text: str) -> Iterator[F32]:
        states = token_states(embedder.encoder, embedder.tokenizer, text)
        row = np.zeros((LONGEST, networks.width), np.float32)
        row[: len(states)] = _kept_of(networks, states)
        yield row.reshape(-1)

    return read


def _kept_of(networks: Networks, states: F32) -> States:
    return networks.projected(states).astype(np.float16)


def _compared(
    networks: Networks, pairs: Sequence[tuple[str, str]], states: dict[str, States]
) -> list[Likelihood | None]:
    read = [n for n, pair in enumerate(pairs) if all(len(states[text]) for text in pair)]
    ours, theirs = (_padded([states[pairs[n][side]] for n in read], networks.width) for side in (0, 1))
    found: list[Likelihood | None] = [None] * len(pairs)
    likelihoods = networks.likelihoods(ours, theirs).tolist()
    for n, (_, contradiction, sameness) in zip(read, likelihoods, strict=True):
        is_one = pairs[n][0] == pairs[n][1]  # the networks learned from no such pairs
        found[n] = ITSELF if is_one else Likelihood(contradiction=contradiction, sameness=sameness)
    return found


def _padded(states: Sequence[States], width: int) -> F32:
    """Returns sentences of one length, zeros behind their ends: shape (n, LONGEST, width)."""
    rows = np.zeros((len(states), LONGEST, width), np.float32)
    for row, one in zip(rows, states, strict=True):
        row[: len(one)] = one
    return rows


def token_states(encoder: Encoder, tokenizer: Tokenizer, text: str) -> F32:
    """Returns the states of a sentence's own tokens, shape (tokens, hidden): none where it is too long."""
    ahead = tokenizer.ids(PREFIX)
    content = tokenizer.ids(cleaned(text, BRIEF))
    if len(content) > LONGEST:
        content = []
    states: F32 = encoder.states(tokenizer.framed(ahead, content))[len(ahead) + 1 : -1]
    return states
