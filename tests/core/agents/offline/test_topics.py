import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from core.agents.offline.topics import Layout, group

RANDOM = np.random.default_rng(7)
AXES = np.linalg.qr(RANDOM.normal(size=(64, 64)))[0]


def pieces(*topics: int) -> NDArray[np.float32]:
    """One unit vector per piece, near the axis of its topic."""
    rows = AXES[list(topics)] + 0.05 * RANDOM.normal(size=(len(topics), 64))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def grouped(vectors: NDArray[np.float32], sections: list[int] | None = None) -> list[list[int]]:
    count = len(vectors)
    layout = Layout(sections=sections or [0] * count, weights=[1.0] * count)
    return group(vectors, layout, floor=0.0, ceiling=1.0, topic=0.35)


def test_a_text_is_cut_where_its_topic_changes() -> None:
    assert grouped(pieces(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2)) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10]]


def test_a_topic_that_comes_back_is_one() -> None:
    assert grouped(pieces(*[0] * 5, *[1] * 5, *[0] * 5)) == [[*range(5), *range(10, 15)], [*range(5, 10)]]


def test_one_topic_is_one_cluster_and_one_piece_too() -> None:
    assert grouped(pieces(*[3] * 9)) == [list(range(9))]
    assert grouped(pieces(3)) == [[0]]
    assert grouped(np.zeros((0, 64), dtype=np.float32)) == []


def test_a_section_holds_together_what_is_alike_by_half() -> None:
    mixed = pieces(0, 1, 0, 1) + pieces(2, 2, 2, 2)
    halves = np.asarray(mixed / np.linalg.norm(mixed, axis=1, keepdims=True), dtype=np.float32)
    vectors = np.vstack([halves, pieces(5, 5, 5)])

    assert grouped(vectors, [0, 0, 0, 0, 1, 1, 1]) == [[0, 1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize("count", [60, 200])
def test_a_topic_longer_than_a_stretch_is_still_one(count: int) -> None:
    found = grouped(pieces(*[0] * count, *[1] * count))

    assert found == [list(range(count)), list(range(count, 2 * count))]


@given(
    arrays.arrays(np.float32, st.tuples(st.integers(1, 30), st.just(4)), elements=st.floats(-1, 1, width=32))
)
def test_every_piece_is_in_exactly_one_group_whatever_the_vectors(rows: NDArray[np.float32]) -> None:
    found = grouped(rows)

    assert sorted(index for members in found for index in members) == list(range(len(rows)))
    assert found == sorted(map(sorted, found))
