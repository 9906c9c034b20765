"""What the place of a segment says for it, component by component."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from core.verbatim.segment_order import ASKER, SITTING
from core.verbatim.structure import (
    ALIKE,
    COMPONENTS,
    PLAIN,
    Places,
    Structure,
    giving_way,
    repetition,
    shares,
)

DAY = 86_400.0
MAY = datetime(2023, 5, 1, tzinfo=UTC)
JUNE = datetime(2023, 6, 1, tzinfo=UTC)


def places(count: int, **changed: object) -> Places:
    """Places 10, 11, …, in one sitting of statements by nobody the query calls, in May."""
    return Places(
        **{
            "positions": np.arange(10, 10 + count),
            "sittings": np.zeros(count, np.intc),
            "asking": np.zeros(count, np.int8),
            "acknowledging": np.zeros(count, np.bool_),
            "told": np.zeros(count, np.bool_),
            "times": np.full(count, MAY.timestamp()),
            "topics": np.zeros(count),
            "voices": np.zeros(count, np.int8),
            "dated": np.zeros(count, np.int8),
            "quoting": np.zeros(count, np.bool_),
            "spoken_of": (),
            "asks_for_time": False,
        }
        | changed  # type: ignore[arg-type]
    )


def test_with_nothing_switched_on_the_score_is_the_plain_one() -> None:
    plain = np.array([0.25, 1.0])

    made = shares(plain, places(2), Structure())

    assert list(made) == [PLAIN]
    assert made[PLAIN].tolist() == [0.25, 1.0]


@pytest.mark.parametrize("component", COMPONENTS)
def test_a_score_stays_between_nought_and_one_and_is_what_its_shares_add_up_to(component: str) -> None:
    drawn = np.random.default_rng(3)
    where = places(
        50,
        sittings=np.repeat(np.arange(5, dtype=np.intc), 10),
        asking=drawn.integers(2, size=50).astype(np.int8),
        told=drawn.random(50) < 0.5,
        topics=drawn.random(50),
        spoken_of=((MAY, JUNE),),
    )

    weights: dict[str, Any] = {component: 0.5}

    made = shares(drawn.random(50), where, replace(Structure(), **weights))

    assert list(made) == [PLAIN, component]
    score = made[PLAIN] + made[component]
    assert score.min() >= 0.0
    assert score.max() <= 1.0
    assert all(share.min() >= 0.0 for share in made.values())


def test_neighbours_speak_for_a_segment_the_nearer_ones_twice_but_not_across_a_pause() -> None:
    plain = np.array([0.0, 0.9, 0.0, 0.0, 0.0])

    made = shares(plain, places(5, sittings=np.array([0, 0, 0, 0, 1], np.intc)), Structure(near=1.0))["near"]

    assert made.tolist() == pytest.approx([0.15, 0.0, 0.15, 0.075, 0.0])


@pytest.mark.parametrize("component", COMPONENTS)
def test_an_acknowledgement_has_nothing_of_its_place(component: str) -> None:
    plain = np.array([0.9, 0.2, 0.9])
    where = places(
        3,
        acknowledging=np.array([False, True, False]),
        told=np.ones(3, np.bool_),
        topics=np.ones(3),
        voices=np.full(3, ASKER, np.int8),
        quoting=np.ones(3, np.bool_),
        spoken_of=((MAY, JUNE),),
    )
    weights: dict[str, Any] = {component: 1.0}

    made = shares(plain, where, replace(Structure(), **weights))

    assert made[PLAIN].tolist() == [0.45, 0.1, 0.45]
    assert made[component][1] == 0.0
    assert made[component][0] > 0.0


def test_a_gap_between_the_places_that_are_looked_at_is_no_neighbourhood() -> None:
    where = places(3, positions=np.array([4, 5, 9]))

    made = shares(np.array([0.0, 0.6, 0.0]), where, Structure(near=1.0))["near"]

    assert made.tolist() == pytest.approx([0.1, 0.0, 0.0])


def test_what_answers_a_fitting_question_gains_and_the_question_itself_does_not() -> None:
    plain = np.array([0.9, 0.0, 0.0])

    made = shares(plain, places(3, asking=np.array([1, 0, 0], np.int8)), Structure(reply=1.0))["reply"]

    assert made.tolist() == pytest.approx([0.0, (1.8 + 1.0) / 6, 1.0 / 6])


def test_time_fades_out_around_what_the_query_speaks_of() -> None:
    times = np.array([MAY.timestamp() + offset * DAY for offset in (-5, -1, 0, 30, 33, 40)])

    made = shares(np.zeros(6), places(6, times=times, spoken_of=((MAY, JUNE),)), Structure(time=1.0))["time"]

    assert made.tolist() == pytest.approx([0.0, 0.375, 0.5, 0.5, 0.25, 0.0], abs=1e-4)


def test_only_what_says_nearly_the_same_as_a_better_hit_repeats_it() -> None:
    angles = np.array([0.0, 0.0, 0.2, 1.2])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    repeated = repetition(vectors).tolist()

    assert repeated == pytest.approx([0.0, 1.0, (np.cos(0.2) - 0.95) / 0.05, 0.0], abs=1e-5)


def test_repetition_is_the_same_among_few_and_many() -> None:
    vectors = np.random.default_rng(3).normal(size=(240, 16)).astype(np.float32)
    vectors[5], vectors[90] = vectors[2], vectors[40]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)

    few, many = repetition(vectors[:95]), repetition(vectors)

    assert few[[5, 90]] == pytest.approx([1.0, 1.0], abs=1e-4)
    assert many[:95] == pytest.approx(few, abs=1e-4)


def gave_way(scores: list[float], days: list[float], alike: float = 1.0, share: float = 0.4) -> list[float]:
    cosines = np.full((len(scores), len(scores)), alike)
    raised: list[float] = giving_way(np.array(scores), np.array(days) * 86_400.0, cosines, share).tolist()
    return raised


def test_of_two_that_are_alike_the_newer_is_given_the_score_of_the_older() -> None:
    assert gave_way([0.5, 0.4], [0, 1]) == [0.5, 0.5]
    assert gave_way([0.5, 0.4], [1, 0]) == [0.5, 0.4]
    assert gave_way([0.5, 0.4], [0, 1], alike=ALIKE - 0.01) == [0.5, 0.4]
    assert gave_way([0.5, 0.29], [0, 1]) == [0.5, 0.29]  # fits too badly
    assert gave_way([0.5, 0.4], [0, SITTING / 86_400.0]) == [0.5, 0.4]  # of one sitting
    assert gave_way([], []) == []


def test_an_older_one_gives_way_to_the_newest_alone() -> None:
    assert gave_way([0.5, 0.48, 0.45, 0.44], [0, 1, 3, 2]) == [0.5, 0.48, 0.5, 0.44]
