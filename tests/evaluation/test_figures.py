"""What rankings are worth: by hand, and again from the same seed."""

import pytest

from evaluation.asking import outcome
from evaluation.figures import Outcome, figures, gain
from evaluation.sets import Question


def asked(*evidence: str, negatives: tuple[str, ...] = ()) -> Question:
    return Question(
        question_id="q",
        text="?",
        category="c",
        evidence=frozenset(evidence),
        hard_negatives=frozenset(negatives),
    )


def hits(*names: str) -> list[frozenset[str]]:
    """Messages behind each hit: `a+b` is one hit for two."""
    return [frozenset(name.split("+")) for name in names]


def test_a_message_counts_where_it_first_came() -> None:
    found = outcome(asked("b", "c", "z"), hits("a", "b+c", "b"))

    assert found.ranks == (2, 2)
    assert found.recall(5) == pytest.approx(2 / 3)
    assert (found.reciprocal_rank, found.hit(1), found.hit(2)) == (0.5, 0.0, 1.0)
    assert found.breadth == pytest.approx(4 / 3)


def test_a_hard_negative_is_first_when_it_comes_before_all_evidence() -> None:
    question = asked("a", negatives=("n",))

    assert outcome(question, hits("n", "a")).negative_first is True
    assert outcome(question, hits("a", "n")).negative_first is False
    assert outcome(question, hits("n")).negative_first is True
    assert outcome(question, hits("x")).negative_first is False
    assert outcome(asked("a"), hits("x")).negative_first is None


def test_figures_are_means_with_an_interval_that_the_seed_fixes() -> None:
    outcomes = [
        Outcome(ranks=(1,), needed=1),
        Outcome(ranks=(8,), needed=2),
        Outcome(ranks=(), needed=1),
    ] * 20

    found = figures(outcomes, seed=7)

    assert found.recall == pytest.approx((1 / 3, 0.5, 0.5))
    assert found.mrr == pytest.approx((1 + 1 / 8) / 3)
    assert found.hit10 == pytest.approx(2 / 3)
    assert found.recall10.low < 0.5 < found.recall10.high
    assert found == figures(outcomes, seed=7)
    assert found.recall10 != figures(outcomes, seed=8).recall10


def test_a_gain_is_paired_by_question() -> None:
    better = [Outcome(ranks=(1,), needed=1)] * 5
    worse = [Outcome(ranks=(), needed=1)] * 5

    assert gain(better, worse, seed=1).low == 1.0
    assert gain(better, better, seed=1).high == 0.0
