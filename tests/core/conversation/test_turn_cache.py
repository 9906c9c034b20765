"""Turns that are cached for prompts."""

from dataclasses import replace
from sys import getsizeof

import pytest

from core.aggregate.parts import numbered
from core.context.turns import shown_of
from core.conversation.steps import TurnDrop
from core.conversation.turn_cache import LARGEST, MOST_BYTES, TURN_BYTES, TurnCache
from core.conversation.turn_rows import TurnRows
from tests.support.conversations import Talk, turn


def rows_of(count: int, text: str = "The ferry leaves at nine.") -> TurnRows:
    rows = TurnRows()
    for step in range(1, count + 1):
        rows[numbered(step)] = turn(step, text)
    return rows


def test_a_turn_is_read_once_and_is_the_one_that_was_put() -> None:
    rows = rows_of(3)
    cache = TurnCache(rows)

    first, again = cache.turn(2), cache.turn(2)

    assert first is again
    assert first == rows[numbered(2)]


def test_what_is_dropped_is_read_again_and_leaves_nothing() -> None:
    rows = rows_of(1)
    cache = TurnCache(rows)
    cache.turn(1)
    rows[numbered(1)] = changed = replace(rows[numbered(1)], input="It leaves at ten.")

    cache.drop(1)

    assert cache.size == 0
    assert cache.turn(1) == changed


def test_the_cache_is_bounded_and_what_was_read_first_goes_first() -> None:
    cache = TurnCache(rows_of(1_200, "word " * 40))

    read = [cache.turn(step) for step in range(1, 1_201)]

    assert (
        MOST_BYTES - 4 * TURN_BYTES < cache.size <= MOST_BYTES
    )  # a turn of some 200 characters, several times
    assert cache.turn(1_200) is read[-1]
    assert cache.turn(1) is not read[0]


def test_a_turn_larger_than_the_cache_is_read_all_the_same() -> None:
    rows = rows_of(1, "word " * MOST_BYTES)
    cache = TurnCache(rows)

    assert cache.turn(1) == rows[numbered(1)]
    assert cache.size == 0


def test_a_large_turn_pushes_out_no_others() -> None:
    rows = rows_of(2)
    rows[numbered(3)] = turn(3, "word " * (LARGEST // 5))
    cache = TurnCache(rows)
    kept = [cache.turn(1), cache.turn(2)]
    size = cache.size

    assert cache.turn(3) == rows[numbered(3)]
    assert cache.size == size
    assert [cache.turn(1), cache.turn(2)] == kept


@pytest.mark.parametrize(
    "line",
    ["The ferry to Naxos leaves the old harbour at nine.", "渡轮九点从旧港开往纳克索斯岛。" * 3, "⛴️🏝️" * 20],
)
def test_what_is_counted_covers_all_texts_that_are_kept_of_a_turn_of_several_lines(line: str) -> None:
    cache = TurnCache(rows_of(1, "\n".join([line] * 20)))
    cached = cache.turn(1)

    shown = shown_of(cached)
    texts = (cached.input, cached.reply, shown.input, shown.reply)
    taken = {id(text): getsizeof(text) for text in texts}

    assert sum(taken.values()) <= cache.size


def test_of_a_conversation_a_turn_leaves_the_cache_when_it_is_deleted_and_all_do_when_it_rests() -> None:
    talk = Talk()
    talk.say(turn(1, "The ferry leaves at nine."), turn(2, "It was late."))
    talk.embed()
    conversation = talk.conversation
    deleted, left = conversation.cached_turn(1), conversation.cached_turn(2)

    talk.change(TurnDrop(step=1))
    with pytest.raises(KeyError):
        conversation.cached_turn(deleted.step)
    assert conversation.cached_turn(2) is left

    conversation.rest()
    conversation.wake(conversation.made_again())
    assert conversation.cached_turn(2) is not left
    assert conversation.cached_turn(2) == left
