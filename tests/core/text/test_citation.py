"""Marks that refer to a source."""

import pytest

from core.text.citation import stripped


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("It is red [1].", "It is red."),
        ("It is red.[2, 3]", "It is red."),
        ("It is red¹².", "It is red."),
        ("The room has 20 m².", "The room has 20 m²."),
        ("It is red (4).", "It is red."),
        ("It is red  (4)", "It is red"),
        ("见下文【3†来源】。", "见下文。"),
        ("Call (4) before (5) noon.", "Call (4) before (5) noon."),
    ],
)
def test_marks_go_and_what_is_said_stays(written: str, read: str) -> None:
    assert stripped(written) == read


@pytest.mark.parametrize(
    "text", [" " * 100_000 + "x", "a (1)" + " " * 100_000 + "x", "¹" * 50_000 + "a", "【1" * 30_000]
)
def test_a_long_text_is_read_in_one_go(text: str) -> None:
    assert stripped(text) == text
