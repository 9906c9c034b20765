"""What was said, gathered under the nodes that stand for it: the memories of a prompt that names no target.

Law: pure. Every segment found stands once: under one node, or alone while none summarises it. A node found without
any of its segments stands by itself, behind all others; one that has no segments is a memory like those.
"""

from collections.abc import Sequence
from typing import NamedTuple

from core.bank.query import Hit
from core.ids import NodeId
from core.model.node import Node


class Memory(NamedTuple):
    """A node with what was found of its record, in the record's order; or a segment alone, without a node.

    `score` is that of the best segment; of a node without one, its own.
    """

    score: float
    node: Node | None
    said: tuple[Hit, ...]
    hit: Hit | None = None  # the node's own, where it was found by itself


def gathered(said: Sequence[Hit], found: Sequence[Hit], nodes: dict[NodeId, Node]) -> list[Memory]:
    """Memories, the best first. `said` are segments, `found` what a search for nodes brings, best first."""
    hits = {hit.node.node_id: hit for hit in found if hit.node}
    under: dict[NodeId, list[Hit]] = {}
    alone = []
    for hit in said:
        assert hit.segment is not None, "what was said is a segment"
        owners = [node_id for node_id in hit.segment.node_ids if node_id in nodes]
        if owners:
            owner = next((n for n in owners if n in under or n in hits), owners[0])
            under.setdefault(owner, []).append(hit)
        else:
            alone.append(Memory(hit.score, None, (hit,)))
    spoken = [
        Memory(max(h.score for h in heard), nodes[node_id], _in_order(heard), hits.get(node_id))
        for node_id, heard in under.items()
    ]
    unheard = [Memory(hit.score, hit.node, (), hit) for node_id, hit in hits.items() if node_id not in under]
    told = [memory for memory in unheard if memory.node and not memory.node.segments]
    silent = [memory for memory in unheard if memory.node and memory.node.segments]
    return sorted([*spoken, *alone, *told], key=_score, reverse=True) + silent


def _score(memory: Memory) -> float:
    return memory.score


def _in_order(said: Sequence[Hit]) -> tuple[Hit, ...]:
    """By time, then as they stand in their record."""
    return tuple(
        sorted(said, key=lambda hit: (hit.segment.event_time, hit.segment.ref) if hit.segment else ())
    )
