"""What the sides of a conflict say: whole sentences with their subject, and where they come from."""

from dataclasses import replace

import pytest

from core.context.validations import SHORT_SAID, SIDES, SideText, around, on_one_line, side_texts
from core.ids import InteractionId, NodeId, SegmentRef
from core.model.interaction import Segment
from tests.support.changes import START, conflict, node

REF = SegmentRef(InteractionId("i1"), 0)


def said(text: str, quote: str) -> str:
    """What a side says whose quote stands in a segment of this text."""
    segment = Segment(ref=REF, text=text, offset=0, event_time=START, source="web")
    plain = conflict("c1", "n1", "n2")
    sides = (replace(plain.sides[0], quote=quote, segments=(REF,)), plain.sides[1])
    (side, _) = side_texts(
        replace(plain, sides=sides),
        {NodeId("n1"): node("n1"), NodeId("n2"): node("n2")},
        {REF: segment}.__getitem__,
    )
    assert (side.source, side.time, side.node_id) == ("web", START, "n1")
    return side.text


@pytest.mark.parametrize(
    ("text", "quote", "whole"),
    [
        ("A pier. The ferry leaves at nine. It rains.", "leaves at nine", "The ferry leaves at nine."),
        (
            "The Naxos Star is white. It leaves at nine. It rains.",
            "It leaves at nine",
            "The Naxos Star is white. It leaves at nine.",
        ),
        ("星河公司在上海。它的CEO是张三。", "CEO是张三", "星河公司在上海。它的CEO是张三。"),
    ],
)
def test_a_quote_is_shown_as_its_whole_sentence_with_its_subject(text: str, quote: str, whole: str) -> None:
    assert said(text, quote) == whole


def test_a_short_sentence_stands_as_it_is() -> None:
    assert around("It leaves\nat nine.", ["It leaves at ten."], 60) == "It leaves at nine."


def test_what_is_cut_is_cut_around_the_words_at_issue() -> None:
    ours, theirs = "a b c " * 40 + "nine d e f " * 1 + "g h " * 40, "a b c " * 40 + "ten d e f " + "g h " * 40

    assert "nine d" in around(ours, [theirs], 60)


def test_the_sides_that_are_shown_are_cut_to_what_all_others_have_not_and_the_rest_are_left() -> None:
    texts = [f"{'a b c ' * 30}hour {place} {'g h ' * 30}" for place in range(SIDES + 3)]
    sides = [SideText(node_id=NodeId(f"n{n}"), time=START, source="", text=t) for n, t in enumerate(texts)]

    made = on_one_line(sides)

    for place in range(SIDES):
        others = [text for text in texts if text != texts[place]]
        assert made[place].short == around(texts[place], others, SHORT_SAID)
        assert f"hour {place}" in made[place].short
    assert made[SIDES:] == sides[SIDES:]


def test_what_sides_say_is_made_once_for_the_same_nodes_and_segments() -> None:
    plain = conflict("c1", "n1", "n2")
    at_issue = replace(plain, sides=tuple(replace(side, segments=(REF,), quote="") for side in plain.sides))
    nodes = {NodeId("n1"): node("n1"), NodeId("n2"): node("n2")}
    segments = {REF: Segment(ref=REF, text="It leaves at nine.", offset=0, event_time=START)}

    def texts() -> list[SideText]:
        return side_texts(at_issue, nodes, segments.__getitem__)

    first = texts()
    nodes[NodeId("n3")] = node("n3")
    assert texts() is first

    segments[REF] = replace(segments[REF], source="web")
    assert [side.source for side in texts()] == ["web", "web"]
    del nodes[NodeId("n2")]
    assert [side.node_id for side in texts()] == ["n1"]
