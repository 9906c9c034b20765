"""Text as a reader takes it, whatever it is spelled with."""

import re

import pytest

from core.text.folding import folded, is_disguised, places

ASSIGNED = [*range(0x80, 0x20000), *range(0xE0000, 0xE1000)]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Agent Memory", "agent memory"),
        ("ａｇｅｎｔ＿ｍｅｍｏｒｙ＞", "agent_memory>"),
        ("a\u200bg\u00ade\ufe0fn\u2060t", "agent"),
        ("𝐚𝕘ⓔⁿₜ", "agent"),
        ("\u3164ﬁre", "fire"),
        ("工具：甲", "工具:甲"),
        ("a\u2028b\x85c", "a\u2028b\x85c"),
    ],
)
def test_text_is_folded_to_what_it_says(text: str, plain: str) -> None:
    assert folded(text) == plain


def test_a_place_in_the_folded_text_is_one_in_the_text() -> None:
    text = "\u200bﬁ\u00ad<㎏x"

    at = [folded(text).index(each) for each in "f<kx"]

    assert [text[place] for place in places(text, at)] == ["ﬁ", "<", "㎏", "x"]


def test_whatever_folds_to_ascii_or_to_nothing_is_disguised() -> None:
    """Over all characters but those of the planes for Han alone: who adds a range forgets none."""
    missed = [
        hex(code)
        for code in ASSIGNED
        if (plain := folded(chr(code))) != chr(code).lower() and (not plain or re.search("[a-z_<#]", plain))
        if not is_disguised(chr(code)) and len(chr(code).lower()) == 1
    ]

    assert missed == []


def test_everyday_text_is_not_disguised() -> None:
    assert not any(
        map(
            is_disguised,
            ["plain", "“Größe” — naïve…", "当前输入，以下（摘要）。", "日本語のテキスト", "Привет 🦊"],
        )
    )
