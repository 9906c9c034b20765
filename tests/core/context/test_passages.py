"""The part of a long passage that fits a query."""

import pytest

from core.context.passages import LONGEST, fitting_part, longest_in
from core.text.tokens import estimate


@pytest.mark.parametrize(
    ("filler", "telling", "words"),
    [
        ("We ate fish again and again. ", "The ferry to Naxos leaves at nine.", {"ferri": 2.0, "naxo": 3.0}),
        ("我们又吃了一次鱼。", "去纳克索斯的渡船九点开。", {"渡船": 2.0, "九点": 1.0}),
    ],
)
def test_a_long_passage_is_cut_to_the_run_of_sentences_that_fits(
    filler: str, telling: str, words: dict[str, float]
) -> None:
    text = filler * 30 + telling + filler * 30

    cut = fitting_part(text, words, LONGEST)

    assert telling in cut
    assert cut.strip("… ") in text
    assert estimate(cut) <= LONGEST + 5
    assert fitting_part(telling, words, LONGEST) is telling


def test_a_run_that_begins_with_a_pronoun_comes_with_the_sentence_before() -> None:
    text = (
        "We ate. " * 60
        + "The ferry is called Olive. It leaves from the northern pier at nine o'clock sharp. "
        + "We ate. " * 60
    )

    cut = fitting_part(text, {"northern": 3.0, "sharp": 2.0}, 24)

    assert "The ferry is called Olive. It leaves" in cut


def test_what_fits_best_is_cut_later() -> None:
    assert longest_in(500, 0) == 2 * LONGEST
    assert longest_in(500, 50) == LONGEST
    assert longest_in(16_000, 50) == 1_600


@pytest.mark.parametrize("blank", ["\n", "\u3000", "\x85"], ids=["line breaks", "wide spaces", "next lines"])
def test_of_a_blank_text_nothing_is_shown_however_long_it_is(blank: str) -> None:
    assert fitting_part(blank * 10_000, {}, LONGEST) == ""
