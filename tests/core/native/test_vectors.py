"""The native vectors module at its own door; what an index makes of it: `tests/core/bank/test_vector_index.py`."""

import os
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from core.native.vectors import Graph, cosines, fingerprints, scan

Vectors = NDArray[np.float32]


def units(count: int, dimension: int, seed: int = 1) -> Vectors:
    vectors = np.random.default_rng(seed).normal(size=(count, dimension))
    found: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return found


def linked(matrix: Vectors, m: int = 8, seed: int = 1) -> Graph:
    graph = Graph(matrix, np.arange(len(matrix)), m)
    assert graph.link(len(matrix), 60, seed) == len(matrix)
    return graph


def relinked(matrix: Vectors, m: int, links: dict[str, Any]) -> Graph:
    graph = Graph(matrix, links["rows"], m)
    graph.relink(links["levels"], links["ground"], links["upper"], int(links["entry"][0]))
    return graph


@pytest.mark.parametrize("dimension", [1, 7, 31, 64, 383, 384, 1_536])
def test_a_cosine_is_the_same_to_the_bit_wherever_its_row_lies(dimension: int) -> None:
    one, other = units(2, dimension)
    matrix = np.repeat(one[None], 50, axis=0)

    found = cosines(matrix, range(50), other)

    assert len(set(found.tolist())) == 1
    assert found[0] == pytest.approx(float(one.astype(np.float64) @ other.astype(np.float64)), abs=1e-7)
    assert scan(matrix, np.ones(50, np.bool_), other, 50, 0.0)[1] == found.tolist()
    assert linked(matrix).near(other, 5, 50)[1] == found[:5].tolist()


def test_a_scan_gives_the_nearest_living_rows_and_who_ties_with_the_last() -> None:
    matrix = units(400, 24)
    matrix[[3, 50, 300]] = matrix[7]
    living = np.ones(390, np.bool_)
    living[[50, 60]] = False

    rows, found = scan(matrix, living, matrix[7], 2, 1e-6)

    assert sorted(rows) == [3, 7, 300]
    assert found == cosines(matrix, rows, matrix[7]).tolist()


@pytest.mark.parametrize("dimension", [3, 64, 100, 384])
def test_a_graph_finds_what_a_scan_finds(dimension: int) -> None:
    matrix, questions = units(1_500, dimension), units(50, dimension, seed=2)
    graph = linked(matrix, m=16)

    found = graph.found(questions, 10, 400)

    exact = np.sort(questions.astype(np.float64) @ matrix.T.astype(np.float64), axis=1)[:, :-11:-1]
    assert graph.nearest(questions, 10) == pytest.approx(exact, abs=1e-6)
    assert np.mean(found >= graph.nearest(questions, 10)[:, -1:]) > 0.99
    assert graph.near(questions[0], 10, 400)[1] == found[0].tolist()


def test_a_dimension_that_outweighs_all_others_hides_nothing_from_a_wide_enough_search() -> None:
    rng = np.random.default_rng(3)
    vectors = (rng.normal(size=(2_050, 24)) @ rng.normal(size=(24, 96))).astype(np.float32)
    vectors[:, 5] *= 30.0
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    matrix, questions = vectors[:2_000].copy(), vectors[2_000:].copy()
    graph = linked(matrix, m=16)

    found = graph.found(questions, 10, 400)

    assert np.mean(found >= graph.nearest(questions, 10)[:, -1:]) > 0.99


def test_the_deleted_are_found_no_more_and_still_lead_to_others() -> None:
    matrix = units(600, 16)
    graph = linked(matrix)
    gone = [row for row in range(600) if row % 6]

    assert all(graph.mark_deleted(row) for row in gone)

    assert not graph.mark_deleted(gone[0])
    rows, _ = graph.near(matrix[1], 100, 100)
    assert sorted(rows) == list(range(0, 600, 6))


@pytest.mark.skipif(sys.platform != "linux", reason="threads have a priority of their own on Linux alone")
def test_a_build_leaves_the_processors_to_others_and_its_caller_what_it_was() -> None:
    graph = Graph(units(1_500, 64), np.arange(1_500), 16)
    own = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    after: list[int] = []

    def build() -> None:
        graph.link(1_500, 200, 1)
        after.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))

    building = threading.Thread(target=build)
    building.start()
    seen: set[int] = set()
    while building.is_alive():
        seen |= {priority_of(task) for task in Path("/proc/self/task").iterdir()}
    building.join()

    assert max(seen) > own
    assert after == [own]


def priority_of(task: Path) -> int:
    try:
        return os.getpriority(os.PRIO_PROCESS, int(task.name))
    except ProcessLookupError:  # it has just ended
        return 0


def test_a_graph_that_goes_on_leaves_the_one_before_as_it_was() -> None:
    matrix, questions = units(900, 24), units(40, 24, seed=2)
    graph = linked(matrix[:500].copy())
    before = [graph.near(question, 5, 30) for question in questions]
    graph.mark_deleted(7)

    longer = graph.extended(matrix, np.arange(500, 900))

    assert longer.link(1_000, 60, 1) == len(longer) == 900
    assert np.mean(longer.found(questions, 10, 200) >= longer.nearest(questions, 10)[:, -1:]) > 0.99
    assert longer.near(matrix[7], 1, 60)[0] == [7]
    assert [
        graph.near(q, 5, 30) for q, (rows, _) in zip(questions, before, strict=True) if 7 not in rows
    ] == [found for found in before if 7 not in found[0]]
    with pytest.raises(ValueError, match="dimension"):
        graph.extended(units(900, 23), np.arange(500, 900))
    with pytest.raises(IndexError):
        graph.extended(matrix[:100].copy(), np.arange(50, 100))


