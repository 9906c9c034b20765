"""An inverted index of documents, scored by BM25F.

Law: every edit is exact and seen by the next search. A document's scores depend on the living
documents alone, never on deleted ones or on the order of edits, so a bank loaded again scores as it
did. This module knows keys, fields and texts; posting lists and term frequencies, by row, are in
`core.native.words`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any, Generic, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.index.postings import FINGERPRINT, K1, B, PreparedDocuments, WordsSnapshot, WordsTaken
from core.index.scoring import K
from core.index.snapshot import Blob, SnapshotUnusable, texts_of, unpacked
from core.native.words import DocumentBatch, Postings, fingerprint
from core.text import analysis

Terms = Iterable[str] | Mapping[str, float]
"""A query's terms, as `analysis.terms` gives them (a repeated one counts again), or weighted by hand."""

FORM = 4  # of a snapshot: to be raised when other arrays are written, or others mean the same

WORTH_SAVING = 1_000
"""Edits at the least (and a quarter of the documents) before another snapshot is worth its while."""

_ONCE = (1.0,)
_ASKED = 6  # times k: so many of the best are filtered first where not every document is allowed, then 36 times k, …


class SnapshotState(NamedTuple):
    """How an index compares with its last snapshot: edits since, whether there is one, and whether that one holds words
    which were deleted since."""

    edits_since: int = 0
    has_snapshot: bool = False
    is_outlived: bool = False


