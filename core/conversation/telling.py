"""A turn as segments: what is searched of it, and in which pieces.

Law: pure; the same turn always falls into the same segments. A turn is an interaction of its own whose parts are its
input and its reply, each cut as a bank cuts a message.
"""

from collections.abc import Iterator

from core.aggregate.parts import numbered
from core.ids import InteractionId, SegmentRef
from core.model.conversation import Turn
from core.model.interaction import Interaction, Segment, Span
from core.text.segmenting import message_pieces

INPUT, REPLY = "input", "reply"


def id_of(step: int) -> InteractionId:
    """Returns a turn's name among segments."""
    return InteractionId(numbered(step))


def step_of(interaction_id: InteractionId) -> int:
    return int(interaction_id)


def told(turn: Turn) -> Interaction:
    """Returns the turn as an interaction: input, line break, reply."""
    return Interaction(
        interaction_id=id_of(turn.step),
        text=_text(turn),
        spans=tuple(_spans(turn)),
        event_time=turn.event_time,
        create_time=turn.create_time,
    )


def segment_of(turn: Turn, ref: SegmentRef, start: int, end: int) -> Segment:
    """Returns a segment whose bounds are known: the turn is not cut again for it."""
    is_input = start < len(turn.input)
    return Segment(
        ref=ref,
        text=_text(turn)[start:end],
        offset=start,
        event_time=turn.event_time,
        role=INPUT if is_input else REPLY,
        speaker=turn.input_speaker if is_input else turn.reply_speaker,
    )


def _text(turn: Turn) -> str:
    return f"{turn.input}\n{turn.reply}"


def _spans(turn: Turn) -> Iterator[Span]:
    start = 0
    for role, speaker, text in (
        (INPUT, turn.input_speaker, turn.input),
        (REPLY, turn.reply_speaker, turn.reply),
    ):
        for piece in message_pieces(text):
            yield Span(start=start + piece.start, end=start + piece.end, role=role, speaker=speaker)
        start += len(text) + 1