def test_the_same_seed_makes_the_same_graph() -> None:
    matrix = units(500, 16)

    one, same, other = (linked(matrix, seed=seed).links() for seed in (1, 1, 2))

    assert all(np.array_equal(one[name], same[name]) for name in one)
    assert not np.array_equal(one["levels"], other["levels"])


def test_a_graph_that_was_written_down_finds_the_same() -> None:
    matrix, questions = units(500, 16), units(20, 16, seed=2)
    graph = linked(matrix)

    again = relinked(matrix, 8, graph.links())

    assert [again.near(q, 5, 20) for q in questions] == [graph.near(q, 5, 20) for q in questions]


def test_links_lead_to_nodes_of_any_number() -> None:
    count, m = 70_000, 2
    written = np.random.default_rng(4).integers(count, size=(count, 1 + 2 * m), dtype=np.uint32)
    written[:, 0] %= 2 * m + 1
    written[:, 1:] *= np.arange(2 * m) < written[:, :1]
    levels, none = np.zeros(count, np.uint8), np.empty(0, np.uint32)
    graph = Graph(units(count, 2), np.arange(count), m)

    graph.relink(levels, written.reshape(-1), none, count - 1)

    assert np.array_equal(graph.links()["ground"].reshape(written.shape), written)


def test_a_graph_whose_links_were_refused_has_none() -> None:
    matrix = units(300, 8)
    graph, links = Graph(matrix, np.arange(300), 4), linked(matrix, m=4).links()
    links["upper"][-4:] = 299

    with pytest.raises(ValueError, match="link"):
        graph.relink(links["levels"], links["ground"], links["upper"], 0)

    assert graph.near(matrix[0], 5, 20) == ([], [])
    assert len(graph.links()["upper"]) == 0


@pytest.mark.parametrize("number", [np.nan, np.inf, 3e38])
def test_a_row_that_is_no_number_is_refused(number: float) -> None:
    matrix = units(30, 8)
    matrix[7, 3] = number

    with pytest.raises(ValueError, match="finite"):
        Graph(matrix, np.arange(30), 8)
    with pytest.raises(ValueError, match="finite"):
        linked(matrix[:7].copy()).extended(matrix, np.arange(7, 30))


def test_as_many_are_found_as_by_hnswlib_itself() -> None:
    theirs = 0.9815  # hnswlib 0.8.0's own package, over these floats: M 16, ef 100 and 60, one thread, seed 1
    matrix, questions = units(5_000, 32), units(200, 32, seed=2)
    graph = Graph(matrix, np.arange(len(matrix)), 16)

    graph.link(len(matrix), 100, 1)

    bars = graph.nearest(questions, 10)[:, -1:]
    assert np.mean(graph.found(questions, 10, 60) >= bars) >= theirs - 0.005


@pytest.mark.parametrize("name", ["ground", "upper", "levels"])
def test_links_that_no_graph_can_have_are_refused(name: str) -> None:
    matrix = units(300, 8)
    links = linked(matrix, m=4).links()
    rng = np.random.default_rng(3)
    refused = 0
    for _ in range(300):
        harmed = links | {name: links[name].copy()}
        places = rng.integers(len(harmed[name]), size=3)
        harmed[name][places] = rng.integers(1 << (8 * harmed[name].itemsize), size=3, dtype=np.uint64)
        try:
            relinked(matrix, 4, harmed).near(matrix[0], 5, 20)
        except ValueError:
            refused += 1

    assert refused > 200

    for short in (links | {name: links[name][:-1]}, links | {"entry": np.array([300])}):
        with pytest.raises(ValueError, match="another graph"):
            relinked(matrix, 4, short)


def test_what_cannot_be_is_an_error_and_not_a_crash() -> None:
    matrix = units(20, 8)
    graph = linked(matrix)

    with pytest.raises(ValueError, match="dimension"):
        graph.near(units(1, 9)[0], 5, 20)
    with pytest.raises(ValueError, match="ef"):
        graph.near(matrix[0], 5, 4)
    with pytest.raises(IndexError):
        graph.mark_deleted(20)
    with pytest.raises(IndexError):
        cosines(matrix, [20], matrix[0])
    with pytest.raises(IndexError):
        Graph(matrix, np.array([0, -1]), 8)
    with pytest.raises(ValueError, match="m is"):
        Graph(matrix, np.arange(20), 1)
    with pytest.raises(ValueError, match="marks"):
        scan(matrix, np.ones(21, np.bool_), matrix[0], 3, 0.0)
    with pytest.raises(ValueError, match="linked"):
        Graph(matrix, np.arange(20), 8).mark_deleted(3)
    assert graph.near(np.full(8, np.nan, np.float32), 3, 20)[0] != []
    assert Graph(matrix[:0], np.empty(0, np.int64), 8).near(matrix[0], 3, 20) == ([], [])


def test_a_fingerprint_depends_on_every_bit_of_a_row() -> None:
    matrix = np.repeat(units(1, 16), 17, axis=0)
    matrix.view(np.uint32)[np.arange(16), np.arange(16)] ^= 1
    factors = np.random.default_rng(1).integers(1, 1 << 63, size=16, dtype=np.uint64)

    found = fingerprints(matrix, factors)

    assert len(set(found.tolist())) == 17
    assert found[16] == (matrix[16].view(np.uint32) * factors).sum(dtype=np.uint64)
