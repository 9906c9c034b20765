"""Nothing that a context surely shows as a turn stands in it a second time."""

from typing import Any

import pytest

from core.context.budget import Item, Section, Tier
from core.context.long_term import Known
from core.context.repeating import ShownTurns, told_once
from core.ids import ConversationId, InvocationId, RecordId
from core.model.record import Episode, Record, RecordKind, RecordState
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
    marked = quoted._replace(item_id="i#2", quote="")
    short = Item(item_id="i#3", full="> I live", quote="I live")
    section = Section(name="memories", title="Memories", items=(quoted, marked, short))

    assert SHOWN.new_in(section).items == (marked, short)
    assert SHOWN.new_in(section._replace(items=(marked,))).items == (marked,)


def test_a_passage_goes_where_a_turn_says_it_that_outlives_it() -> None:
    shown = ShownTurns(TALK, (), {"My cat is called Marmalade.": 0.75})
    quoted = Item(item_id="i#1", full="> My cat", quote="My cat is called Marmalade.")

    def left(weight: float, tier: Tier = Tier.FITTING) -> bool:
        item = quoted._replace(weight=weight, tier=tier)
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


def an_episode(record_id: str, asked: str, *steps: str, run: str = "", talk: ConversationId = TALK) -> Record:
    told = Episode(goal=asked, steps=steps, outcome="booked")
    return new(
        asked,
        RecordKind.EPISODE,
        record_id=RecordId(record_id),
        conversation_id=talk,
        invocation_id=InvocationId(run),
        episode=told,
    )


RUN = an_episode("r1", "Book the\nferry", 'book {"ferry":7}', run="i1")
OTHER_RUN = an_episode("r2", "Find a hotel", 'search {"hotel":1}', run="i2")


def test_a_conversation_whose_only_run_is_an_episode_is_not_told_a_second_time() -> None:
    whole, older = (
        an_episode("r3", "Book the ferry", "Book the ferry"),
        an_episode("r4", "Ask", "Ask", "Wait"),
    )

    assert told_once([whole, RUN, older], 2) == [RUN, older]
    assert told_once([RUN, whole], 3) == [RUN]


def test_a_conversation_tells_what_no_run_beside_it_tells() -> None:
    whole = an_episode("r3", "Book the ferry", "Book the ferry", "Find a hotel")
    elsewhere = an_episode("r4", "Book the ferry", "Book the ferry", talk=ConversationId("c2"))

    assert told_once([whole, RUN, elsewhere], 3) == [whole, RUN, elsewhere]
    assert told_once([whole, RUN, OTHER_RUN], 2) == [whole, RUN]
    assert told_once([whole, RUN, OTHER_RUN], 3) == [RUN, OTHER_RUN]
