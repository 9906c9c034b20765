"""What of a bank is searched by words, by field, and what each field weighs."""

from collections.abc import Iterable, Mapping

from core.bank.steps import InteractionAdd, NodeDrop, NodePut, Step
from core.ids import NodeId, SegmentRef
from core.model.node import Node
from core.verbatim.verbatim import segment_fields

NODE_WEIGHTS: Mapping[str, float] = {"keywords": 3.0, "context": 1.5, "summary": 1.0}


def node_fields(node: Node) -> Mapping[str, str]:
    """Returns what of a node is searched by keywords, by field (see NODE_WEIGHTS)."""
    return {"keywords": " \n".join(node.keywords), "context": node.context, "summary": node.summary}


def new_fields(
    steps: Iterable[Step],
) -> tuple[dict[NodeId, Mapping[str, str]], dict[SegmentRef, Mapping[str, str]]]:
    """Returns the fields of the nodes and of the segments that are there, or there anew, after these steps."""
    nodes: dict[NodeId, Mapping[str, str]] = {}
    segments: dict[SegmentRef, Mapping[str, str]] = {}
    for step in steps:
        if isinstance(step, NodePut):
            nodes[step.node.node_id] = node_fields(step.node)
        elif isinstance(step, NodeDrop):
            nodes.pop(step.node_id, None)
        elif isinstance(step, InteractionAdd):
            segments.update(segment_fields(step.interaction))
    return nodes, segments
