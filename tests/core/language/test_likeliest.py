"""Viterbi's algorithm over arrays, beside the same in dictionaries: jieba's own."""

import random
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.language.zh.likeliest import Model

STATES = [(place, kind) for place in "BMES" for kind in "nv"]
CHANCES = st.sampled_from([-1.0, -2.0, -2.5, -3.14e100])  # few, so that ways are equally likely


@cache
def tables_of_jieba() -> tuple[Any, ...]:
    """Read here: it takes half a second, which no other test is to wait for."""
    from jieba import posseg

    return posseg.char_state_tab_P, posseg.start_P, posseg.trans_P, posseg.emit_P


def viterbi(symbols: str, *tables: Any) -> Any:
    from jieba.posseg.viterbi import viterbi as of_jieba

    return of_jieba(symbols, *tables)


def test_characters_have_the_kinds_that_jieba_finds() -> None:
    states = tables_of_jieba()[0]
    chance, known = random.Random(3), sorted(states)
    rare = [chr(code) for code in range(0x4E00, 0x9FD6) if chr(code) not in states]
    runs = [
        "".join(chance.choice(rare if chance.random() < 0.04 else known) for _ in range(chance.randint(1, 9)))
        for _ in range(400)
    ]
    model = Model(*tables_of_jieba())

    assert [model.course(run) for run in runs] == [viterbi(run, *tables_of_jieba())[1] for run in runs]


@st.composite
def tables(draw: st.DrawFn) -> tuple[Any, ...]:
    """A model in which some symbols cannot come where they come, and some states lead nowhere."""
    some = st.lists(st.sampled_from(STATES), min_size=1, unique=True)
    possible = draw(st.dictionaries(st.sampled_from("abc"), some.map(tuple)))
    first = {state: draw(CHANCES) for state in STATES}
    moves = {state: draw(st.dictionaries(st.sampled_from(STATES), CHANCES, max_size=3)) for state in STATES}
    shows = {state: draw(st.dictionaries(st.sampled_from("abcd"), CHANCES)) for state in STATES}
    return possible, first, moves, shows


@pytest.mark.slow
@given(tables(), st.text("abcd", min_size=1, max_size=6))
def test_any_model_gives_the_course_found_state_by_state(made: tuple[Any, ...], symbols: str) -> None:
    try:
        expected = viterbi(symbols, *made)[1]
    except ValueError:  # nothing leads on, of which it knows no way out
        assert len(Model(*made).course(symbols)) == len(symbols)
        return

    assert Model(*made).course(symbols) == expected


def test_nothing_has_no_course() -> None:
    assert Model(*tables_of_jieba()).course("") == []
