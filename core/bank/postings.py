"""Postings as large arrays: of documents that are about to be indexed, and of a whole index written down.

Law: what is written is what the living documents say, term by term and document by document, in a numbering of its
own, with a print of the texts it was made from.
"""

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from core.bank.scoring import K
from core.bank.snapshot import Parts, packed, text_array

ENTRY = 4  # bytes of a C int and of a C float, on every platform numpy runs on
PRINT = 8  # bytes that tell a document's texts from any others


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Postings:
    """Postings of terms 0, 1, …: that of term n is from `starts[n]` to `starts[n + 1]`."""

    starts: NDArray[np.int64]
    slots: NDArray[np.intc]
    counts: NDArray[np.single]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Prepared(Generic[K]):
    """Documents taken apart, ready for `KeywordIndex.put`.

    Entry i says that document `documents[i]` has a term with weighted count `counts[i]`; the
    entries of `terms[t]` are those from `starts[t]` to `starts[t + 1]`. `terms_of[d]` are the
    positions in `terms` of what document d says.
    """

    keys: tuple[K, ...]
    prints: tuple[bytes, ...]
    lengths: tuple[float, ...]
    terms: tuple[str, ...]
    terms_of: tuple[NDArray[np.intc], ...]
    starts: NDArray[np.int64]
    documents: NDArray[np.intc]
    counts: NDArray[np.single]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WordsSnapshot(Generic[K]):
    """An index as it stood at a moment, by document. `blob` may be made in another thread."""

    facts: Mapping[str, Any]
    keys: Sequence[K | None]
    prints: Sequence[bytes]
    lengths: "array[float]"
    said: Sequence[bytes]
    counts: Sequence[bytes]
    terms: Sequence[str]

    def blob(self, name_of: Callable[[K], str]) -> list[bytes]:
        """Written down, keys by the names given, which hold no line break."""
        living = [slot for slot, key in enumerate(self.keys) if key is not None]
        sizes = np.array([len(self.said[slot]) // ENTRY for slot in living], dtype=np.int64)
        numbers = np.frombuffer(b"".join([self.said[slot] for slot in living]), np.intc)
        counts = np.frombuffer(b"".join([self.counts[slot] for slot in living]), np.single)
        spoken = np.bincount(numbers, minlength=len(self.terms))
        renumbered = (np.cumsum(spoken > 0) - 1).astype(
            np.intc
        )  # words that nobody says any more are left out
        numbers = renumbered[numbers]
        by_term = np.argsort(numbers, kind="stable")
        arrays: dict[str, NDArray[Any]] = {
            "keys": text_array([name_of(self.keys[slot]) for slot in living]),  # type: ignore[arg-type] # living
            "prints": np.frombuffer(b"".join([self.prints[slot] for slot in living]), np.uint8),
            "lengths": np.array([self.lengths[slot] for slot in living], dtype=np.float64),
            "terms": text_array([self.terms[number] for number in np.flatnonzero(spoken).tolist()]),
            "sizes": sizes,
            "said": numbers,
            "said_counts": counts,
            "starts": np.concatenate([[0], np.cumsum(spoken[spoken > 0])]).astype(np.int64),
            "slots": np.repeat(np.arange(len(living), dtype=np.intc), sizes)[by_term],
            "counts": counts[by_term],
        }
        return packed(Parts(facts=self.facts, arrays=arrays))


def print_of(fields: Mapping[str, str]) -> bytes:
    """Eight bytes that tell a document's texts from any others."""
    texts = list(fields.values())
    shown = "\n".join((*fields, *map(str, map(len, texts)), *texts))
    return blake2b(shown.encode(), digest_size=PRINT).digest()
