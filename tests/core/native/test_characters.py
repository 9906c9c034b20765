"""Texts weighed character by character."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.native.characters import Scale

SCALE = Scale(letter=1, word=100, mark=10_000, wide=1_000_000, astral=100_000_000)


def counted(text: str) -> int:
    """The same in plain words."""
    spelled = re.sub(r"[^\x00-\x7f]", "", text)
    letters = len(re.findall("[A-Za-z]", spelled))
    marks = len(re.findall(r"[^A-Za-z \t]", spelled))
    astral = sum(character > "\uffff" for character in text)
    wide = len(text) - len(spelled) - astral
    words = len(re.findall("[A-Za-z]+", spelled))
    return letters + 100 * words + 10_000 * marks + 1_000_000 * wide + 100_000_000 * astral


@given(st.text(st.sampled_from("aZ@[`{ \t\n\x00\x7f1é中👍\ud800"), max_size=80) | st.text(max_size=40))
def test_each_kind_of_character_counts_as_it_was_told(text: str) -> None:
    assert SCALE.weight(text) == counted(text)


@pytest.mark.parametrize("text", ["", "a", " a", "a b" * 1000, "ab中cd", "é", "中", "👍"])
def test_strings_of_every_width_are_weighed(text: str) -> None:
    assert SCALE.weight(text) == counted(text)


def test_bytes_are_no_text() -> None:
    with pytest.raises(TypeError):
        SCALE.weight(b"cat")  # type: ignore[arg-type]
