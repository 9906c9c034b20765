"""Nothing that a context surely shows as a turn stands in it a second time."""

from dataclasses import replace
from typing import Any

import pytest

from core.context.budget import Item, Section, Tier
from core.context.long_term import Known
from core.context.repeating import ShownTurns
from core.ids import ConversationId
from core.model.record import RecordState
from tests.support.conversations import turn
from tests.support.long_term import new

TALK = ConversationId("c1")
SHOWN = ShownTurns(
    TALK, [turn(3, "I live on Naxos. My cat is called Marmalade."), turn(4, "我住在杭州。", "好的。")]
)


def kept(content: str, **changed: Any) -> bool:
    """Whether a fact of the two turns still stands."""
    fact = new(content, **({"conversation_id": TALK, "steps": (3, 4)} | changed))
    return bool(SHOWN.new_of(Known(facts=[fact])).facts)


@pytest.mark.parametrize(
    "content", ["Ada: My cat is called Marmalade.", "I live on Naxos.", "用户：我住在杭州。"]
)
def test_a_fact_that_its_turn_says_word_for_word_stands_once(content: str) -> None:
    assert not kept(content)


def test_a_fact_that_tells_more_than_its_turn_or_rests_on_another_stays() -> None:
    assert kept("Ada: I live on Naxos. (2020)")
    assert kept("Ada lives on Naxos.")
    assert kept("I live on Naxos.", state=RecordState.CONTESTED)
    assert kept("I live on Naxos.", detail="In the old town.")
    assert kept("I live on Naxos.", steps=(7,))
    assert kept("I live on Naxos.", conversation_id=ConversationId("c2"))


def test_a_passage_that_a_turn_says_word_for_word_stands_once() -> None:
    quoted = Item(item_id="i#1", full="> My cat is called Marmalade.", quote="My cat is called Marmalade.")
    marked = replace(quoted, item_id="i#2", quote="")
    short = Item(item_id="i#3", full="> I live", quote="I live")
    section = Section(name="memories", title="Memories", items=(quoted, marked, short))

    assert SHOWN.new_in(section).items == (marked, short)
    assert SHOWN.new_in(replace(section, items=(marked,))).items == (marked,)


def test_a_passage_goes_where_a_turn_says_it_that_outlives_it() -> None:
    shown = ShownTurns(TALK, (), {"My cat is called Marmalade.": 0.75})
    quoted = Item(item_id="i#1", full="> My cat", quote="My cat is called Marmalade.")

    def left(weight: float, tier: Tier = Tier.FITTING) -> bool:
        item = replace(quoted, weight=weight, tier=tier)
        return bool(shown.new_in(Section(name="memories", title="Memories", items=(item,))).items)

    assert not left(0.5)
    assert left(0.75)
    assert left(0.5, Tier.NEEDED)


def test_a_memory_goes_with_all_that_was_said_under_it() -> None:
    items = [
        Item(item_id="n-1", full="- [n-1] A cat"),
        Item(item_id="i#1", full="> My cat", quote="My cat is called Marmalade.", under="n-1"),
        Item(item_id="n-2", full="- [n-2] A cat and a dog"),
        Item(item_id="i#2", full="> My cat", quote="My cat is called Marmalade.", under="n-2"),
        Item(item_id="i#3", full="> My dog", quote="My dog is called Olive.", under="n-2"),
        Item(item_id="n-3", full="- [n-3] Found by itself"),
    ]

    left = SHOWN.new_in(Section(name="memories", title="Memories", items=tuple(items))).items

    assert [item.item_id for item in left] == ["n-2", "i#3", "n-3"]
