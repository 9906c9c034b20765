import math
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from core.index.keyword_index import KeywordIndex
from core.index.postings import K1, B
from core.index.snapshot import SnapshotUnusable
from core.text import analysis
from tests.support.scale import scaled

WEIGHTS = {"keywords": 3.0, "context": 1.5, "summary": 1.0}
WORDS = ["cat", "dog", "cats", "机器", "学习", "GPT-4", "3.5", "the", "river", "U.S."]

words = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
documents = st.fixed_dictionaries({"summary": words}, optional={"keywords": words, "context": words})
keys = st.sampled_from([f"n{i}" for i in range(12)])


def bm25f(corpus: Mapping[str, Mapping[str, str]], query: Counter[str]) -> dict[str, float]:
    """The formula, spelled out."""
    said = {key: weighted_counts(fields) for key, fields in corpus.items()}
    lengths = {key: sum(counts.values()) for key, counts in said.items()}
    average = sum(lengths.values()) / len(corpus) if corpus else 0.0
    scores: dict[str, float] = {}
    for term, weight in query.items():
        holding = [key for key in said if term in said[key]]
        idf = math.log(1 + (len(corpus) - len(holding) + 0.5) / (len(holding) + 0.5))
        for key in holding:
            count = said[key][term]
            norm = K1 * (1 - B + B * lengths[key] / average)
            scores[key] = scores.get(key, 0.0) + weight * idf * count * (K1 + 1) / (count + norm)
    return scores


def weighted_counts(fields: Mapping[str, str]) -> dict[str, float]:
    counts: dict[str, float] = {}
    for field, text in fields.items():
        for term in analysis.terms(text):
            counts[term] = counts.get(term, 0.0) + WEIGHTS[field]
    return counts


class AgainstTheFormula(RuleBasedStateMachine):
    """Random edits, many at once or one by one, against the formula over a plain dict."""

    def __init__(self) -> None:
        super().__init__()
        self.index: KeywordIndex[str] = KeywordIndex(WEIGHTS)
        self.corpus: dict[str, Mapping[str, str]] = {}
        self.blob = b""

    @rule(key=keys, fields=documents)
    def put_one(self, key: str, fields: Mapping[str, str]) -> None:
        self.index.drop(key, self.corpus.get(key, {}))
        self.index.put_one(key, fields)
        self.corpus[key] = fields

    @rule(batch=st.dictionaries(keys, documents))
    def put_many(self, batch: dict[str, Mapping[str, str]]) -> None:
        for key in batch:
            self.index.drop(key, self.corpus.get(key, {}))
        self.index.put(self.index.prepare(batch))
        self.corpus.update(batch)

    @rule(key=keys)
    def drop(self, key: str) -> None:
        self.index.drop(key, self.corpus.pop(key, {}))

    @rule()
    def take_down(self) -> None:
        self.blob = b"".join(self.index.snapshot().blob(str))

    @rule()
    def load(self) -> None:
        """With whatever snapshot there is; what it gives is, to the bit, what it would be without."""
        restored, fresh = KeywordIndex[str](WEIGHTS), KeywordIndex[str](WEIGHTS)
        with suppress(SnapshotUnusable):
            restored.restore(self.blob, str, self.corpus)
        restored.put(restored.prepare({k: v for k, v in self.corpus.items() if k not in restored}))
        fresh.put(fresh.prepare(self.corpus))
        everything = Counter(analysis.terms(" ".join(WORDS)))
        assert restored.search(everything, 12) == fresh.search(everything, 12)
        self.index = restored

    @rule(query=words, k=st.integers(1, 12), banned=st.sets(keys))
    def search(self, query: str, k: int, banned: set[str]) -> None:
        terms = Counter(analysis.terms(query))
        expected = bm25f(self.corpus, terms)

        found = self.index.search(terms, k, lambda key: key not in banned)

        admitted = {key: score for key, score in expected.items() if key not in banned}
        assert len(found) == min(k, len(admitted))
        assert found == sorted(found, key=lambda hit: (-hit[1], hit[0]))
        assert all(score == pytest.approx(admitted[key]) for key, score in found)
        left_out = set(admitted) - {key for key, _ in found}
        assert all(admitted[key] <= found[-1][1] + 1e-9 for key in left_out)
        assert self.index.best(terms) == pytest.approx(max(expected.values(), default=0.0))
        everyone = [f"n{i}" for i in range(12)]
        assert self.index.scores(terms, everyone) == pytest.approx(
            [expected.get(key, 0.0) for key in everyone]
        )

    @invariant()
    def holds_what_was_put(self) -> None:
        assert len(self.index) == len(self.corpus)
        assert all(key in self.index for key in self.corpus)


TestAgainstTheFormula = AgainstTheFormula.TestCase
TestAgainstTheFormula.settings = settings(max_examples=scaled(20), stateful_step_count=40, deadline=None)


def test_scores_do_not_depend_on_what_was_there_before() -> None:
    lived: KeywordIndex[str] = KeywordIndex(WEIGHTS)
    there: dict[str, dict[str, str]] = {}
    for round_ in range(5):
        for key, fields in there.items():
            lived.drop(key, fields)
        there = {f"n{i}": {"summary": f"cat {round_} dog {i} river"} for i in range(20)}
        lived.put(lived.prepare(there))
        for i in range(0, 20, 3):
            lived.drop(f"n{i}", there.pop(f"n{i}"))
    loaded: KeywordIndex[str] = KeywordIndex(WEIGHTS)
    loaded.put(
        loaded.prepare({f"n{i}": {"summary": f"cat 4 dog {i} river"} for i in reversed(range(20)) if i % 3})
    )
    query = analysis.terms("cat dog 4 7 river")

    assert lived.search(query, 20) == loaded.search(query, 20)


