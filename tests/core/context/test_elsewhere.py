"""Pieces of turns of other conversations: what is kept of one for later queries."""

from datetime import UTC, datetime

from core.context.elsewhere import Passage, passage_of
from core.conversation.telling import id_of, segment_of
from core.ids import ConversationId, SegmentRef
from core.model.conversation import Turn

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LONG = " ".join(
    f"The {place} lies behind the hill, as I told you when we walked there and lost our way in the rain."
    for place in ("harbour", "orchard", "quarry", "chapel", "mill")
)


def turn(text: str) -> Turn:
    return Turn(
        step=1, input=text, reply="", event_time=NOON, create_time=NOON, input_speaker="Ada", reply_speaker=""
    )


def asked(of: Turn, word: str) -> Passage:
    ref = SegmentRef(id_of(of.step), 0)
    return passage_of(ConversationId("walks"), of, segment_of(of, ref, 0, len(of.input)), {word: 1.0})


def test_a_long_turn_shows_each_query_the_part_that_fits_it() -> None:
    told = turn(LONG)

    shown = {word: asked(told, word).piece.input for word in ("harbour", "mill", "harbour")}

    assert "harbour" in shown["harbour"]
    assert "mill" not in shown["harbour"]
    assert "mill" in shown["mill"]
    assert "harbour" not in shown["mill"]


def test_a_short_turn_is_one_piece_for_all_queries() -> None:
    told = turn("The mill lies behind the hill. 磨坊在山后面。")

    assert asked(told, "mill").piece is asked(told, "harbour").piece
    assert asked(told, "mill").piece.input == told.input
