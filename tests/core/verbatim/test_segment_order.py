"""Segments in the order in which things were said."""

from dataclasses import replace
from datetime import timedelta

import numpy as np

from core.ids import InteractionId
from core.model.interaction import Interaction
from core.verbatim.segment_order import SegmentOrder
from tests.support.changes import START, interaction, ref


def spoken(name: str, *said: tuple[str, str], hours: tuple[int, ...] = ()) -> Interaction:
    """An interaction of (speaker, text), each so many hours after the start."""
    made = interaction(name, *(text for _, text in said))
    times = hours or (0,) * len(said)
    spans = tuple(
        replace(span, speaker=speaker, event_time=START + timedelta(hours=hour))
        for span, (speaker, _), hour in zip(made.spans, said, times, strict=True)
    )
    return replace(made, spans=spans)


def an_order() -> SegmentOrder:
    order = SegmentOrder()
    order.add(
        spoken(
            "i1",
            ("Ann Lee", "I am Ann. "),
            ("Ben", "And my hat? "),
            ("Ann Lee", "We left it. "),
            hours=(0, 1, 30),
        )
    )
    order.add(spoken("i2", ("林岚", "我走了。"), ("", "a note")))
    return order


def test_a_segment_is_named_by_one_object() -> None:
    order = an_order()

    own = order.of(InteractionId("i2"), 2)

    assert own == [ref("i2", 0), ref("i2", 1)]
    assert order.known(ref("i2", 1)) is own[1]
    assert order.known(ref("i1", 3)) == ref("i1", 3)  # it has no fourth: the next is another's
    assert order.known(ref("i2", 7)) == ref("i2", 7)
    assert order.known(ref("i9", 0)) == ref("i9", 0)


def test_positions_and_references_lead_to_each_other() -> None:
    order = an_order()

    positions = order.positions([ref("i2", 1), ref("i1", 0)])

    assert positions.tolist() == [4, 0]
    assert order.refs(positions) == [ref("i2", 1), ref("i1", 0)]
    assert order.position(ref("i1", 2)) == 2


def test_what_is_around_ends_with_the_sitting() -> None:
    order = an_order()

    assert order.around(np.array([0, 3]), 2).tolist() == [0, 1, 3, 4]
    assert order.around(np.array([2]), 2).tolist() == [2]


def test_questions_are_known_from_statements() -> None:
    assert an_order().asking.tolist() == [0, 1, 0, 0, 0]


def test_a_speaker_is_called_by_any_word_of_the_name_and_chinese_names_without_spaces() -> None:
    order = an_order()
    everything = np.arange(5)

    def said_by(text: str) -> list[bool]:
        spoke: list[bool] = order.told_by(everything, order.speakers_in(text)).tolist()
        return spoke

    assert said_by("What did ann's dog eat?") == [True, False, True, False, False]
    assert said_by("when did BEN leave") == [False, True, False, False, False]
    assert said_by("昨天林岚说了什么？") == [False, False, False, True, False]
    assert said_by("Who annotated the benefit?") == [False] * 5


def test_what_a_speaker_says_of_others_is_not_told_of_himself() -> None:
    order = SegmentOrder()
    order.add(spoken("i1", ("Ann", "Ben left early. "), ("Ann", "I stayed. ")))

    assert order.told_by(np.arange(2), order.speakers_in("Ann")).tolist() == [False, True]


def test_an_empty_order_calls_nobody() -> None:
    assert SegmentOrder().speakers_in("Ann") == []