def test_keywords_weigh_more_than_the_summary() -> None:
    index: KeywordIndex[str] = KeywordIndex(WEIGHTS)
    index.put_one("said", {"keywords": "dog", "summary": "the cat sat"})
    index.put_one("named", {"keywords": "cat", "summary": "the dog sat"})

    found = index.search(["cat"], 2)

    assert [key for key, _ in found] == ["named", "said"]


def test_equal_documents_come_in_the_order_of_their_keys() -> None:
    index: KeywordIndex[tuple[str, int]] = KeywordIndex({"text": 1.0})
    for number in (7, 3, 5, 1):
        index.put_one(("i", number), {"text": "猫在河边"})

    found = index.search(analysis.terms("河边"), 3)

    assert [key for key, _ in found] == [("i", 1), ("i", 3), ("i", 5)]


def test_a_word_of_no_document_is_forgotten() -> None:
    index: KeywordIndex[str] = KeywordIndex({"text": 1.0})
    index.put_one("n", {"text": "confidential"})

    index.drop("n", {"text": "confidential"})

    assert b"confidenti" not in index.snapshot().postings.terms()
    assert "confidenti" not in repr(vars(index))
    assert index.search(["confidenti"], 1) == []


def test_a_document_goes_by_the_texts_it_was_put_with_alone() -> None:
    index: KeywordIndex[str] = KeywordIndex({"text": 1.0})
    index.put_one("n", {"text": "the cat"})

    with pytest.raises(ValueError, match="texts"):
        index.drop("n", {"text": "a cat"})
    with pytest.raises(ValueError, match="there"):
        index.put_one("n", {"text": "the dog"})

    assert [key for key, _ in index.search(["cat"], 1)] == ["n"]
    assert index.search(["dog"], 1) == []


def test_a_snapshot_is_written_while_the_index_goes_on() -> None:
    index: KeywordIndex[str] = KeywordIndex({"text": 1.0})
    there = {f"n{i}": {"text": f"cat {i} " * (i % 3)} for i in range(50)}
    index.put(index.prepare(there))
    as_it_was = b"".join(index.snapshot().blob(str))

    taken = index.snapshot()
    for key in list(there)[::2]:
        index.drop(key, there[key])
    index.put_one("new", {"text": "dog"})

    assert b"".join(taken.blob(str)) == as_it_was


def test_a_document_without_words_is_held_and_never_found() -> None:
    index: KeywordIndex[str] = KeywordIndex({"text": 1.0})
    index.put_one("empty", {"text": "…"})

    assert "empty" in index
    assert index.search(["cat"], 5) == []
    assert index.scores(["cat"], ["empty", "absent"]).tolist() == [0.0, 0.0]


def test_none_are_asked_for_and_none_come() -> None:
    index: KeywordIndex[str] = KeywordIndex({"text": 1.0})
    index.put_one("n", {"text": "cat"})

    assert index.search(["cat"], 0) == []
    assert index.search([], 5) == []
    assert np.array_equal(index.scores([], ["n"]), [0.0])


@pytest.mark.parametrize("k", [1, 3, 20, 100])
def test_few_that_are_allowed_among_many_are_found_best_first(k: int) -> None:
    index: KeywordIndex[int] = KeywordIndex({"text": 1.0})
    index.put(index.prepare({n: {"text": "cat " * (1 + n % 7) + "dog " * (n % 41)} for n in range(3_000)}))
    everyone = index.search(["cat"], 3_000)

    found = index.search(["cat"], k, lambda n: n % 97 == 5)

    assert found == [hit for hit in everyone if hit[0] % 97 == 5][:k]


def test_which_documents_hold_which_word() -> None:
    index: KeywordIndex[str] = KeywordIndex({"text": 1.0})
    index.put(index.prepare({"a": {"text": "cat dog"}, "b": {"text": "机器"}, "c": {"text": "dog dog"}}))

    found = index.holding(["dog", "机器", "cow"], index.rows(["c", "absent", "b", "a"]))

    assert found.tolist() == [
        [True, False, False],
        [False, False, False],
        [False, True, False],
        [True, False, False],
    ]
    assert index.holding([], index.rows(["a"])).shape == (1, 0)


def test_others_are_scored_beside_a_search_as_alone() -> None:
    index: KeywordIndex[str] = KeywordIndex({"text": 1.0})
    index.put(index.prepare({f"n{i}": {"text": "cat " * (i % 5) + "river " * i} for i in range(300)}))
    others = ["n7", "n0", "absent", "n299", "n7"]

    keys, scores, beside = index.leading(["cat", "river"], 10, others, lambda key: key != "n7")

    assert list(zip(keys, scores, strict=True)) == index.search(["cat", "river"], 10, lambda key: key != "n7")
    assert beside == index.scores(["cat", "river"], others).tolist()
    assert index.best(["cat", "river"]) == max(index.scores(["cat", "river"], [f"n{i}" for i in range(300)]))
