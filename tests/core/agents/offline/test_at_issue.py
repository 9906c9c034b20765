"""The point at issue: both sentences, with the words marked in which they differ."""

import pytest

from core.agents.offline.at_issue import LONGEST, at_issue


@pytest.mark.parametrize(
    ("ours", "theirs", "told"),
    [
        (
            "The ferry leaves at ten.",
            "The ferry leaves at nine.",
            "“The ferry leaves at [ten]” contradicts “The ferry leaves at [nine]”",
        ),
        (
            "Ann does not eat meat.",
            "Ann eats meat.",
            "“Ann [does not eat] meat” contradicts “Ann [eats] meat”",
        ),
        ("容量是40人。", "容量是12人。", "“容量是[40]人”与“容量是[12]人”矛盾"),
    ],
)
def test_the_words_that_differ_are_marked(ours: str, theirs: str, told: str) -> None:
    assert at_issue(ours, theirs) == told


def test_of_a_long_sentence_what_is_around_the_first_difference_is_shown() -> None:
    ahead, behind = "word " * 100, " more" * 100

    told = at_issue(f"{ahead}ten{behind}", f"{ahead}nine{behind}")

    assert "[ten]" in told
    assert "[nine]" in told
    assert len(told) < 3 * LONGEST
