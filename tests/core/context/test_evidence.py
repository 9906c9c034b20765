"""One ranking over the candidates of all sources."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from core.context.evidence import Candidate, Kind, Placement, Source, placed, said

START = datetime(2024, 5, 1, tzinfo=UTC)


def one(name: str, text: str, kind: Kind = Kind.PASSAGE, day: int = 0) -> Candidate:
    return Candidate(name, name, kind, START + timedelta(days=day), said(text), len(text))


def source(*found: tuple[Candidate, float]) -> Source:
    return Source(
        candidates=[candidate for candidate, _ in found],
        holds=np.zeros((len(found), 0), dtype=np.bool_),
        cosines=np.array([cosine for _, cosine in found]),
    )


def order(*sources: Source) -> list[str]:
    return list(placed(sources, ()).weights)


def test_a_source_keeps_its_own_order_and_the_measures_say_where_its_lines_stand() -> None:
    bank = source((one("b1", "The ferry leaves."), 0.1), (one("b2", "The pier is old."), 0.9))
    talk = source((one("t1", "Ann is here.", Kind.TURN), 0.5), (one("t2", "Bo left.", Kind.TURN), 0.05))

    assert order(bank, talk) == ["b1", "t1", "b2", "t2"]


def test_words_that_few_hold_count_more_than_those_that_many_hold() -> None:
    candidates = [one(f"c{number}", f"Text {number} of some length.") for number in range(4)]
    holds = np.array([[1, 0], [1, 0], [1, 0], [0, 1]], dtype=np.bool_)
    alone = [Source([c], holds[n : n + 1], np.array([np.nan])) for n, c in enumerate(candidates)]

    made = placed(alone, ("ferry", "naxos"))

    assert next(iter(made.weights)) == "c3"
    assert made.words["naxos"] > made.words["ferry"]


@pytest.mark.parametrize(
    ("passage", "turn"),
    [
        ("I adopted a cat called Marmalade.", "i adopted a cat called Marmalade!"),
        ("我上周从杭州搬到了苏州。", "我上周从杭州搬到了苏州！"),
    ],
)
def test_what_says_the_same_stands_once_with_the_rank_of_the_first_source_that_found_it(
    passage: str, turn: str
) -> None:
    bank = source((one("b1", passage), 0.8), (one("b2", "Something else altogether is said here."), 0.1))
    talk = source(
        (one("t0", "Another matter, told at length.", Kind.TURN), 0.5), (one("t1", turn, Kind.TURN), 0.2)
    )

    made = placed((bank, talk), ())

    assert list(made.weights) == ["t1", "t0", "b2"]
    assert made.weights["t1"] == pytest.approx(0.7 * 0.8)
    assert [copy.item_id for copy in made.copies["t1"]] == ["b1"]


def folded(first: Candidate, second: Candidate) -> Placement:
    return placed((source((first, 0.5)), source((second, 0.4))), ())


def test_what_says_more_does_not_fold_and_short_lines_are_alike_by_chance() -> None:
    longer = one("b", "I moved to Lisbon last May. My sister stayed in Porto.")
    shorter = one("t", "I moved to Lisbon last May.", Kind.TURN)

    assert list(folded(longer, shorter).weights) == ["b"]
    assert len(folded(longer, one("t", "I moved to Lisbon last May. No!", Kind.TURN)).weights) == 2
    assert len(folded(one("b", "Good idea."), one("t", "Good idea.", Kind.TURN)).weights) == 2


def test_a_fact_folds_into_the_turn_that_says_it_whatever_its_length_and_no_turn_into_a_fact() -> None:
    fact, turn = one("f", "I ski.", Kind.FACT), one("t", "I ski.", Kind.TURN)

    assert list(folded(fact, turn).weights) == ["t"]
    assert list(
        folded(
            one("f", "I ski in the Alps every winter.", Kind.FACT),
            one("t", "I ski in the Alps every winter.", Kind.TURN),
        ).weights
    ) == ["t"]


def test_what_is_a_side_of_a_quarrel_folds_into_the_pair_of_both() -> None:
    pair = Candidate("c", "c", Kind.PAIR, START, said("The ferry leaves at nine. It leaves at ten."), 0)

    assert list(folded(one("t", "It leaves at ten, and it is blue today.", Kind.TURN), pair).weights) == [
        "t",
        "c",
    ]
    assert list(folded(one("t", "The ferry leaves at nine.", Kind.TURN), pair).weights) == ["c"]


def test_what_two_people_say_in_the_same_words_stands_twice() -> None:
    ann, bo, none = (
        Candidate(name, name, kind, START, said("I never eat any meat at all.", speakers=(who,)), 28)
        for name, kind, who in (("a", Kind.PASSAGE, "Ann"), ("b", Kind.TURN, "Bo"), ("c", Kind.TURN, ""))
    )

    assert len(folded(ann, bo).weights) == 2
    assert list(folded(ann, none).weights) == ["c"]


def test_order_does_not_depend_on_the_order_in_which_equals_came() -> None:
    def made(names: Sequence[str]) -> list[str]:
        return order(*(source((one(n, f"Line {n} is unlike.", day=int(n[1])), 0.5)) for n in names))

    assert made(["a1", "a2", "a3"]) == made(["a3", "a1", "a2"]) == ["a3", "a2", "a1"]
