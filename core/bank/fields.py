"""What of a bank is searched by words, by field, and what each field weighs."""

from collections.abc import Mapping

from core.ids import SegmentRef
from core.model.interaction import Interaction
from core.model.node import Node

NODE_WEIGHTS: Mapping[str, float] = {"keywords": 3.0, "context": 1.5, "summary": 1.0}
SEGMENT_WEIGHTS: Mapping[str, float] = {"text": 1.0}


def node_fields(node: Node) -> Mapping[str, str]:
    """What of a node is searched by keywords, by field (see NODE_WEIGHTS)."""
    return {"keywords": " \n".join(node.keywords), "context": node.context, "summary": node.summary}


def segment_fields(interaction: Interaction) -> dict[SegmentRef, Mapping[str, str]]:
    """What of an interaction's segments is searched by keywords: the speaker belongs to the text."""
    fields: dict[SegmentRef, Mapping[str, str]] = {}
    for index, span in enumerate(interaction.spans):
        text = interaction.text[span.start : span.end]
        shown = f"{span.speaker}: {text}" if span.speaker else text
        fields[SegmentRef(interaction.interaction_id, index)] = {"text": shown}
    return fields
