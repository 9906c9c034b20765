"""At most two sentences in so many tokens, whole ones where one fits."""

import pytest

from core.text.brevity import brief, is_brief, limit
from core.text.tokens import estimate


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "The ferry costs  42 euros. It leaves at nine. Pack now.",
            "The ferry costs 42 euros. It leaves at nine.",
        ),
        ("渡轮四十二欧元。九点开船。快收拾。", "渡轮四十二欧元。九点开船。"),
        ("Short one. " + "and a very long one of many words " * 20, "Short one."),
        ("", ""),
    ],
)
def test_the_first_sentences_that_fit_are_told(text: str, told: str) -> None:
    assert brief(text) == told


@pytest.mark.parametrize(
    "text", ["a sentence of far too many words " * 40, "很长的一句话没有句号" * 40, "x" * 5_000]
)
def test_a_sentence_that_is_too_long_is_cut_at_a_words_end_and_says_so(text: str) -> None:
    told = brief(text)

    assert told.endswith("…")
    assert text.startswith(told[:-1])
    assert limit(text) * 0.8 <= estimate(told) <= limit(text)
    if " " in text:
        assert told[:-1].split() == text.split()[: len(told.split())]


def test_what_stands_whole_has_two_sentences_at_most_and_few_tokens() -> None:
    assert is_brief("It costs 42 euros. It leaves at nine.")
    assert is_brief("渡轮四十二欧元。九点开船。")
    assert not is_brief("One. Two two. Three three.")
    assert not is_brief("many words " * 40)
