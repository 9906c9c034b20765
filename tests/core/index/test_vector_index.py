import itertools
import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from numpy.typing import NDArray

from core.index import compiled_vectors
from core.index.compiled_vectors import CompiledPart, VectorSettings, least_ef
from core.index.snapshot import SnapshotUnusable
from core.index.vector_compaction import BLOCK, VectorCompaction
from core.index.vector_index import ABSENT, VectorIndex
from core.model.vector import Vector
from core.native.vectors import cosines
from service.adapters.local_embedder.embedder import LocalEmbedder
from tests.support.scale import scaled

DIMENSION = 8
SMALL = VectorSettings(exact_up_to=12, scan_share=0.25, scans=0)
LOCOMO = Path(__file__).parents[4] / "shared" / "data" / "locomo_dev.json"
KEYS = [f"n{i:02}" for i in range(40)]


def unit(seed: int, dimension: int = DIMENSION) -> Vector:
    vector = np.random.default_rng(seed).normal(size=dimension).astype(np.float32)
    return np.asarray(vector / np.linalg.norm(vector))


def clustered(count: int, dimension: int, seed: int) -> NDArray[np.float32]:
    """Unit vectors in topics within one cone, as sentence embeddings are; every tenth has a twin."""
    rng = np.random.default_rng(seed)
    topics = rng.normal(size=(count // 40, dimension)) + 2 * rng.normal(size=dimension)
    vectors = topics[rng.integers(len(topics), size=count)] + rng.normal(size=(count, dimension))
    vectors[::10] = vectors[rng.integers(count, size=len(vectors[::10]))]
    units: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return units


def compacted(index: VectorIndex[str]) -> None:
    job = index.compaction()
    assert job is not None
    job.build()
    index.adopt(job)


keys = st.sampled_from(KEYS)
seeds = st.integers(0, 60)  # few enough that equal vectors under different keys occur


NEARLY = 2e-3
"""A graph finds candidates by quantised codes: of two that are as near as this, it may keep the other."""


class AgainstAScan(RuleBasedStateMachine):
    """Random edits and searches, with compactions begun, built and adopted between, against a dict."""

    def __init__(self) -> None:
        super().__init__()
        self.index: VectorIndex[str] = VectorIndex(DIMENSION, SMALL)
        self.vectors: dict[str, Vector] = {}
        self.job: VectorCompaction[str] | None = None

    @rule(key=keys, seed=seeds)
    def put(self, key: str, seed: int) -> None:
        self.index.put(key, unit(seed))
        self.vectors[key] = unit(seed)

    @rule(batch=st.lists(st.tuples(keys, seeds), max_size=40))
    def put_many(self, batch: list[tuple[str, int]]) -> None:
        self.index.put_many([key for key, _ in batch], [unit(seed) for _, seed in batch])
        self.vectors.update({key: unit(seed) for key, seed in batch})

    @rule(gone=st.sets(keys, max_size=15))
    def drop(self, gone: set[str]) -> None:
        for key in sorted(gone):
            self.index.drop(key)
            self.vectors.pop(key, None)

    @rule()
    def begin_compaction(self) -> None:
        self.job = self.index.compaction() or self.job

    @precondition(lambda self: self.job is not None)
    @rule()
    def build(self) -> None:
        assert self.job is not None
        self.job.build()

    @precondition(lambda self: self.job is not None and self.job.built is not None)
    @rule()
    def adopt(self) -> None:
        assert self.job is not None
        self.index.adopt(self.job)
        self.job = None

    @rule(seed=st.integers(0, 200), k=st.integers(0, 6), banned=st.sets(keys), filtered=st.booleans())
    def search(self, seed: int, k: int, banned: set[str], filtered: bool) -> None:
        query = unit(seed)
        cosines = {
            key: np.float32(vector.astype(np.float64) @ query.astype(np.float64))
            for key, vector in self.vectors.items()
            if not (filtered and key in banned)
        }

        found = self.index.search(query, k, (lambda key: key not in banned) if filtered else None)

        expected = sorted(cosines.items(), key=lambda hit: (-hit[1], hit[0]))[:k]
        assert [cosine for _, cosine in found] == pytest.approx([float(c) for _, c in expected], abs=NEARLY)
        assert found == sorted(found, key=lambda hit: (-hit[1], hit[0]))
        assert all(cosine == pytest.approx(float(cosines[key]), abs=1e-6) for key, cosine in found)

    @invariant()
    def gives_back_what_was_put(self) -> None:
        assert len(self.index) == len(self.vectors)
        for key in KEYS:
            held = self.index.get(key)
            assert (held is not None) == (key in self.vectors) == (key in self.index)
            assert held is None or held.tobytes() == self.vectors[key].tobytes()
        places, matrix = self.index.matrix(KEYS)
        assert [KEYS[place] for place in places] == sorted(self.vectors)
        assert matrix.shape == (len(places), DIMENSION)
        assert matrix.tobytes() == b"".join(self.vectors[KEYS[place]].tobytes() for place in places)


TestAgainstAScan = AgainstAScan.TestCase
TestAgainstAScan.settings = settings(max_examples=scaled(20), stateful_step_count=50, deadline=None)


def recall_at_10(
    index: VectorIndex[str],
    vectors: dict[str, Vector],
    queries: NDArray[np.float32],
    allowed: Callable[[str], bool] | None = None,
) -> float:
    """Found ∩ exact / 10; a twin of one of the exact ten counts as it."""
    names = [key for key in vectors if allowed is None or allowed(key)]
    cosines = queries @ np.stack([vectors[key] for key in names]).T
    bars = np.partition(cosines, -10, axis=1)[:, -10] - 1e-6
    hits = [
        sum(cosine >= bar for _, cosine in index.search(query, 10, allowed))
        for query, bar in zip(queries, bars, strict=True)
    ]
    return float(sum(hits) / (10 * len(queries)))


def test_recall_at_10_stays_above_99_percent_with_tombstones_and_after_compaction() -> None:
    rows = clustered(3_100, 128, seed=3)
    queries, names = rows[3_000:], [f"n{i:04}" for i in range(3_000)]
    vectors = dict(zip(names, rows[:3_000], strict=True))
    index: VectorIndex[str] = VectorIndex(128, VectorSettings(scans=0, exact_up_to=1_000))
    index.put_many(names, rows[:3_000])
    recalls = {"exact": recall_at_10(index, vectors, queries)}
    compacted(index)
    recalls["compiled"] = recall_at_10(index, vectors, queries)
    for name in names[::3]:
        index.drop(name)
        del vectors[name]
    for name, row in zip(names[1:600:3], clustered(200, 128, seed=4), strict=True):
        index.put(name, row)
        vectors[name] = row
    recalls["a third dead, a tail"] = recall_at_10(index, vectors, queries)
    recalls["one in four allowed"] = recall_at_10(
        index, vectors, queries, lambda name: int(name[1:]) % 4 == 1
    )
    index.put_many([f"m{i}" for i in range(1_000)], clustered(1_000, 128, seed=5))
    vectors |= {f"m{i}": row for i, row in enumerate(clustered(1_000, 128, seed=5))}
    compacted(index)
    recalls["compiled again"] = recall_at_10(index, vectors, queries)

    print(recalls)
    assert recalls.pop("exact") == 1.0
    assert min(recalls.values()) >= 0.99


@pytest.mark.slow
@pytest.mark.skipif(not LOCOMO.exists(), reason="the conversations are not beside this checkout")
async def test_recall_at_10_holds_on_real_questions_to_real_conversations() -> None:
    conversations = json.loads(LOCOMO.read_text())[: scaled(1)]
    turns = [
        f"{turn['speaker']}: {turn['text']}"
        for conversation in conversations
        for session in conversation["conversation"].values()
        if isinstance(session, list)
        for turn in session
    ]
    embedder = LocalEmbedder.open(passage_threads=2)
    rows = await embedder.embed_passages(turns)
    queries = await embedder.embed_queries([qa["question"] for c in conversations for qa in c["qa"]])
    embedder.close()
    vectors = {f"n{i:04}": row for i, row in enumerate(rows)}
    index: VectorIndex[str] = VectorIndex(embedder.space.dimension, VectorSettings(scans=0, exact_up_to=200))
    index.put_many(list(vectors), rows)
    compacted(index)
    recalls = {f"{len(turns)} turns, {len(queries)} questions": recall_at_10(index, vectors, queries)}
    for name in list(vectors)[::4]:
        index.drop(name)
        del vectors[name]
    recalls["a quarter dead"] = recall_at_10(index, vectors, queries)
    loaded: VectorIndex[str] = VectorIndex(embedder.space.dimension, VectorSettings(scans=0, exact_up_to=200))
    loaded.put_many(list(vectors), list(vectors.values()))
    compacted(loaded)
    recalls["loaded again"] = recall_at_10(loaded, vectors, queries)

    print(recalls)
    assert min(recalls.values()) >= 0.99


def test_edits_made_while_a_build_runs_are_seen_at_once_and_kept() -> None:
    rows = clustered(3_000, 32, seed=1)
    names = [f"n{i:04}" for i in range(3_000)]
    index: VectorIndex[str] = VectorIndex(32, VectorSettings(scans=0, exact_up_to=1_000))
    index.put_many(names, rows)
    job = index.compaction()
    assert job is not None
    build = threading.Thread(target=job.build)

    build.start()
    edits = 0
    while build.is_alive():
        index.drop(names[edits % 1_000])
        index.put("new", rows[edits % 1_000])
        assert index.search(rows[edits % 1_000], 1)[0][1] == pytest.approx(1.0)
        edits += 1
    build.join()
    index.adopt(job)

    assert edits > 0
    assert np.array_equal(index.similarities(rows[(edits - 1) % 1_000], ["new"]).round(5), [1.0])
    assert len(index) == 3_000 - min(edits, 1_000) + 1
    assert all(name not in index for name in names[: min(edits, 1_000)])


def test_a_filter_that_admits_almost_nothing_still_finds_it() -> None:
    rows = clustered(4_000, 32, seed=1)
    index: VectorIndex[str] = VectorIndex(32, VectorSettings(scans=0, exact_up_to=1_000))
    index.put_many([f"n{i}" for i in range(4_000)], rows)
    compacted(index)

    found = index.search(-rows[7], 5, lambda key: key in {"n7", "n9"})

    assert {key for key, _ in found} == {"n7", "n9"}


def test_a_graph_that_goes_on_finds_as_much_as_one_built_at_once() -> None:
    rows = clustered(6_100, 64, seed=3)
    queries, names = rows[6_000:], [f"n{i:04}" for i in range(6_000)]
    index: VectorIndex[str] = VectorIndex(64, VectorSettings(scans=0, exact_up_to=1_000))
    vectors: dict[str, Vector] = {}
    recalls = []
    for start in range(0, 6_000, 1_500):
        some = slice(start, start + 1_500)
        index.put_many(names[some], rows[some])
        vectors |= dict(zip(names[some], rows[some], strict=True))
        for name in names[start : start + 1_500 : 10]:  # of each part some die; a twin of one stands for both
            index.drop(name)
            del vectors[name]
        compacted(index)
        recalls.append(recall_at_10(index, vectors, queries))
    for name in [name for name in vectors if int(name[1:]) % 3 == 0]:  # so many that the graph is built anew
        index.drop(name)
        del vectors[name]
    index.put_many([f"m{i}" for i in range(1_500)], clustered(1_500, 64, seed=5))
    vectors |= {f"m{i}": row for i, row in enumerate(clustered(1_500, 64, seed=5))}
    compacted(index)
    recalls.append(recall_at_10(index, vectors, queries))
    loaded: VectorIndex[str] = VectorIndex(64, VectorSettings(scans=0, exact_up_to=1_000))
    loaded.restore(b"".join(index.snapshot().blob(str)), str, list(vectors), np.stack(list(vectors.values())))

    print(recalls)
    assert min(recalls) >= 0.99
    assert len(index) == len(vectors)
    assert [loaded.search(query, 10) for query in queries] == [index.search(query, 10) for query in queries]


def test_a_bank_full_of_twins_is_searched_like_any_other() -> None:
    rows = clustered(3_000, 32, seed=1)
    rows[1_000:] = rows[0]
    index: VectorIndex[str] = VectorIndex(32, VectorSettings(scans=0, exact_up_to=1_000))
    index.put_many([f"n{i:04}" for i in range(3_000)], rows)
    compacted(index)
    queries = clustered(100, 32, seed=9)

    recall = recall_at_10(index, {f"n{i:04}": row for i, row in enumerate(rows)}, queries)

    assert recall >= 0.99


def scattered(count: int, seed: int) -> NDArray[np.float32]:
    """Unit vectors that point anywhere: the hardest to find, as hardly any is near another."""
    vectors = np.random.default_rng(seed).normal(size=(count, 96))
    units: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return units


def test_vectors_that_are_hard_to_find_are_searched_for_further() -> None:
    rows = scattered(4_000, seed=1)
    vectors = {f"n{i:04}": row for i, row in enumerate(rows)}
    index: VectorIndex[str] = VectorIndex(96, VectorSettings(scans=0, exact_up_to=1_000, m=16))
    careless: VectorIndex[str] = VectorIndex(96, VectorSettings(scans=0, exact_up_to=1_000, m=16, recall=0.0))
    for each in (index, careless):
        each.put_many(list(vectors), rows)
        compacted(each)
    queries = scattered(100, seed=2)

    recalls = recall_at_10(index, vectors, queries), recall_at_10(careless, vectors, queries)

    print(recalls)
    assert recalls[0] >= 0.94 > recalls[1]


def test_a_snapshot_remembers_how_far_to_search() -> None:
    rows = scattered(4_000, seed=1)
    names = [f"n{i:04}" for i in range(4_000)]
    index: VectorIndex[str] = VectorIndex(96, VectorSettings(scans=0, exact_up_to=1_000))
    index.put_many(names, rows)
    compacted(index)
    blob = b"".join(index.snapshot().blob(str))
    loaded: VectorIndex[str] = VectorIndex(96, VectorSettings(scans=0, exact_up_to=1_000))
    stricter: VectorIndex[str] = VectorIndex(96, VectorSettings(scans=0, exact_up_to=1_000, recall=0.99))

    loaded.restore(blob, str, names, rows)

    queries = scattered(100, seed=2)
    assert [loaded.search(query, 10) for query in queries] == [index.search(query, 10) for query in queries]
    with pytest.raises(SnapshotUnusable):
        stricter.restore(blob, str, names, rows)


def test_a_large_graph_is_searched_further_than_a_small_one_and_nothing_jumps() -> None:
    sizes = [int(10 ** (step / 20)) for step in range(60, 121)]  # 1,000 to 1,000,000

    far = [least_ef(size) for size in sizes]

    assert least_ef(1) == least_ef(20_000) == 80
    assert least_ef(100_000) == 192
    assert far == sorted(far)
    assert all(later <= 1.08 * before for before, later in itertools.pairwise(far))


def test_a_stored_graph_that_was_tried_as_a_small_one_is_searched_as_its_size_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compiled_vectors, "_SMALL", 2_000)
    rows = scattered(3_000, seed=1)[:, :8].copy()  # few dimensions: the trial is content with the least
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    part, again = CompiledPart(rows), CompiledPart(rows.copy())
    settings = VectorSettings(m=4, ef_construction=20, recall=0.0)
    part.link(settings, lambda: False)
    links = part.links()
    built = int(links["entry"][-1])
    links["entry"][-1] = 80

    again.relink(links, np.ones(len(rows), np.bool_), settings)

    assert built == int(again.links()["entry"][-1]) == least_ef(3_000) > 80


def test_a_pair_has_one_similarity_whichever_part_found_it() -> None:
    rows = clustered(2_000, 32, seed=2)
    names = [f"n{i:04}" for i in range(2_000)]
    compiled: VectorIndex[str] = VectorIndex(32, VectorSettings(scans=0, exact_up_to=100))
    compiled.put_many(names, rows)
    compacted(compiled)
    scanned: VectorIndex[str] = VectorIndex(32, VectorSettings())
    for name, row in reversed(list(zip(names, rows, strict=True))):
        scanned.put(name, row)

    found = compiled.search(rows[5], 10)

    assert found == scanned.search(rows[5], 10)
    assert scanned.similarities(rows[5], [key for key, _ in found]).tolist() == [
        cosine for _, cosine in found
    ]
    beside = scanned.similarities(rows[5], ["absent", *names])
    assert [beside[1 + names.index(key)] for key, _ in found] == [cosine for _, cosine in found]


def test_a_key_without_a_vector_is_as_unlike_as_can_be() -> None:
    index: VectorIndex[str] = VectorIndex(DIMENSION, SMALL)
    index.put("n", unit(1))

    assert index.similarities(unit(1), ["n", "absent"]).tolist() == pytest.approx([1.0, ABSENT])


def test_an_empty_index_finds_nothing() -> None:
    index: VectorIndex[str] = VectorIndex(DIMENSION, SMALL)
    index.put_many([], [])

    assert index.search(unit(1), 10) == []
    assert index.compaction() is None


def test_a_vector_of_another_dimension_is_refused() -> None:
    index: VectorIndex[str] = VectorIndex(DIMENSION, SMALL)

    with pytest.raises(ValueError, match="dimension 8"):
        index.put("n", np.ones(1, np.float32))

    assert "n" not in index


def test_a_tail_is_compiled_when_it_was_searched_often_enough_or_rests() -> None:
    index: VectorIndex[str] = VectorIndex(DIMENSION, replace(SMALL, scans=3))
    index.put_many(KEYS, [unit(seed) for seed in range(40)])

    assert index.compaction() is None
    assert index.compaction(at_rest=True) is not None
    for seed in range(3):
        index.search(unit(seed), 1)
    compacted(index)
    for number in range(5):  # a short tail
        index.put(f"later-{number}", unit(100 + number))
        index.search(unit(number), 1)
    assert index.compaction() is None
    assert index.compaction(at_rest=True) is not None


def test_only_the_newest_built_compaction_is_adopted() -> None:
    index: VectorIndex[str] = VectorIndex(DIMENSION, SMALL)
    index.put_many(KEYS, [unit(seed) for seed in range(40)])
    older, newer = index.compaction(), index.compaction()
    assert older is not None
    assert newer is not None
    older.build()

    with pytest.raises(ValueError, match="newest"):
        index.adopt(older)
    with pytest.raises(ValueError, match="built"):
        index.adopt(newer)


def test_a_cancelled_build_leaves_nothing_to_adopt() -> None:
    index: VectorIndex[str] = VectorIndex(DIMENSION, SMALL)
    index.put_many(KEYS, [unit(seed) for seed in range(40)])
    job = index.compaction()
    assert job is not None

    job.cancel()
    job.build()

    assert job.built is None
    assert index.search(unit(3), 1)[0][0] == "n03"


def test_a_vector_rewritten_many_times_takes_no_more_room() -> None:
    index: VectorIndex[str] = VectorIndex(DIMENSION, SMALL)
    for seed in range(1_000):
        index.put("n", unit(seed))

    assert len(index) == 1
    assert index.compaction() is None
    assert [len(block) for block in vars(index)["_tail"]] == [16]


def test_a_tail_of_several_blocks_is_searched_read_and_compiled_as_one() -> None:
    vectors = clustered(3 * BLOCK + 200, DIMENSION, seed=4)
    names = [f"n{row:05}" for row in range(len(vectors))]
    index: VectorIndex[str] = VectorIndex(DIMENSION, VectorSettings(exact_up_to=2 * BLOCK, scans=0))
    for name, vector in zip(names[:-100], vectors[:-100], strict=True):
        index.put(name, vector)
    for name in names[5::7]:
        index.drop(name)
    job = index.compaction()
    assert job is not None
    index.put_many(names[-100:], vectors[-100:])
    index.put(names[5], vectors[5])
    living = sorted({name for row, name in enumerate(names) if row % 7 != 5} | {*names[-100:], names[5]})
    rows = [names.index(name) for name in living]

    def shown() -> tuple[object, ...]:
        found = [
            index.search(query, 5, allowed)
            for query in vectors[::300]
            for allowed in (None, living.__contains__)
        ]
        return found, index.matrix(living)[1].tolist(), index.similarities(vectors[7], living).tolist()

    before = shown()
    job.build()
    index.adopt(job)

    assert before[0] == [
        sorted(((n, c) for n, c in zip(living, exact, strict=True)), key=lambda hit: (-hit[1], hit[0]))[:5]
        for query in vectors[::300]
        for exact in [cosines(vectors, rows, query).tolist()] * 2
    ]
    assert before[1] == vectors[rows].tolist()
    assert shown()[1:] == before[1:]
    assert all(index.get(name) is not None for name in living)
