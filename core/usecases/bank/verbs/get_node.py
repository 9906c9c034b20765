"""GetNode: a node, its vector if asked for, and its place in the graph."""

from dataclasses import dataclass

from core.ids import ConflictId, NodeId
from core.keys import BankKey
from core.model.copies import Copies
from core.model.node import Node
from core.model.vector import Vector
from core.usecases.ports import HasBanks

MAX_NEIGHBORS = 1_000  # named in one answer; ListNeighbors pages through them all


@dataclass(frozen=True, slots=True, kw_only=True)
class GetNode:
    key: BankKey
    node_id: NodeId
    include_embedding: bool = False
    min_revision: int = 0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NodeSeen:
    """`embedding` is None unless it was asked for; neighbours and open conflicts by id. `copies`: None where there are
    none."""

    node: Node
    embedding: Vector | None
    neighbor_ids: tuple[NodeId, ...]
    conflict_ids: tuple[ConflictId, ...]
    copies: Copies | None
    revision: int


async def get_node(ports: HasBanks, command: GetNode) -> NodeSeen:
    """Raises NodeNotFound, NodeAbsorbed, BankNotFound, RevisionNotReached."""
    async with ports.banks.reading(command.key, command.min_revision) as bank:
        node = bank.node_named(command.node_id)
        return NodeSeen(
            node=node,
            embedding=bank.node_vectors.get(node.node_id) if command.include_embedding else None,
            neighbor_ids=bank.graph.neighbors(node.node_id)[:MAX_NEIGHBORS],
            conflict_ids=tuple(c.conflict_id for c in bank.open_conflicts_of(node.node_id)),
            copies=bank.copies.get(node.node_id),
            revision=bank.revision,
        )