class KeywordIndex(Generic[K]):
    """An inverted index of documents with weighted fields.

    The score is the simple BM25F (Robertson, Zaragoza, Taylor: Simple BM25 extension to multiple
    weighted fields, CIKM 2004): a term's count and a document's length are sums over its fields,
    times the field's weight, before saturation. idf = ln(1 + (N − n + ½)/(n + ½)), never negative.
    Weights that are binary fractions (3, 1.5, 0.25) keep the sums, and so the law, exact to the bit.

    To be used from one thread; only `prepare` may run in others.
    """

    def __init__(self, weights: Mapping[str, float], *, k1: float = K1, b: float = B) -> None:
        self._weights = dict(weights)
        self._k1, self._b = k1, b
        self._postings = Postings(k1, b)
        # Documents, by row. A row that a document left is taken by the next to come.
        self._keys: list[K | None] = []
        self._row_of: dict[K, int] = {}
        self.edits = 0  # while it stays the same, `rows` does
        self.moves = 0  # while it stays the same, a key that has a row keeps it
        self._fingerprints = bytearray()
        self._free_rows: list[int] = []
        # The latest query with its best score, until an edit makes it void.
        self._latest: tuple[Mapping[str, float], float] | None = None
        # Of the last snapshot, taken or restored.
        self._unsaved = 0  # edits since
        self._has_snapshot = False
        self._is_outlived = False  # whether it holds words that were deleted or replaced since

    def __len__(self) -> int:
        return len(self._row_of)

    def __contains__(self, key: K) -> bool:
        return key in self._row_of

    # ---- edits ----

    def prepare(self, documents: Mapping[K, Mapping[str, str]]) -> PreparedDocuments[K]:
        """Finds the words of documents (key → field → text). Pure: reads nothing that edits change."""
        batch = DocumentBatch()
        for fields in documents.values():
            for field, text in fields.items():
                batch.add(*analysis.terms_and_runs(text), self._weights[field])
            batch.close()
        return PreparedDocuments(
            keys=tuple(documents), fingerprints=tuple(map(fingerprint, documents.values())), batch=batch
        )

    def put(self, prepared: PreparedDocuments[K]) -> None:
        """Adds documents under new keys, in time proportional to distinct terms. Raises ValueError for other keys."""
        if not prepared.keys:
            return
        if any(key in self._row_of for key in prepared.keys):
            raise ValueError("a document under a key that is there: it is to be dropped first")
        rows = list(map(self._enter, prepared.keys, prepared.fingerprints))
        self._postings.put(prepared.batch, rows)
        self._latest = None
        self._unsaved += len(prepared.keys)

    def put_one(self, key: K, fields: Mapping[str, str]) -> None:
        self.put(self.prepare({key: fields}))

    def drop(self, key: K, fields: Mapping[str, str]) -> None:
        """Removes a document, given its texts as they were put: its words are not kept, but found in these again.

        Does nothing where there is no such document. Raises ValueError for other texts.
        """
        row = self._row_of.get(key)
        if row is None:
            return
        if self._fingerprints[row * FINGERPRINT : (row + 1) * FINGERPRINT] != fingerprint(fields):
            raise ValueError("not the texts that were put")
        self._take_out(key, row, self.prepare({key: fields}).batch)

    def _take_out(self, key: K, row: int, document: DocumentBatch | bytes) -> None:
        self._postings.drop(row, document)
        self._forget(key, row)
        self._latest = None
        self._unsaved += 1
        self._is_outlived = self._has_snapshot

    def _forget(self, key: K, row: int) -> None:
        """Frees the row for another document."""
        del self._row_of[key]
        self.edits += 1
        self.moves += 1
        self._keys[row] = None
        self._fingerprints[row * FINGERPRINT : (row + 1) * FINGERPRINT] = bytes(FINGERPRINT)
        self._free_rows.append(row)

    def _enter(self, key: K, mark: bytes) -> int:
        """Gives a new document its row, a freed one first; returns it."""
        if self._free_rows:
            row = self._free_rows.pop()
            self._keys[row] = key
            self._fingerprints[row * FINGERPRINT : (row + 1) * FINGERPRINT] = mark
        else:
            row = len(self._keys)
            self._keys.append(key)
            self._fingerprints += mark
        self._row_of[key] = row
        self.edits += 1
        return row

    # ---- reads ----

    def search(
        self, terms: Terms, k: int, allowed: Callable[[K], bool] | None = None
    ) -> list[tuple[K, float]]:
        """Returns the `k` best documents that hold any of `terms`, best first, ties by key."""
        keys, scores, _ = self.leading(terms, k, (), allowed)
        return list(zip(keys, scores, strict=True))

    def leading(
        self, terms: Terms, k: int, others: Iterable[K] = (), allowed: Callable[[K], bool] | None = None
    ) -> tuple[list[K], list[float], list[float]]:
        """Returns what `search` finds, keys and scores apart, and at next to no cost the scores of `others`, as
        `scores` gives them."""
        counts, rows = _counted(terms), self.rows(others)
        wanted = max(k, 1) * (1 if allowed is None else _ASKED)
        keys, scores, of_others = self._best_of(counts, wanted, rows)
        if allowed is not None:
            keys, scores = self._admitted(keys, scores, counts, max(k, 1), allowed)
        if len(keys) > k or len(set(scores)) < len(scores):
            ranked = sorted([(-score, key) for score, key in zip(scores, keys, strict=True)])[: max(k, 0)]
            keys, scores = [key for _, key in ranked], [-score for score, _ in ranked]
        return keys, scores, of_others

    def scores(self, terms: Terms, keys: Sequence[K]) -> NDArray[np.float64]:
        """Returns BM25F of each of `keys`, shape (len(keys),); 0 for one that holds none of `terms` or is not there."""
        return self.scores_at(terms, self.rows(keys))

    def rows(self, keys: Iterable[K]) -> list[int]:
        """Returns the row of each key; −1 for one that is not there. Void after the next edit."""
        return list(map(self._row_of.get, keys, repeat(-1)))

    def scores_at(self, terms: Terms, rows: Sequence[int]) -> NDArray[np.float64]:
        """Returns what `scores` does of the keys whose `rows` these are."""
        return self._postings.scores(*_in_order(_counted(terms)), rows)

    def holding(self, words: Sequence[str], rows: Sequence[int]) -> NDArray[np.bool_]:
        """Returns which of the keys whose `rows` these are holds which word, shape (rows, words)."""
        found = np.zeros((len(rows), len(words)), dtype=np.bool_)
        for place, word in enumerate(words):
            found[:, place] = self._postings.scores([word], _ONCE, rows) > 0.0
        return found

    def best(self, terms: Terms) -> float:
        """Returns the highest BM25F that any document has for `terms`; 0 if none holds any."""
        counts = _counted(terms)
        if self._latest is None or self._latest[0] != counts:
            self._best_of(counts, 1)
        assert self._latest is not None, "it was just asked"
        return self._latest[1]

    def _best_of(
        self, counts: Mapping[str, float], k: int, rows: Sequence[int] = ()
    ) -> tuple[list[K], list[float], list[float]]:
        """Returns the `k` best and what ties with the last, best first, and the scores of `rows`. Keeps the highest
        score."""
        best, scores, of_rows = self._postings.search(*_in_order(counts), k, rows)
        self._latest = dict(counts), scores[0] if scores else 0.0
        keys: Sequence[K] = self._keys  # type: ignore[assignment] # what is found is alive
        return list(map(keys.__getitem__, best)), scores, of_rows

    def _admitted(
        self,
        keys: list[K],
        scores: list[float],
        counts: Mapping[str, float],
        k: int,
        allowed: Callable[[K], bool],
    ) -> tuple[list[K], list[float]]:
        """Returns the `k` best that are `allowed`, perhaps with more; searches further, _ASKED times k, if need be."""
        admitted: list[K] = []
        of_admitted: list[float] = []
        asked, wanted = 0, _ASKED * k
        while True:
            for key, score in zip(keys[asked:], scores[asked:], strict=True):
                if len(admitted) >= k and score < of_admitted[k - 1]:
                    return admitted, of_admitted
                if allowed(key):
                    admitted.append(key)
                    of_admitted.append(score)
            if len(admitted) >= k or len(keys) < wanted:
                return admitted, of_admitted
            asked, wanted = len(keys), _ASKED * wanted
            keys, scores, _ = self._best_of(counts, wanted)

    # ---- snapshots ----

    @property
    def worth_saving(self) -> bool:
        """Whether so much was edited since the last snapshot that a new one spares a load much."""
        return self._unsaved >= max(WORTH_SAVING, len(self) / 4)

    @property
    def outlives_snapshot(self) -> bool:
        """Whether there is a snapshot with words deleted or replaced since: they should not stay for long."""
        return self._is_outlived

    @property
    def saved(self) -> SnapshotState:
        """How it compares with its snapshot, for another index that is made of the same documents (`stand_by`)."""
        return SnapshotState(self._unsaved, self._has_snapshot, self._is_outlived)

    def stand_by(self, saved: SnapshotState) -> None:
        """Takes over how another index of the same documents compares with its snapshot."""
        self._unsaved, self._has_snapshot, self._is_outlived = saved

    def snapshot(self) -> WordsSnapshot[K]:
        """Returns the index as it stands, for another thread to serialise."""
        self._unsaved, self._has_snapshot, self._is_outlived = 0, True, False
        return WordsSnapshot(
            facts=self._facts(),
            keys=tuple(self._keys),
            fingerprints=bytes(self._fingerprints),
            postings=self._postings.copy(),
        )

    def restore(
        self,
        blob: Blob | WordsTaken,
        key_of: Callable[[str], K],
        documents: Mapping[K, Mapping[str, str]],
    ) -> None:
        """Fills an empty index with the documents of a snapshot whose texts are the same today.

        The others, and those it does not know, are for the caller to put. A `WordsTaken` was made with this index's k1
        and b. Raises SnapshotUnusable, the index still empty.
        """
        self._has_snapshot = self._is_outlived = True  # until it proves to be of the present
        parts = blob.parts if isinstance(blob, WordsTaken) else unpacked(blob)
        if dict(parts.facts) != self._facts():
            raise SnapshotUnusable("of another edition")
        keys = [key_of(name) for name in texts_of(parts.array("keys", "u1"))]
        written, ends = parts.array("fingerprints", "u1").tobytes(), parts.array("ends", "<i8")
        today = b"".join([_fingerprint_of(documents.get(key)) for key in keys])
        if len(written) != len(today) or len(ends) != len(keys):
            raise SnapshotUnusable("not of one index")
        stale = np.frombuffer(written, np.uint64) != np.frombuffer(today, np.uint64)
        if np.count_nonzero(stale) > len(keys) / 2:
            raise SnapshotUnusable("of texts most of which have changed")
        row_of = {key: row for row, key in enumerate(keys)}
        if len(row_of) < len(keys):
            raise SnapshotUnusable("a document twice")
        words = blob if isinstance(blob, WordsTaken) else WordsTaken(parts, self._k1, self._b)
        postings = words.given()
        if len(postings) != len(keys):
            raise SnapshotUnusable("of fewer documents")
        for row in np.flatnonzero(stale).tolist():  # fails where they are damaged, the index still empty
            postings.drop(row, words.document(row))
        self._postings = postings
        self._keys, self._fingerprints, self._row_of = list(keys), bytearray(written), row_of
        self.edits += 1
        self.moves += 1
        for row in np.flatnonzero(stale).tolist():
            self._forget(keys[row], row)
        self._unsaved = int(np.count_nonzero(stale))
        self._is_outlived = bool(stale.any())

    def _facts(self) -> Mapping[str, Any]:
        """Returns what a snapshot depends on beside the texts."""
        return {"form": FORM, "analysis": analysis.edition(), "weights": self._weights}


def _fingerprint_of(fields: Mapping[str, str] | None) -> bytes:
    return bytes(FINGERPRINT) if fields is None else fingerprint(fields)


def _counted(terms: Terms) -> Mapping[str, float]:
    return (
        terms if isinstance(terms, dict) else Counter(terms)
    )  # of any other mapping a copy: asking for one is slow


def _in_order(counts: Mapping[str, float]) -> tuple[list[str], list[float]]:
    """Returns words and counts by word: sums of floats depend on their order, and replicas must agree to the bit."""
    words = sorted(counts)
    return words, [counts[word] for word in words]
