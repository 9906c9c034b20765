"""Fills the indexes of a conversation that was loaded, from snapshots as far as they go."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from core.conversation.turn_vectors import by_segment
from core.ids import InteractionId, SegmentRef
from core.index.giving_way import every_n
from core.index.restoring import Texts, restore_vectors, restore_words
from core.index.rows import VectorRows
from core.model.vector import Vector

if TYPE_CHECKING:
    from core.conversation.conversation import Conversation

WORDS, VECTORS = "turn_words", "turn_vectors"


def restore(conversation: "Conversation", kept: Mapping[str, Vector], cached: Mapping[str, Any]) -> None:
    """Indexes the words of its turns, and the vectors that are kept of them."""
    tuning, verbatim = conversation.tuning, conversation.verbatim

    def known(name: str) -> SegmentRef:
        interaction_id, _, index = name.rpartition(" ")
        return verbatim.order.known(SegmentRef(InteractionId(interaction_id), int(index)))

    def fields(ref: SegmentRef) -> Mapping[str, str]:
        segment = conversation.segment(ref)
        return {"text": f"{segment.speaker}: {segment.text}" if segment.speaker else segment.text}

    ref = every_n(known, tuning.give_way)
    texts = Texts({r: r for turn in conversation.turns.values() for r in conversation.refs(turn)}, fields)
    restore_words(verbatim.words, cached.get(WORDS), texts, ref, tuning.give_way, tuning.report)
    vectors = by_segment(conversation, kept)
    rows = VectorRows.of(vectors, tuning.dimension)
    restore_vectors(verbatim.vectors, cached.get(VECTORS), rows, ref, tuning.give_way, tuning.report)
    verbatim.have(vectors)
