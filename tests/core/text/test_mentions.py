"""Where a name stands, and a text without the sentences that hold it."""

import pytest

from core.text.mentions import COVER, Mentions, says_something

TEXTS = (
    ("Bob came. We ate. He left.", "█████████ We ate. He left."),
    ("We met bob   MILLER today, at noon. It rained.", f"{COVER * 35} It rained."),
    ("Bobby and a kebob stayed.", "Bobby and a kebob stayed."),
    ("Dr. Bob Miller's dog barks! 好。", f"{COVER * 27} 好。"),
    ("昨天我见了李雷。天气很好。", "████████天气很好。"),
    ("ask Bob\nabout it", f"{COVER * 7}\nabout it"),
    ("", ""),
)


@pytest.mark.parametrize(("text", "left"), TEXTS)
def test_sentences_that_hold_a_name_are_overwritten_and_nothing_moves(text: str, left: str) -> None:
    covered = Mentions(["Bob", "Bob Miller", "李雷"]).covered(text)

    assert covered == left
    assert len(covered) == len(text)


def test_a_name_across_what_looks_like_two_sentences_is_overwritten_as_a_whole() -> None:
    mentions = Mentions(["J. R. Smith"])
    text = "It was J. R. Smith. Nobody else."

    assert not mentions.are_in(mentions.covered(text))
    assert mentions.covered(text).endswith("Nobody else.")


def test_what_is_covered_says_nothing_and_labels_that_hold_a_name_are_left_out() -> None:
    mentions = Mentions(["Bob"])

    assert not says_something(mentions.covered("Bob!"))
    assert mentions.left_out({"who": "bob", "Bob": "1", "mood": "good"}) == {"mood": "good"}
