"""The nodes of a bank as a round leaves them so far: which are gone, and which have other words or another state.

Law: reads the bank, changes nothing; what is edited becomes the steps of the round's one change.
"""

from collections.abc import Iterable, Sequence

from core.bank.bank import Bank
from core.bank.steps import NodeDrop, NodePut
from core.ids import NodeId
from core.model.node import Node, NodeState
from core.model.vector import Vector
from core.usecases.bank.structuring.rewording import reworded, touched
from core.usecases.moment import Moment


class NodeEdits:
    """Edits of nodes that the bank has. `gone`: those that were absorbed, in order."""

    def __init__(self, bank: Bank, moment: Moment) -> None:
        self._bank = bank
        self._moment = moment
        self._changed: dict[NodeId, NodePut] = {}
        self.gone: dict[NodeId, None] = {}

    def shown(self, node_id: NodeId) -> Node:
        """Returns the node as it stands now."""
        put = self._changed.get(node_id)
        return put.node if put else self._bank.nodes[node_id]

    def absorb(self, nodes: Iterable[Node]) -> None:
        """Marks nodes as gone."""
        self.gone.update(dict.fromkeys(node.node_id for node in nodes))

    def put(self, node: Node, vector: Vector | None) -> None:
        """Gives a node other words, with their vector; None: it keeps the one it has."""
        self._changed[node.node_id] = NodePut(node=node, vector=vector)

    def set_state(self, node_id: NodeId, state: NodeState) -> None:
        """Sets a node's state, if it is another one."""
        shown = self.shown(node_id)
        if shown.state is not state:
            vector = self._changed[node_id].vector if node_id in self._changed else None
            self._changed[node_id] = NodePut(node=touched(shown, self._moment, state=state), vector=vector)

    def reworded(self, node_id: NodeId, context: str, *keywords: Sequence[str]) -> Node:
        """Returns the node in a new context, with these keywords besides its own; changes nothing."""
        return reworded(self.shown(node_id), self._moment, context, *keywords)

    def changed(self) -> tuple[Node, ...]:
        """Returns the nodes that were changed."""
        return tuple(put.node for put in self._changed.values())

    def drops(self) -> list[NodeDrop]:
        """Returns the steps for nodes of the bank that are gone."""
        return [NodeDrop(node_id=node_id) for node_id in self.gone if node_id in self._bank.nodes]

    def puts(self, apart: NodeId | None) -> list[NodePut]:
        """Returns the steps for nodes that were changed and are not gone; `apart` is left out."""
        return [put for n, put in self._changed.items() if n not in self.gone and n != apart]
