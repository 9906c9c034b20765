"""Nodes as a store reads them: many at once, with the vectors of those that have one as rows of one matrix.

Law: read one by one, they are the same sequence as plain values would be.
"""

from collections.abc import Sequence
from typing import overload

from core.bank.steps import NodePut
from core.ids import NodeId
from core.index.rows import VectorRows
from core.model.node import Node


class NodeRows(Sequence[NodePut]):
    """Nodes in order with the vectors of those that have one."""

    def __init__(self, nodes: Sequence[Node], vectors: VectorRows[NodeId]) -> None:
        self.nodes = nodes
        self.vectors = vectors

    @classmethod
    def of(cls, puts: Sequence[NodePut], dimension: int) -> "NodeRows":
        """Returns the same nodes and vectors as rows: the vectors copied, unless they are so already."""
        if isinstance(puts, NodeRows):
            return puts
        vectors = {put.node.node_id: put.vector for put in puts if put.vector is not None}
        return cls([put.node for put in puts], VectorRows.of(vectors, dimension))

    @overload
    def __getitem__(self, place: int) -> NodePut: ...
    @overload
    def __getitem__(self, place: slice) -> list[NodePut]: ...
    def __getitem__(self, place: int | slice) -> NodePut | list[NodePut]:
        if isinstance(place, slice):
            return list(map(self._put, self.nodes[place]))
        return self._put(self.nodes[place])

    def __len__(self) -> int:
        return len(self.nodes)

    def _put(self, node: Node) -> NodePut:
        return NodePut(node=node, vector=self.vectors.get(node.node_id))
