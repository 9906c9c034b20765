"""Which documents say the words of a query, and how well: BM25F over postings kept in arrays.

Law: every edit is exact and seen by the next search. A document's numbers depend on the living
documents alone, never on what was there before or in which order things came, so a bank loaded
again scores as it did. A posting is a pair of growing arrays: an entry leaves it by trading places
with the last, and numpy reads it where it lies. What a snapshot restores, or the first documents of
an index bring together, lies in large arrays, and a posting becomes a pair of its own when it is first edited.
"""

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from core.bank.bm25 import Posting, Sums, summed
from core.bank.postings import ENTRY, PRINT, Postings, Prepared, WordsSnapshot, print_of
from core.bank.scoring import K, leading
from core.bank.snapshot import Parts, SnapshotUnusable, texts_of, unpacked
from core.text import analysis

K1 = 0.9
B = 0.4
"""Saturation of repeated words, strength of length normalisation. The values of Trotman, Jia, Crane: Towards an
Efficient and Effective Search Engine, 2012; on turns of dialogue they find 65.9 % of the evidence in the top ten,
the customary 1.2 and 0.75 find 65.2 %."""

Terms = Iterable[str] | Mapping[str, float]
"""A query's terms, as `analysis.terms` gives them (twice said counts twice), or weighted by hand."""

_AT_ONCE = 10_000  # terms entered into a dict in one go, which holds up every other thread

