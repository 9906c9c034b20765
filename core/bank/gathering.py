"""Segments gathered under the nodes that stand for them: the memories of a prompt that names no target.

Law: pure. Every segment found comes once: under one node, or alone while no node summarises it. A node found without
any of its segments comes by itself, behind all others; a node that has no segments ranks like a segment.
"""

from collections.abc import Sequence
from typing import NamedTuple

from core.bank.query import Hit
from core.ids import NodeId
from core.model.node import Node


class Memory(NamedTuple):
    """A node with the segments found of its record, in the record's order; or a segment alone, without a node.

    `score` is that of the best segment; of a node without one, its own.
    """

    score: float
    node: Node | None
    evidence: tuple[Hit, ...]
    hit: Hit | None = None  # the node's own, where it was found by itself


def gathered(segments: Sequence[Hit], found: Sequence[Hit], nodes: dict[NodeId, Node]) -> list[Memory]:
    """Memories, the best first, of segments and of what a search for nodes `found`, both best first."""
    hits = {hit.node.node_id: hit for hit in found if hit.node}
    by_node: dict[NodeId, list[Hit]] = {}
    alone = []
    for hit in segments:
        assert hit.segment is not None, "a hit of segments"
        owners = [node_id for node_id in hit.segment.node_ids if node_id in nodes]
        if owners:
            owner = next((n for n in owners if n in by_node or n in hits), owners[0])
            by_node.setdefault(owner, []).append(hit)
        else:
            alone.append(Memory(hit.score, None, (hit,)))
    supported = [
        Memory(max(each.score for each in evidence), nodes[node_id], _in_order(evidence), hits.get(node_id))
        for node_id, evidence in by_node.items()
    ]
    bare = [Memory(hit.score, hit.node, (), hit) for node_id, hit in hits.items() if node_id not in by_node]
    of_no_record = [memory for memory in bare if memory.node and not memory.node.segments]
    unsupported = [memory for memory in bare if memory.node and memory.node.segments]
    return sorted([*supported, *alone, *of_no_record], key=_score, reverse=True) + unsupported


def _score(memory: Memory) -> float:
    return memory.score


def _in_order(segments: Sequence[Hit]) -> tuple[Hit, ...]:
    """Returns them by time, then as they stand in their record."""
    return tuple(
        sorted(segments, key=lambda hit: (hit.segment.event_time, hit.segment.ref) if hit.segment else ())
    )
