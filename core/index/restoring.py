"""Snapshots of an aggregate's indexes, stored for its next load and restored there.

Law: a snapshot only spares work. With one, with an old one, with a damaged one or without, an index answers the same.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from core.index.giving_way import GiveWay, InTurns, at_once
from core.index.keyword_index import KeywordIndex
from core.index.postings import WordsSnapshot, WordsTaken
from core.index.rows import VectorRows
from core.index.scoring import K
from core.index.snapshot import Blob, Report, guarded, unpacked, unreported
from core.index.vector_index import VectorIndex
from core.index.vector_snapshot import LinksSnapshot

V = TypeVar("V")

WORDS = "_words"
"""The suffix of parts that are keyword indexes."""

Cached = Blob | WordsTaken
"""A part's snapshot, as it was stored or as far as it can be restored before the rows are known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSnapshot:
    """One index as it stood at a moment. `blob` may be made in another thread."""

    part: str
    taken: WordsSnapshot[Any] | LinksSnapshot[Any]

    def blob(self) -> list[bytes]:
        return self.taken.blob(_name_of)


def opened(blobs: Mapping[str, bytes], report: Report = unreported) -> dict[str, Cached]:
    """Opens the snapshots that are whole, by part, for one load; keyword indexes as postings. Other threads run
    meanwhile."""
    usable: dict[str, Cached] = {}
    for part, blob in blobs.items():
        with guarded(report):
            usable[part] = WordsTaken(blob) if part.endswith(WORDS) else unpacked(blob)
    return usable


class Texts(Mapping[K, Mapping[str, str]], Generic[K, V]):
    """The fields of documents, made when they are asked for: all at once they are a quarter of what a load takes."""

    def __init__(self, documents: Mapping[K, V], fields: Callable[[V], Mapping[str, str]]) -> None:
        self._documents, self._fields = documents, fields

    def __getitem__(self, key: K) -> Mapping[str, str]:
        return self._fields(self._documents[key])

    def get(self, key: K, default: Any = None) -> Any:
        document = self._documents.get(key)
        return default if document is None else self._fields(document)

    def __iter__(self) -> Iterator[K]:
        return iter(self._documents)

    def __len__(self) -> int:
        return len(self._documents)


def restore_words(
    index: KeywordIndex[K],
    blob: Cached | None,
    texts: Mapping[K, Mapping[str, str]],
    key_of: Callable[[str], K],
    give_way: GiveWay = at_once,
    report: Report = unreported,
) -> None:
    """Fills an empty index with `texts`, from the snapshot as far as it goes."""
    if blob is not None:
        with guarded(report):
            index.restore(blob, key_of, texts)
    if len(index) < len(texts):  # what it has is of them
        missing = {key: texts[key] for key in texts if key not in index}
        index.put(index.prepare(InTurns(missing, give_way, 1)))


def restore_vectors(
    index: VectorIndex[K],
    blob: Cached | None,
    vectors: VectorRows[K],
    key_of: Callable[[str], K],
    give_way: GiveWay = at_once,
    report: Report = unreported,
) -> None:
    """Fills an empty index with those `vectors` that are finite, from the snapshot as far as it goes.

    The index keeps their matrix.
    """
    vectors = vectors.finite()
    if not vectors:
        return
    if blob is not None and not isinstance(blob, WordsTaken):
        with guarded(report):
            index.restore(blob, key_of, vectors.names, vectors.matrix, give_way)
            return
    index.put_many(vectors.names, vectors.matrix)


def _name_of(key: str | tuple[object, ...]) -> str:
    return key if isinstance(key, str) else " ".join(map(str, key))
