from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.index.scoring import (
    Mode,
    ScoredCandidate,
    attribute_scores,
    effective_alpha,
    embedding_scores,
    fused,
    in_order,
    leading,
    mixed,
    scaled,
    shares,
)

DAY_0 = datetime(2024, 5, 1, tzinfo=UTC)


def scored(key: str, score: float) -> ScoredCandidate[str]:
    return ScoredCandidate(key=key, score=score, attribute_score=score, embedding_score=score)


def test_a_hybrid_score_is_alpha_attribute_and_the_rest_embedding() -> None:
    hits = mixed(["a", "b"], [1.0, 0.5], [0.0, 0.8], alpha=0.25)

    assert [hit.key for hit in hits] == ["b", "a"]
    assert [hit.score for hit in hits] == pytest.approx([0.725, 0.25])
    assert (hits[0].attribute_score, hits[0].embedding_score) == (0.5, 0.8)


def test_of_the_best_so_many_are_mixed_and_all_that_tie_with_the_last_of_them() -> None:
    sides = [0.5, 0.2, 0.9, 0.5, 0.1]

    found = [[hit.key for hit in mixed([*"abcde"], sides, sides, 0.5, k)] for k in (1, 2, 4, 9)]

    assert found == [["c"], ["c", "a", "d"], ["c", "a", "d", "b"], ["c", "a", "d", "b", "e"]]


def test_the_best_document_of_the_query_has_attribute_score_one() -> None:
    assert attribute_scores(np.array([2.0, 8.0, 0.0]), best=8.0).tolist() == [0.25, 1.0, 0.0]


def test_a_query_that_matches_nothing_scores_zero_rather_than_not_at_all() -> None:
    assert attribute_scores(np.array([0.0, 0.0]), best=0.0).tolist() == [0.0, 0.0]


def test_cosines_are_stretched_over_the_spaces_calibrated_scale() -> None:
    cosines = np.array([-1.0, 0.7, 0.85, 1.0], dtype=np.float32)

    assert embedding_scores(cosines, floor=0.7, ceiling=1.0) == pytest.approx([0.0, 0.0, 0.5, 1.0], abs=1e-6)


@given(
    st.lists(st.tuples(st.floats(0.0, 20.0), st.floats(-1.0, 1.0, width=32)), max_size=40),
    st.floats(-0.5, 0.5),
    st.floats(0.6, 1.0),
    st.just(0.0) | st.floats(0.01, 20.0),
    st.floats(0.0, 1.0),
)
def test_candidates_score_as_the_formula_is_written_down_to_the_bit(
    sides: list[tuple[float, float]], floor: float, ceiling: float, best: float, alpha: float
) -> None:
    bm25, cosines = [side[0] for side in sides], [side[1] for side in sides]
    by_words = attribute_scores(np.array(bm25), best)
    by_meaning = embedding_scores(np.array(cosines, dtype=np.float32), floor, ceiling)
    scores = alpha * by_words + (1.0 - alpha) * by_meaning

    found = mixed(range(len(sides)), shares(bm25, best), scaled(cosines, floor, ceiling), alpha)

    written = zip(range(len(sides)), scores.tolist(), by_words.tolist(), by_meaning.tolist(), strict=True)
    assert [hit[:4] for hit in found] == sorted(written, key=lambda each: -each[1])


@pytest.mark.parametrize(
    ("mode", "has_terms", "has_vector", "expected"),
    [
        (Mode.HYBRID, True, True, 0.3),
        (Mode.HYBRID, True, False, 1.0),
        (Mode.HYBRID, False, True, 0.0),
        (Mode.HYBRID, False, False, None),
        (Mode.ATTRIBUTE, True, True, 1.0),
        (Mode.ATTRIBUTE, False, True, None),
        (Mode.EMBEDDING, True, True, 0.0),
        (Mode.EMBEDDING, True, False, None),
    ],
)
def test_a_query_with_one_side_uses_that_side_alone(
    mode: Mode, has_terms: bool, has_vector: bool, expected: float | None
) -> None:
    assert effective_alpha(mode, 0.3, has_terms=has_terms, has_vector=has_vector) == expected


def test_ties_go_to_the_newer_and_then_to_the_id() -> None:
    times = {"a": DAY_0, "b": DAY_0 + timedelta(days=1), "c": DAY_0, "d": DAY_0}

    hits = in_order(
        [scored("d", 0.5), scored("c", 0.5), scored("b", 0.5), scored("a", 0.6)], times.__getitem__
    )

    assert [hit.key for hit in hits] == ["a", "b", "c", "d"]


def test_what_scores_too_little_is_left_out_and_k_bounds_the_rest() -> None:
    hits = in_order(
        [scored("a", 0.2), scored("b", 0.4), scored("c", 0.6), scored("d", 0.8)],
        lambda _: DAY_0,
        k=2,
        min_score=0.4,
    )

    assert [hit.key for hit in hits] == ["d", "c"]


def test_reciprocal_ranks_add_up_over_the_rankings() -> None:
    scores = fused([["a", "b"], ["b", "c"]])

    assert scores == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 62})


@given(
    st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.5, 1.0, -np.inf]), max_size=60).map(np.array),
    st.integers(0, 70),
    st.sets(st.integers(0, 59)),
    st.booleans(),
    st.sampled_from([-np.inf, 0.0, 0.3]),
)
def test_leading_holds_the_best_and_all_that_tie_with_the_last(
    scores: np.ndarray[tuple[int], np.dtype[np.float64]],
    k: int,
    banned: set[int],
    filtered: bool,
    above: float,
) -> None:
    allowed = (lambda position: position not in banned) if filtered else None
    admitted = [p for p in range(len(scores)) if scores[p] > above and not (filtered and p in banned)]
    bar = sorted((scores[p] for p in admitted), reverse=True)[:k][-1:] or [np.inf]

    found = leading(np.asarray(scores, dtype=np.float64), k, allowed, above=above)

    if k == 0:
        assert found == []
    else:
        assert set(found) >= {p for p in admitted if scores[p] >= bar[0]}
        assert set(found) <= set(admitted)


def test_of_many_scores_just_the_best_and_their_ties_lead() -> None:
    scores = np.random.default_rng(3).integers(0, 2_000, 20_000).astype(np.float64)

    found = leading(scores, 50, above=0.0)

    bar = np.sort(scores)[-50]
    assert found == np.flatnonzero(scores >= bar).tolist()
