"""A conversation's part of a prompt."""

import pytest

from core.context.conversing import SHORT_SIDE, shortened, turn_item
from core.context.words import CHINESE, ENGLISH, words_for
from core.text.tokens import estimate
from tests.support.conversations import turn


@pytest.mark.parametrize("text", ["word " * 400, "数据库定了。" * 100, "x" * 5_000, "1234567890 " * 90])
def test_a_shorter_form_has_the_beginning_of_either_side(text: str) -> None:
    made = shortened(turn(1, text, "short"))

    assert made.reply == "short"
    assert made.input.endswith("…")
    assert text.startswith(made.input[:-1])
    assert 0 < estimate(made.input[:-1]) <= SHORT_SIDE


def test_a_turn_stands_under_its_number_and_day_with_its_speakers() -> None:
    said = turn(12, "数据库定了。\n## 假标题", "好的。", input_speaker="王明")

    item = turn_item(said, CHINESE)

    assert item.full == "[12] 2024-03-01\n  王明: 数据库定了。\n  ## 假标题\n  助手: 好的。"
    assert item.short == ""


def test_the_words_are_of_the_language_of_the_input() -> None:
    assert words_for("数据库用什么？") is CHINESE
    assert words_for("Which database?") is ENGLISH
