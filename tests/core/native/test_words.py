"""The native postings, against the formula over plain dicts: the same numbers, to the bit."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from core.native.words import DocumentBatch, Postings

K1, B = 0.9, 0.4
WORDS = [f"word{number}" for number in range(200)] + ["机器", "ïß", "𠮷野", "\ud800"]

WINDOW = 2_048  # rows scored in one go
FAR = 32 * WINDOW

WeightedWords = tuple[list[str], float]  # words, and the weight of each


def batch_of(documents: Sequence[Sequence[WeightedWords]]) -> DocumentBatch:
    batch = DocumentBatch()
    for document in documents:
        for words, weight in document:
            batch.add(words, [], weight)
        batch.close()
    return batch


class Plain:
    """Postings, and beside them what they hold, as plain dicts."""

    def __init__(self) -> None:
        self.postings = Postings(K1, B)
        self.documents: dict[int, Sequence[WeightedWords]] = {}
        self.counts: dict[int, dict[str, float]] = {}

    def put(self, rows: Sequence[int], documents: Sequence[Sequence[WeightedWords]]) -> None:
        self.postings.put(batch_of(documents), rows)
        for row, document in zip(rows, documents, strict=True):
            self.documents[row] = document
            counts: dict[str, np.float32] = {}
            for words, weight in document:
                for word in words:
                    counts[word] = counts.get(word, np.float32(0)) + np.float32(weight)
            self.counts[row] = {word: float(count) for word, count in counts.items()}

    def drop(self, row: int) -> None:
        self.postings.drop(row, batch_of([self.documents.pop(row)]))
        del self.counts[row]

    def scores(self, query: Mapping[str, float]) -> dict[int, float]:
        """The scores of every document with any of the words, summed in their order."""
        lengths = {row: float(np.float32(sum(counts.values()))) for row, counts in self.counts.items()}
        average = sum(lengths.values()) / len(lengths) if any(lengths.values()) else 1.0
        scores: dict[int, float] = {}
        for word, weight in query.items():
            holding = [row for row, counts in self.counts.items() if word in counts]
            idf = math.log1p((len(lengths) - len(holding) + 0.5) / (len(holding) + 0.5))
            for row in holding:
                count = self.counts[row][word]
                norm = K1 * (1.0 - B + B / average * lengths[row])
                scores[row] = scores.get(row, 0.0) + count * (weight * idf * (K1 + 1.0)) / (norm + count)
        return scores


def a_document(rng: np.random.Generator) -> list[WeightedWords]:
    """Words as unevenly frequent as words are; of some, counts that are no whole number of quarters."""
    shares = 1.0 / np.arange(1, len(WORDS) + 1)
    drawn = list(rng.choice(WORDS, size=rng.integers(0, 30), p=shares / shares.sum()))
    weight = float(rng.choice([1.0, 1.5, 3.0, 0.1, 70.0], p=[0.5, 0.2, 0.2, 0.05, 0.05]))
    return [(drawn[: len(drawn) // 2], 1.0), (drawn[len(drawn) // 2 :], weight)]


def lived(seed: int, rounds: int) -> tuple[Plain, np.random.Generator]:
    """Documents put in batches, some dropped, rows taken again out of turn; some of the rows far behind."""
    rng = np.random.default_rng(seed)
    plain, free = (
        Plain(),
        [*range(150 * rounds), *range(FAR - 150 * rounds // 2, FAR + 150 * rounds // 2)],
    )
    for _ in range(rounds):
        rows = free[:250]
        plain.put(rows, [a_document(rng) for _ in rows])
        gone = rng.choice(list(plain.counts), size=40, replace=False).tolist()
        for row in gone:
            plain.drop(row)
        free = sorted(free[250:] + gone, key=lambda _: rng.random()) if seed % 2 else free[250:]
    return plain, rng


@pytest.mark.parametrize(("seed", "rounds"), [(0, 1), (1, 3), (2, 24), (3, 24)])
def test_the_best_and_their_scores_are_those_of_the_formula_to_the_bit(seed: int, rounds: int) -> None:
    plain, rng = lived(seed, rounds)

    for k in (1, 10, 100, 10_000):
        for size in (1, 3, 12):
            query = {str(word): float(rng.integers(1, 4)) for word in rng.choice(WORDS, size=size)}
            expected = plain.scores(query)
            bar = sorted(expected.values(), reverse=True)[:k][-1:]
            best = sorted((-score, row) for row, score in expected.items() if score >= bar[0])

            others = [
                *rng.integers(-1, 300 * rounds, 300).tolist(),
                *rng.choice(list(plain.counts), 300).tolist(),
            ]
            others += [*range(FAR - 5, FAR + 5), 3 * FAR, *(row for _, row in best[:9])]
            rows, scores, beside = plain.postings.search(list(query), list(query.values()), k, others)
            alone = plain.postings.scores(list(query), list(query.values()), others)

            assert list(zip(scores, rows, strict=True)) == [(-score, row) for score, row in best]
            assert beside == alone.tolist() == [expected.get(row, 0.0) for row in others]


@pytest.mark.parametrize("seed", range(4))
def test_what_is_restored_from_words_and_documents_scores_the_same(seed: int) -> None:
    plain, _ = lived(seed, 4)
    rows = sorted(plain.documents)
    said, ends = plain.postings.documents()
    restored = Postings(K1, B)

    restored.restore(plain.postings.terms(), said, ends)

    new_row = {row: place for place, row in enumerate(rows)}
    ones = [1.0] * len(WORDS)
    found, scores, _ = plain.postings.search(WORDS, ones, 10_000, [])
    again, same, _ = restored.search(WORDS, ones, 10_000, [])
    assert len(restored) == len(plain.postings)
    assert dict(zip(again, same, strict=True)) == {
        new_row[row]: score for row, score in zip(found, scores, strict=True)
    }
    assert [again.tolist() for again in restored.documents()] == [said.tolist(), ends.tolist()]
    starts = [0, *ends.tolist()]
    for row in rows:
        place = new_row[row]
        restored.drop(place, said[starts[place] : ends[place]].tobytes())
    assert restored.terms().strip() == b""
    assert restored.documents()[0].tolist() == []


def test_a_copy_stays_as_it_was_and_what_it_was_made_of_goes_on() -> None:
    plain, rng = lived(1, 2)
    ones = [1.0] * len(WORDS)
    before = plain.postings.search(WORDS, ones, 10_000, [])
    words, said = plain.postings.terms(), plain.postings.documents()

    copies = [plain.postings.copy(), plain.postings.copy()]
    for row in list(plain.counts)[::3]:
        plain.drop(row)
    free = [row for row in range(500) if row not in plain.counts]
    plain.put(free, [a_document(rng) for _ in free])
    del copies[0]
    for row in list(plain.counts)[::2]:
        plain.drop(row)

    (copy,) = copies
    assert copy.search(WORDS, ones, 10_000, []) == before
    assert copy.terms() == words
    assert [told.tolist() for told in copy.documents()] == [told.tolist() for told in said]
    query = dict.fromkeys(WORDS, 1.0)
    rows, scores, _ = plain.postings.search(WORDS, ones, 10_000, [])
    assert dict(zip(rows, scores, strict=True)) == plain.scores(query)
    assert plain.postings.search(WORDS, ones, 10_000, [])[2] == []


FREQUENT = {"most": 0.9, "half": 0.5, "some": 0.2, "few": 0.02}


def a_short_document(rng: np.random.Generator) -> list[WeightedWords]:
    """Of very few words, each as often said as it is frequent, mostly once, sometimes beyond what a code says."""
    said = [word for word, share in FREQUENT.items() if rng.random() < share]
    return [([word], float(rng.choice([1.0, 1.0, 1.0, 1.5, 0.25, 63.5, 63.75, 300.0, 0.3]))) for word in said]


def rows_at_borders(rng: np.random.Generator, count: int) -> list[int]:
    """The first and last rows of windows, stretches without a gap, and others anywhere; in no order."""
    borders = [0, 255, 256, WINDOW - 1, WINDOW, WINDOW + 1, FAR - 257, FAR - 1, FAR, FAR + 255, 2 * FAR - 1]
    stretches = [*range(1_024, 1_280), *range(FAR - 512, FAR - 256)]
    anywhere = rng.integers(2 * FAR, size=count).tolist()
    rows: list[int] = rng.permutation(sorted({*borders, *stretches, *anywhere})).tolist()
    return rows


def same_as(plain: Plain, postings: Postings, rng: np.random.Generator) -> bool:
    """Whether postings answer as the plain ones would, of all and of chosen rows."""
    query = {word: float(rng.integers(1, 4)) for word in FREQUENT}
    expected = plain.scores(query) if plain.counts else {}
    chosen = [*rng.integers(2 * FAR, size=200).tolist(), *list(plain.counts)[:200], FAR - 1, FAR]
    asked = list(query), list(query.values())
    rows, scores, beside = postings.search(*asked, 10**6, chosen)
    told = [expected.get(row, 0.0) for row in chosen]
    hits = dict(zip(rows, scores, strict=True))
    return hits == expected and beside == told and postings.scores(*asked, chosen).tolist() == told


@pytest.mark.parametrize("seed", range(4))
def test_words_of_many_documents_come_and_go_at_every_border_and_in_the_middle(seed: int) -> None:
    rng = np.random.default_rng(seed)
    plain, free = Plain(), rows_at_borders(rng, 3_000)
    plain.put(free, [a_short_document(rng) for _ in free])
    assert same_as(plain, plain.postings, rng)

    for share in (0.5, 0.9, 0.1, 0.99, 0.3, 1.0):
        copy, words, said = plain.postings.copy(), plain.postings.terms(), plain.postings.documents()
        gone = rng.permutation(list(plain.counts))[: math.ceil(share * len(plain.counts))].tolist()
        for row in gone:
            plain.drop(row)
        assert same_as(plain, plain.postings, rng)
        again = gone[: len(gone) // 2]
        plain.put(again, [a_short_document(rng) for _ in again])

        assert same_as(plain, plain.postings, rng)
        assert copy.terms() == words
        assert [told.tolist() for told in copy.documents()] == [told.tolist() for told in said]


@pytest.mark.parametrize("count", [1, 2, 33, 34, 35, 542, 543, 544, 545, 700])
def test_a_word_is_found_while_its_documents_become_more_or_fewer_by_one(count: int) -> None:
    rng = np.random.default_rng(count)
    plain, rows = Plain(), rng.choice(FAR, size=count + 1, replace=False).tolist()
    plain.put(rows[:count], [[(["most", "few"], 1.0 + row % 2)] for row in rows[:count]])
    shared = plain.postings.copy()

    plain.put(rows[count:], [[(["most"], 1.0)]])
    assert same_as(plain, plain.postings, rng)
    plain.drop(rows[0])
    assert same_as(plain, plain.postings, rng)
    assert len(shared.search(["most"], [1.0], 10**6, [])[0]) == count


def test_a_word_comes_in_ever_new_stretches_of_rows() -> None:
    rng = np.random.default_rng(4)
    plain = Plain()
    for stretch in rng.permutation(FAR // 256)[:60].tolist():
        rows = (256 * stretch + rng.choice(256, size=40, replace=False)).tolist()
        plain.put(rows, [[(["most"], 1.0), (["half"], 2.0 + row % 2)] for row in rows])

        assert same_as(plain, plain.postings, rng)


def test_a_copy_is_written_down_in_another_thread_while_its_origin_is_edited() -> None:
    rng = np.random.default_rng(9)
    plain, rows = Plain(), rows_at_borders(rng, 2_000)
    plain.put(rows, [a_short_document(rng) for _ in rows])
    before = [told.tolist() for told in plain.postings.documents()]

    with ThreadPoolExecutor(1) as other:
        for start in range(0, 500, 100):
            written = other.submit(plain.postings.copy().documents)
            for row in rows[start : start + 100]:
                document = plain.documents[row]
                plain.drop(row)
                plain.put([row], [document])

            assert [told.tolist() for told in written.result()] == before
    assert same_as(plain, plain.postings, rng)


def test_documents_far_apart_are_restored() -> None:
    documents: list[list[WeightedWords]] = [[] for _ in range(2 * FAR + 10)]
    for row in (0, 7, FAR - 1, FAR, FAR + 7, 2 * FAR + 9):
        documents[row] = [(["cat", f"only{row}"], 1.0 + row % 5 * 0.3)]
    put, restored = Postings(K1, B), Postings(K1, B)
    put.put(batch_of(documents), range(len(documents)))

    restored.restore(put.terms(), *put.documents())

    asked = ["cat", "only7", f"only{FAR}"], [1.0, 1.0, 1.0], 10, [7, FAR, FAR + 8]
    assert restored.search(*asked) == put.search(*asked)
    assert sorted(restored.search(*asked)[0]) == [0, 7, FAR - 1, FAR, FAR + 7, 2 * FAR + 9]
    restored.drop(FAR, batch_of([documents[FAR]]))
    assert f"only{FAR}".encode() not in restored.terms()
    assert b"cat" in restored.terms()


def test_a_run_counts_as_its_pairs() -> None:
    runs, pairs = DocumentBatch(), DocumentBatch()
    runs.add(["gpt"], ["机器机器", "学", "𠮷野家", "ab"], 1.5)
    runs.close()
    pairs.add(["gpt", "机器", "器机", "机器", "𠮷野", "野家", "ab"], [], 1.5)
    pairs.close()
    one, other = Postings(K1, B), Postings(K1, B)

    one.put(runs, [0])
    other.put(pairs, [0])

    assert [told.tolist() for told in one.documents()] == [told.tolist() for told in other.documents()]
    assert one.terms() == other.terms() == "gpt\n机器\n器机\n𠮷野\n野家\nab\n".encode()


def test_a_word_of_no_document_is_overwritten_and_its_number_given_anew() -> None:
    plain = Plain()
    plain.put([0, 1], [[(["common", "confidential"], 1.0)], [(["common"], 1.0)]])
    plain.drop(0)

    assert plain.postings.terms() == b"common\n\n"
    plain.put([0], [[(["public"], 1.0)]])
    assert plain.postings.terms() == b"common\npublic\n"


def test_many_words_come_and_go() -> None:
    postings, kept = Postings(K1, B), Counter[str]()
    rng = np.random.default_rng(5)
    said: dict[int, str] = {}
    for row in range(4_000):
        word = f"{rng.integers(10**6)}" * int(rng.integers(1, 30))
        postings.put(batch_of([[([word], 1.0)]]), [row])
        said[row] = word
        kept[word] += 1
        if row % 3:
            gone = int(rng.choice(list(said)[-50:]))
            word = said.pop(gone)
            postings.drop(gone, batch_of([[([word], 1.0)]]))
            kept[word] -= 1

    assert sorted(postings.terms().decode().split()) == sorted(word for word, count in kept.items() if count)


@pytest.mark.parametrize(
    "act",
    [
        lambda p: p.put(batch_of([[]]), [0]),
        lambda p: p.put(batch_of([[]]), [-1]),
        lambda p: p.put(batch_of([[]]), [1 << 24]),
        lambda p: p.put(batch_of([[], []]), [7, 7]),
        lambda p: p.put(batch_of([[]]), [8, 9]),
        lambda p: p.put(batch_of([[], []]), [8]),
        lambda p: p.drop(5, b""),
        lambda p: p.drop(-1, b""),
        lambda p: p.drop(1, b"\x00"),
        lambda p: p.drop(0, b"\x01"),
        lambda p: p.drop(0, b"\x00"),
        lambda p: p.drop(0, b"\x00\x03\x05"),
        lambda p: p.drop(0, batch_of([])),
        lambda p: p.drop(0, batch_of([[(["cat", "dog"], 1.0)], [(["dog"], 3.0)]])),
        lambda p: p.drop(0, batch_of([[(["cat", "river"], 1.0)]])),
        lambda p: p.drop(0, batch_of([[(["cat"], 1.0)]])),
        lambda p: p.drop(0, batch_of([[(["cat", "dog", "dog"], 1.0)]])),
        lambda p: p.drop(1, batch_of([[(["dog"], 0.1)]])),
        lambda p: p.drop(0, b"\x00\x00"),
        lambda p: p.drop(0, b"\x01\xff\x00"),
        lambda p: p.drop(0, b"\x01\xff\x00\x00\xc0\x7f"),
        lambda p: p.drop(0, b"\x0e"),
        lambda p: p.drop(0, b"\xff\xff\xff\xff\xff\x01"),
        lambda p: p.restore(b"", np.array([], np.uint8), np.array([], np.int64)),
        lambda p: p.search(["cat"], [], 1, []),
        lambda p: p.search(["cat"], [-1.0], 1, []),
        lambda p: p.search(["cat"], [math.inf], 1, []),
        lambda p: p.scores(["cat"], [math.nan], [0]),
    ],
)
def test_what_contradicts_what_was_put_is_refused_and_changes_nothing(act: object) -> None:
    postings = Postings(K1, B)
    postings.put(batch_of([[(["cat", "dog"], 1.0)], [(["dog"], 3.0)]]), [0, 1])
    before = postings.search(["cat", "dog"], [1.0, 1.0], 9, []), postings.terms(), len(postings)

    with pytest.raises(ValueError, match=r"\w"):
        act(postings)  # type: ignore[operator]

    assert (postings.search(["cat", "dog"], [1.0, 1.0], 9, []), postings.terms(), len(postings)) == before


@pytest.mark.parametrize(
    ("words", "said", "ends"),
    [
        (b"cat", b"\x00", [1]),
        (b"cat\ncat\n", b"\x00\x02", [2]),
        (b"cat\ndog\n", b"\x00", [1]),
        (b"cat\n\n", b"\x00\x02", [2]),
        (b"cat\n", b"\x00", [2]),
        (b"cat\n", b"\x00\x00", [1]),
        (b"cat\n", b"\x00", [1, 0]),
        (b"cat\n", b"\x00", [-1]),
        (b"cat\n", b"\x02", [1]),
    ],
)
def test_what_is_no_index_is_not_restored(words: bytes, said: bytes, ends: list[int]) -> None:
    postings = Postings(K1, B)

    with pytest.raises(ValueError, match=r"\w"):
        postings.restore(words, np.frombuffer(said, np.uint8), np.array(ends))

    assert (len(postings), postings.terms()) == (0, b"")
    postings.restore(b"cat\n", np.zeros(1, np.uint8), np.array([1]))
    assert postings.search(["cat"], [1.0], 1, [])[0] == [0]
