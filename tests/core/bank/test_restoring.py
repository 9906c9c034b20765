"""A bank loaded with snapshots (fresh, old, damaged) is the bank loaded without."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from core.aggregate.aggregate import Tuning
from core.bank.bank import SEGMENTS, Bank
from core.bank.loading import load as load_bank
from core.bank.steps import EdgePut, InteractionAdd, NodeDrop, NodePut, Step
from core.ids import InteractionId, NodeId
from core.index.compiled_vectors import VectorSettings
from core.index.restoring import IndexSnapshot, opened
from core.index.snapshot import Parts, packed, unpacked
from core.model.bank import EmbeddingSpace
from core.text.analysis import terms
from tests.support import changes as a

DIMENSION = 16
WORDS = "river 河边 机器学习 engine budget 预算 Lisbon 里斯本 nurse 医院 GPT-4 3.5 battery 电池 contract 合同".split()
EXACT = Tuning()
LINKED = Tuning(vectors=VectorSettings(exact_up_to=40, scans=0))


class Life:
    """A bank that lives at random."""

    def __init__(self, seed: int, tuning: Tuning) -> None:
        self.chance = random.Random(seed)
        self.story = a.Story()
        self.tuning = tuning
        self.named = 0
        founding = self.story.founding(space=EmbeddingSpace(name="test", dimension=DIMENSION))
        self.bank = Bank.found(founding, "u1", tuning)

    def text(self) -> str:
        return " ".join(self.chance.choices(WORDS, k=self.chance.randint(1, 12)))

    def put(self, node_id: str) -> NodePut:
        changed = {"summary": self.text(), "context": self.text(), "keywords": tuple(self.text().split())}
        return NodePut(
            node=a.node(node_id, **changed), vector=a.vector(self.chance.randrange(10**9), DIMENSION)
        )

    def grow(self, count: int) -> None:
        for _ in range(count):
            self.named += 1
            steps: list[Step] = [self.put(f"n{self.named}")]
            if self.bank.nodes:
                other = self.chance.choice(sorted(self.bank.nodes))
                steps.append(EdgePut(node_id=NodeId(f"n{self.named}"), other_node_id=other))
            self.bank.apply(self.story.change(*steps))

    def read(self) -> None:
        self.named += 1
        name = f"i{self.named}"
        texts = [self.text() for _ in range(5)]
        self.bank.apply(self.story.change(InteractionAdd(interaction=a.interaction(name, *texts))))
        refs = self.bank.tree.refs(InteractionId(name))[:4]
        self.bank.put_vectors(
            SEGMENTS, {ref: a.vector(self.chance.randrange(10**9), DIMENSION) for ref in refs}
        )

    def change(self, count: int) -> None:
        for node_id in self.chance.sample(sorted(self.bank.nodes), count):
            gone = self.chance.random() < 0.3
            step: Step = NodeDrop(node_id=node_id) if gone else self.put(node_id)
            self.bank.apply(self.story.change(step))

    def compact(self) -> None:
        for compaction in self.bank.indexes.compactions():
            compaction.build()
            self.bank.indexes.adopt(compaction)

    def blobs(self) -> dict[str, bytes]:
        indexes = self.bank.indexes.saved
        return {
            part: b"".join(IndexSnapshot(part=part, taken=index.snapshot()).blob())
            for part, index in indexes.items()
            if part.endswith("words") or index.worth_saving
        }

    def loaded(self, cached: Mapping[str, bytes] | None = None) -> Bank:
        return load_bank(self.bank.state(), self.tuning, cached)


def lived(seed: int, tuning: Tuning) -> tuple[Life, dict[str, bytes]]:
    """A life of some rounds, with the snapshots of one of its moments."""
    life = Life(seed, tuning)
    moment = life.chance.randrange(4)
    blobs: dict[str, bytes] = {}
    for round_ in range(4):
        life.grow(40)
        life.read()
        life.compact()
        life.change(life.chance.randint(0, 25))
        if round_ == moment:
            blobs = life.blobs()
    return life, blobs


def same_words(one: Bank, other: Bank) -> bool:
    queries = [terms(word) for word in WORDS] + [terms(" ".join(WORDS))]
    return all(
        one.node_words.search(query, 300) == other.node_words.search(query, 300)
        and one.verbatim.words.search(query, 300) == other.verbatim.words.search(query, 300)
        for query in queries
    )


def near(bank: Bank, seed: int) -> list[tuple[NodeId, float]]:
    return bank.node_vectors.search(a.vector(seed, DIMENSION), 5)


@pytest.mark.parametrize("seed", range(6))
def test_with_a_snapshot_of_any_moment_a_bank_says_what_it_says_without(seed: int) -> None:
    life, blobs = lived(seed, EXACT)

    one, other = life.loaded(blobs), life.loaded()

    assert a.same(one.state(), other.state())
    assert a.same(one.state(), life.bank.state())
    assert same_words(one, other)
    assert same_words(one, life.bank)
    assert all(near(one, query) == near(other, query) for query in range(20))


@pytest.mark.parametrize("seed", range(6))
def test_with_a_graph_of_any_moment_a_bank_finds_what_is_near(seed: int) -> None:
    life, blobs = lived(seed, LINKED)
    exact = load_bank(life.bank.state(), EXACT)
    loaded = life.loaded(blobs)

    found = [len(set(near(loaded, query)) & set(near(exact, query))) for query in range(100)]

    assert sum(found) / 500 >= 0.99
    assert a.same(loaded.state(), exact.state())


def test_a_bank_restored_lives_on() -> None:
    life, blobs = lived(7, LINKED)
    restored = life.loaded(blobs)
    life.bank = restored
    life.grow(30)
    life.change(20)
    life.compact()

    assert a.same(life.bank.state(), life.loaded(life.blobs()).state())
    assert same_words(life.bank, life.loaded())


def test_a_graph_of_the_present_is_taken_up_whole() -> None:
    life = Life(8, LINKED)
    life.grow(60)
    life.compact()

    loaded = life.loaded(life.blobs())

    assert loaded.indexes.compactions() == []
    assert all(near(loaded, query) == near(life.bank, query) for query in range(50))


@pytest.mark.parametrize("part", ["node_words", "segment_words", "node_vectors", "segment_vectors"])
def test_a_damaged_snapshot_changes_nothing(part: str) -> None:
    life = Life(9, LINKED)
    life.grow(50)
    for _ in range(12):
        life.read()
    life.compact()
    blobs, truth = life.blobs(), life.loaded()
    blob = blobs[part]

    flipped = [blob[:p] + bytes([blob[p] ^ 64]) + blob[p + 1 :] for p in range(0, len(blob), len(blob) // 40)]
    torn = [blob[:length] for length in range(0, len(blob), len(blob) // 20)]

    for damaged in flipped + torn:
        loaded = life.loaded(blobs | {part: damaged})
        assert same_words(loaded, truth)
        assert a.same(loaded.state(), truth.state())


@pytest.mark.parametrize("missing", ["keys", "fingerprints", "terms", "ends", "documents"])
def test_a_snapshot_that_lacks_something_is_refused_before_any_of_it_is_believed(missing: str) -> None:
    life = Life(16, EXACT)
    life.grow(30)
    whole = unpacked(life.blobs()["node_words"])
    rest = {name: array for name, array in whole.arrays.items() if name != missing}
    lacking = b"".join(packed(Parts(facts=whole.facts, arrays=rest)))

    assert same_words(life.loaded({"node_words": lacking}), life.bank)


def damaged(array: NDArray[Any], chance: np.random.Generator) -> Iterator[NDArray[Any]]:
    """The array in all the ways in which it can be wrong."""
    yield array[:0]
    yield array[:-1]
    yield np.concatenate((array, array[-1:]))
    yield array[::-1]
    yield array.reshape(1, -1)
    yield array.astype(np.float32)
    yield np.full_like(array, np.iinfo(array.dtype).max)
    yield np.zeros_like(array)
    for _ in range(4):
        one = array.copy()
        one.view(np.uint8)[chance.integers(one.nbytes, size=3)] ^= chance.integers(1, 256, 3, dtype=np.uint8)
        yield one


@pytest.mark.parametrize("part", ["node_words", "segment_words", "node_vectors", "segment_vectors"])
def test_no_snapshot_keeps_a_bank_from_loading_whatever_it_says_under_a_right_digest(part: str) -> None:
    life = Life(17, LINKED)
    life.grow(45)
    for _ in range(12):
        life.read()
    life.compact()
    life.change(5)
    blobs, state, chance = life.blobs(), life.bank.state(), np.random.default_rng(1)
    whole = unpacked(blobs[part])
    harmed = [
        Parts(facts=whole.facts, arrays={**whole.arrays, name: wrong})
        for name, array in whole.arrays.items()
        for wrong in damaged(array, chance)
    ]
    of_no_use: list[Any] = [{}, {"form": 3}, [], None, "x"]
    harmed += [Parts(facts=facts, arrays=whole.arrays) for facts in of_no_use]

    told: list[str] = []
    for parts in harmed:
        tuning = replace(LINKED, report=told.append)
        cached = opened({part: b"".join(packed(parts))}, told.append)
        loaded = load_bank(state, tuning, cached)

        assert a.same(loaded.state(), state)
        assert len(near(loaded, 1)) == 5
        assert len(loaded.node_words) == len(loaded.nodes)
        assert len(loaded.node_vectors) == len(loaded.nodes)
    assert len(told) > len(harmed) / 2


def test_another_banks_snapshots_change_nothing() -> None:
    life, other = lived(10, EXACT), lived(11, EXACT)
    blobs = other[1]
    swapped = {"node_words": blobs["segment_words"], "segment_words": blobs["node_words"]}

    for wrong in (blobs, swapped):
        assert same_words(life[0].loaded(wrong), life[0].bank)


def test_only_what_changed_much_is_taken_down() -> None:
    life = Life(12, LINKED)
    life.grow(60)
    life.compact()

    taken = [snapshot.part for snapshot in life.bank.indexes.snapshots()]

    assert taken == ["node_vectors"]  # a thousand words edited would be worth it, sixty are not
    assert not life.bank.indexes.has_unsaved


def test_a_snapshot_is_outlived_by_words_that_went_but_not_by_words_that_came() -> None:
    life = Life(14, EXACT)
    life.grow(20)
    assert not life.bank.indexes.outlives_snapshots  # there is none
    life.blobs()

    life.grow(5)
    assert not life.bank.indexes.outlives_snapshots
    life.bank.apply(life.story.change(NodeDrop(node_id=NodeId("n1"))))
    assert life.bank.indexes.outlives_snapshots
    assert [snapshot.part for snapshot in life.bank.indexes.snapshots()] == ["node_words"]
    assert not life.bank.indexes.outlives_snapshots


@pytest.mark.parametrize("step", ["drop", "reword", "damage"])
def test_a_bank_loaded_knows_that_it_outlives_its_snapshot(step: str) -> None:
    life = Life(15, EXACT)
    life.grow(20)
    blobs = life.blobs()
    assert not life.loaded(blobs).indexes.outlives_snapshots

    match step:
        case "drop":
            life.bank.apply(life.story.change(NodeDrop(node_id=NodeId("n1"))))
        case "reword":
            life.bank.apply(life.story.change(life.put("n1")))
        case "damage":
            blobs["node_words"] = b"what can be read by nobody"

    assert life.loaded(blobs).indexes.outlives_snapshots


def test_equal_vectors_stay_equal_when_one_of_them_changes() -> None:
    life = Life(13, LINKED)
    twins = [NodePut(node=a.node(f"t{n}"), vector=a.vector(1, DIMENSION)) for n in range(30)]
    life.bank.apply(life.story.change(*twins))
    life.grow(60)
    life.compact()
    blobs = life.blobs()
    life.bank.apply(life.story.change(NodePut(node=a.node("t0"), vector=a.vector(2, DIMENSION))))

    loaded = life.loaded(blobs)

    found = loaded.node_vectors.search(a.vector(1, DIMENSION), 29)
    assert {key for key, _ in found} == {f"t{n}" for n in range(1, 30)}
    assert np.allclose([cosine for _, cosine in found], 1.0)
