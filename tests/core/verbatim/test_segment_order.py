"""Segments in the order in which things were said."""

from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np

from core.ids import InteractionId, SegmentRef
from core.model.interaction import Interaction, Span
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


def test_a_yes_answers_where_one_was_asked_and_acknowledges_where_not() -> None:
    order = SegmentOrder()
    order.add(spoken("i1", ("Ann", "Did you pay? "), ("Ben", "Yes. "), ("Ann", "Thanks! ")))
    order.add(spoken("i2", ("Ann", "Are you there? ")))
    order.add(spoken("i3", ("Ben", "Yes."), ("", "收到。")), after=InteractionId("i2"))
    order.add(spoken("i4", ("Ann", "Is it on? ")))
    order.add(spoken("i5", ("Ben", "OK.")))

    merely = order.acknowledging(np.arange(8))

    assert merely.tolist() == [False, False, True, False, False, True, False, True]


def test_a_yes_whose_question_was_dropped_merely_acknowledges() -> None:
    turns = [
        _turn(1, "The shelf is bare.", "Shall I order some?"),
        _turn(2, "Yes.", "Shall I call them, too?"),
        _turn(3, "OK."),
    ]
    order = _conversation(*turns)
    order.drop(_id(1), 2)
    again = _conversation(*turns[1:])

    def merely(of: SegmentOrder) -> list[bool]:
        left = [SegmentRef(_id(2), 0), SegmentRef(_id(2), 1), SegmentRef(_id(3), 0)]
        return [bool(found) for found in of.acknowledging(of.positions(left))]

    assert merely(order) == merely(again) == [True, False, False]


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


def test_an_empty_order_has_no_speakers() -> None:
    assert SegmentOrder().speakers_in("Ann") == []


def _turn(step: int, *texts: str, at: datetime = START) -> Interaction:
    """One turn of a conversation, a segment for each of its texts."""
    spans, start = [], 0
    for text in texts:
        spans.append(Span(start=start, end=start + len(text)))
        start += len(text) + 1
    return Interaction(
        interaction_id=_id(step), text="\n".join(texts), spans=tuple(spans), event_time=at, create_time=at
    )


def _id(step: int) -> InteractionId:
    return InteractionId(f"{step:012d}")


def _conversation(*turns: Interaction) -> SegmentOrder:
    order = SegmentOrder()
    for turn in turns:
        order.add(turn, after=_id(int(turn.interaction_id) - 1))
    return order


def test_a_turn_goes_on_in_the_sitting_of_the_turn_before_it() -> None:
    order = _conversation(_turn(1, "Hello", "Hi"), _turn(2, "How are you?", "Fine"), _turn(3, "Good"))

    near = order.around(order.positions([SegmentRef(_id(2), 0)]), 2)

    assert [ref.interaction_id for ref in order.refs(near)] == [_id(1), _id(1), _id(2), _id(2), _id(3)]


def test_a_dropped_turn_parts_its_sitting_as_if_it_had_never_been_known() -> None:
    turns = [_turn(step, f"input {step}", f"reply {step}") for step in (1, 2, 3, 4)]
    order = _conversation(*turns)
    order.drop(_id(2), 2)
    order.add(_turn(5, "input 5"), after=_id(4))
    again = _conversation(*(turns[i] for i in (0, 2, 3)), _turn(5, "input 5"))

    def near(of: SegmentOrder, step: int) -> list[SegmentRef]:
        return of.refs(of.around(of.positions([SegmentRef(_id(step), 0)]), 2))

    assert [near(order, step) for step in (1, 3, 4, 5)] == [near(again, step) for step in (1, 3, 4, 5)]
    assert SegmentRef(_id(2), 0) not in near(order, 1) + near(order, 3)


def test_the_period_is_that_of_what_is_left() -> None:
    late = START + timedelta(days=400)
    order = _conversation(_turn(1, "first"), _turn(2, "last", at=late))

    order.drop(_id(2), 1)

    assert order.period == (START.timestamp(), START.timestamp())