WORTH_SAVING = 1_000
"""Edits at the least (and a quarter of the documents) before another snapshot is worth its while."""


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
        # Documents, by slot. A slot that a document left is taken by the next to come.
        self._slot_of: dict[K, int] = {}
        self._keys: list[K | None] = []
        self._lengths = array("d")
        self._prints: list[bytes] = []
        # Its terms' numbers, as C ints, and their counts, as C floats: bytes cost the garbage collector nothing.
        self._said: list[bytes] = []
        self._said_counts: list[bytes] = []
        self._free_slots: list[int] = []
        self._total_length = 0.0
        # Terms, by number. Posting n is _slots[n] beside _counts[n], in no order; None: it is as it was restored.
        self._number_of: dict[str, int] = {}
        self._terms: list[str] = []
        self._slots: list[array[int] | None] = []
        self._counts: list[array[float] | None] = []
        self._restored: Postings | None = None
        self._free_numbers: list[int] = []
        # What reading works out and an edit makes void.
        self._norms: NDArray[np.float64] | None = None
        self._latest: tuple[Mapping[str, float], Sums] | None = None
        # Of the last snapshot, taken or taken up.
        self._unsaved = 0  # edits since
        self._has_snapshot = False
        self._is_outlived = False  # whether it says what a document says no more

    def __len__(self) -> int:
        return len(self._slot_of)

    def __contains__(self, key: K) -> bool:
        return key in self._slot_of

    # ---- edits ----

    def prepare(self, documents: Mapping[K, Mapping[str, str]]) -> Prepared[K]:
        """Find the words of documents (key → field → text). Pure: reads nothing that edits change."""
        positions: defaultdict[str, int] = defaultdict()
        positions.default_factory = positions.__len__  # a new term's position is the next
        terms_of: list[NDArray[np.intc]] = []
        counts: list[float] = []
        lengths: list[float] = []
        prints = tuple(print_of(fields) for fields in documents.values())
        for fields in documents.values():
            said: dict[str, float] = {}
            count = said.get
            for field, text in fields.items():
                weight = self._weights[field]
                for term in analysis.terms(text):
                    said[term] = count(term, 0.0) + weight
            lengths.append(sum(said.values()))
            counts += said.values()
            terms_of.append(np.array(list(map(positions.__getitem__, said)), dtype=np.intc))
        starts, document_of = np.arange(len(counts) + 1), np.zeros(len(counts), np.intc)
        by_term: NDArray[np.int64] | slice = slice(None)  # what one document says comes term by term
        if len(terms_of) > 1:
            spoken = np.concatenate(terms_of)
            by_term = np.argsort(spoken, kind="stable")
            document_of = np.repeat(np.arange(len(terms_of), dtype=np.intc), [len(t) for t in terms_of])
            starts = np.concatenate([[0], np.cumsum(np.bincount(spoken, minlength=len(positions)))])
        return Prepared(
            keys=tuple(documents),
            prints=prints,
            lengths=tuple(lengths),
            terms=tuple(positions),
            terms_of=tuple(terms_of),
            starts=starts,
            documents=document_of[by_term],
            counts=np.array(counts, dtype=np.single)[by_term],
        )

    def put(self, prepared: Prepared[K]) -> None:
        """Add documents; one under a key that is there replaces it. Takes time in proportion to distinct terms."""
        if not prepared.keys:
            return
        for key in prepared.keys:
            self.drop(key)
        if len(prepared.keys) == 1:
            self._put_alone(prepared)
        elif not self._slot_of and not self._terms:
            self._put_first(prepared)
        else:
            self._put_together(prepared)
        self._norms = self._latest = None
        self._unsaved += len(prepared.keys)

    def put_one(self, key: K, fields: Mapping[str, str]) -> None:
        self.put(self.prepare({key: fields}))

    def _put_alone(self, prepared: Prepared[K]) -> None:
        """One document: its terms as they come, which takes half the time of sorting entries out by term."""
        numbers = self._numbers(prepared.terms)
        said, counts = array("i", numbers).tobytes(), prepared.counts.tobytes()
        slot = self._enter(prepared.keys[0], prepared.lengths[0], prepared.prints[0], said, counts)
        for number, count in zip(numbers, prepared.counts.tolist(), strict=True):
            own_slots, own_counts = self._own(number)
            own_slots.append(slot)
            own_counts.append(count)

    def _put_first(self, prepared: Prepared[K]) -> None:
        """Into an index that knows no words: all postings lie in the arrays they come in, and have none of their own.

        Of a bank of twenty nodes nearly every word has one entry: two arrays for each take 200 bytes to 8.
        """
        self._keys, self._free_slots = [], []
        self._lengths, self._prints, self._said, self._said_counts = array("d"), [], [], []
        self._terms = list(prepared.terms)
        self._number_of = {term: number for number, term in enumerate(self._terms)}
        self._slots, self._counts = [None] * len(self._terms), [None] * len(self._terms)
        self._restored = Postings(starts=prepared.starts, slots=prepared.documents, counts=prepared.counts)
        self._enter_all(prepared, np.arange(len(self._terms), dtype=np.intc))

    def _put_together(self, prepared: Prepared[K]) -> None:
        numbers = np.array(self._numbers(prepared.terms), dtype=np.intc)
        slots = np.array(self._enter_all(prepared, numbers), dtype=np.intc)
        where = memoryview(slots[prepared.documents].tobytes())
        counts = memoryview(prepared.counts.tobytes())
        for number, (start, end) in zip(
            numbers.tolist(), pairwise((prepared.starts * ENTRY).tolist()), strict=True
        ):
            own_slots, own_counts = self._own(number)
            own_slots.frombytes(where[start:end])
            own_counts.frombytes(counts[start:end])

    def drop(self, key: K) -> None:
        """Remove a document; one that is not there stays away."""
        slot = self._slot_of.pop(key, None)
        if slot is None:
            return
        for number in np.frombuffer(self._said[slot], np.intc).tolist():
            self._leave(number, slot)
        self._total_length -= self._lengths[slot]
        self._keys[slot], self._lengths[slot] = None, 0.0
        self._said[slot] = self._said_counts[slot] = self._prints[slot] = b""
        self._free_slots.append(slot)
        self._norms = self._latest = None
        self._unsaved += 1
        self._is_outlived = self._has_snapshot

    def _enter_all(self, prepared: Prepared[K], numbers: NDArray[np.intc]) -> list[int]:
        """The documents' slots, what is kept of each written there."""
        by_document = np.argsort(prepared.documents, kind="stable")
        spoken = numbers[np.repeat(np.arange(len(numbers)), np.diff(prepared.starts))[by_document]].tobytes()
        counts = prepared.counts[by_document].tobytes()
        ends = np.cumsum([0, *map(len, prepared.terms_of)]) * ENTRY
        parts = zip(prepared.keys, prepared.lengths, prepared.prints, pairwise(ends.tolist()), strict=True)
        return [
            self._enter(key, length, shown, spoken[start:end], counts[start:end])
            for key, length, shown, (start, end) in parts
        ]

    def _enter(self, key: K, length: float, shown: bytes, said: bytes, counts: bytes) -> int:
        if self._free_slots:
            slot = self._free_slots.pop()
            self._keys[slot], self._lengths[slot], self._prints[slot] = key, length, shown
            self._said[slot], self._said_counts[slot] = said, counts
        else:
            slot = len(self._keys)
            self._keys.append(key)
            self._lengths.append(length)
            self._prints.append(shown)
            self._said.append(said)
            self._said_counts.append(counts)
        self._slot_of[key] = slot
        self._total_length += length
        return slot

    def _numbers(self, terms: Sequence[str]) -> list[int]:
        """The numbers of different terms, new ones where they have none yet."""
        known = map(self._number_of.get, terms)
        return [self._new_number(t) if n is None else n for t, n in zip(terms, known, strict=True)]

    def _new_number(self, term: str) -> int:
        if self._free_numbers:
            number = self._free_numbers.pop()
            self._terms[number] = term
        else:
            number = len(self._terms)
            self._terms.append(term)
            self._slots.append(array("i"))
            self._counts.append(array("f"))
        self._number_of[term] = number
        return number

    def _own(self, number: int) -> "tuple[array[int], array[float]]":
        """A term's posting, to be edited."""
        slots, counts = self._slots[number], self._counts[number]
        if slots is None or counts is None:
            restored_slots, restored_counts = self._posting(number)
            slots = self._slots[number] = array("i", restored_slots.tobytes())
            counts = self._counts[number] = array("f", restored_counts.tobytes())
        return slots, counts

    def _posting(self, number: int) -> tuple[NDArray[np.intc], NDArray[np.single]]:
        """A term's posting, to be read before the next edit."""
        slots, counts = self._slots[number], self._counts[number]
        if slots is not None and counts is not None:
            return np.frombuffer(slots, np.intc), np.frombuffer(counts, np.single)
        assert self._restored is not None, "only what was restored has no arrays of its own"
        start, end = self._restored.starts[number : number + 2].tolist()
        return self._restored.slots[start:end], self._restored.counts[start:end]

    def _leave(self, number: int, slot: int) -> None:
        slots, counts = self._own(number)
        place = int((np.frombuffer(slots, np.intc) == slot).argmax())
        slots[place], counts[place] = slots[-1], counts[-1]
        slots.pop()
        counts.pop()
        if not slots:  # nobody says it any more: the word itself must go too
            del self._number_of[self._terms[number]]
            self._terms[number] = ""
            self._free_numbers.append(number)

    # ---- reads ----

    def search(
        self, terms: Terms, k: int, allowed: Callable[[K], bool] | None = None
    ) -> list[tuple[K, float]]:
        """The `k` best documents that say any of `terms`, best first, ties by key."""
        scores, _, hits = self._asked(terms)
        keys: Sequence[K] = self._keys  # type: ignore[assignment] # who is hit is living

        def slot_at(place: int) -> int:
            return place if hits is None else int(hits[place])

        def may(place: int) -> bool:
            return allowed is None or allowed(keys[slot_at(place)])

        looked_at = scores if hits is None else scores[hits]
        found = leading(looked_at, k, may if allowed else None, above=0.0)
        slots = [slot_at(place) for place in found]
        ranked = sorted(zip((-scores[slots]).tolist(), map(keys.__getitem__, slots), strict=True))
        return [(key, -score) for score, key in ranked[:k]]

    def scores(self, terms: Terms, keys: Sequence[K]) -> NDArray[np.float64]:
        """BM25F of each of `keys`, shape (len(keys),); 0 for one that says none of `terms` or is not there."""
        slot_of = self._slot_of.get
        return self._asked(terms).scores[np.array([slot_of(key, -1) for key in keys], dtype=np.intp)]

    def best(self, terms: Terms) -> float:
        """The highest BM25F that any document has for `terms`; 0 if none says any."""
        return self._asked(terms).best

    def _asked(self, terms: Terms) -> Sums:
        """By slot, and behind them 0 for who has none. Kept until the next query or edit: a search asks for
        candidates, scores and the best in a row."""
        counts = terms if isinstance(terms, Mapping) else Counter(terms)
        if self._latest is None or self._latest[0] != counts:
            self._latest = dict(counts), summed(self._postings(counts), self._length_norms())
        return self._latest[1]

    def _postings(self, terms: Mapping[str, float]) -> Iterator[Posting]:
        # In the order of terms: sums of floats depend on their order, and replicas must agree to the bit.
        for term in sorted(terms):
            number = self._number_of.get(term)
            if number is not None:
                slots, counts = self._posting(number)
                idf = math.log1p((len(self) - len(slots) + 0.5) / (len(slots) + 0.5))
                yield Posting(slots, counts, terms[term] * idf * (self._k1 + 1.0))

    def _length_norms(self) -> NDArray[np.float64]:
        """By slot: k1 × (1 − b + b × length / average length). One more for who has no slot, and scores 0."""
        if self._norms is None:
            average = self._total_length / len(self) if self._total_length > 0.0 else 1.0
            lengths = np.append(self._lengths, 0.0)
            self._norms = self._k1 * (1.0 - self._b + (self._b / average) * lengths)
        return self._norms

    # ---- snapshots ----

    @property
    def worth_saving(self) -> bool:
        """Whether so much was edited since the last snapshot that a new one spares a load much."""
        return self._unsaved >= max(WORTH_SAVING, len(self) / 4)

    @property
    def outlives_snapshot(self) -> bool:
        """Whether there is a snapshot with words that were deleted or replaced since: they should not stay for long."""
        return self._is_outlived

    def snapshot(self) -> WordsSnapshot[K]:
        """The index as it stands, for another thread to write down."""
        self._unsaved, self._has_snapshot, self._is_outlived = 0, True, False
        return WordsSnapshot(
            facts=self._facts(),
            keys=tuple(self._keys),
            prints=tuple(self._prints),
            lengths=self._lengths[:],
            said=tuple(self._said),
            counts=tuple(self._said_counts),
            terms=tuple(self._terms),
        )

    def restore(
        self, blob: bytes, key_of: Callable[[str], K], documents: Mapping[K, Mapping[str, str]]
    ) -> None:
        """Take over from a snapshot, in an empty index, the documents whose texts are the same today.

        The others, and those it does not know, are for the caller to put. Raises SnapshotUnusable, the index
        still empty.
        """
        self._has_snapshot = self._is_outlived = True  # until it proves to be of the present
        parts = unpacked(blob)
        if dict(parts.facts) != self._facts():
            raise SnapshotUnusable("of another edition")
        keys = [key_of(name) for name in texts_of(parts.array("keys", "u1"))]
        known = np.array(
            [b"" if key not in documents else print_of(documents[key]) for key in keys], dtype=f"S{PRINT}"
        )
        stale = known != parts.array("prints", "u1").view(f"S{PRINT}")
        if np.count_nonzero(stale) > len(keys) / 2:
            raise SnapshotUnusable("of texts most of which have changed")
        self._take_over(keys, parts)
        for place in np.flatnonzero(stale).tolist():
            self.drop(keys[place])
        self._unsaved = int(np.count_nonzero(stale))
        self._is_outlived = bool(stale.any())

    def _take_over(self, keys: list[K], parts: Parts) -> None:
        restored = Postings(
            starts=parts.array("starts", "<i8").copy(),
            slots=parts.array("slots", "<i4").copy(),  # a view would keep all of the blob
            counts=parts.array("counts", "<f4").copy(),
        )
        terms, lengths = texts_of(parts.array("terms", "u1")), parts.array("lengths", "<f8").tobytes()
        ends = (np.concatenate([[0], np.cumsum(parts.array("sizes", "<i8"))]) * ENTRY).tolist()
        said, counts = parts.array("said", "<i4").tobytes(), parts.array("said_counts", "<f4").tobytes()
        prints = parts.array("prints", "u1").tobytes()
        # All of it is there: from here on nothing is refused.
        for start in range(0, len(terms), _AT_ONCE):
            self._number_of.update(zip(terms[start : start + _AT_ONCE], range(start, len(terms))))  # noqa: B905
        self._terms = terms
        self._slots, self._counts = [None] * len(terms), [None] * len(terms)
        self._restored = restored
        self._keys = list(keys)
        self._slot_of = {key: slot for slot, key in enumerate(keys)}
        self._said = [said[start:end] for start, end in pairwise(ends)]
        self._said_counts = [counts[start:end] for start, end in pairwise(ends)]
        self._prints = [prints[place : place + PRINT] for place in range(0, len(prints), PRINT)]
        self._lengths = array("d", lengths)
        self._total_length = float(sum(self._lengths))

    def _facts(self) -> Mapping[str, Any]:
        """What a snapshot depends on beside the texts."""
        return {"analysis": analysis.edition(), "weights": self._weights}
