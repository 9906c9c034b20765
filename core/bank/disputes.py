"""Contradictions between nodes, and pairs found not to contradict one another.

Law: an open or suspected conflict is found from each of its sides, a settled pair from both. A node that goes takes its
pairs along; conflicts stay, as history, unless a retraction takes them.
"""

from core.bank.steps import PairSettle
from core.ids import ConflictId, NodeId
from core.model.conflict import Conflict, ConflictStatus


class Disputes:
    """A bank's conflicts and settled pairs. Read `conflicts` freely; change it by `put`."""

    def __init__(self) -> None:
        self.conflicts: dict[ConflictId, Conflict] = {}
        self._open_of: dict[NodeId, set[ConflictId]] = {}
        self._suspected_of: dict[NodeId, set[ConflictId]] = {}
        self.suspected: set[ConflictId] = set()
        self._settled: dict[NodeId, set[NodeId]] = {}

    def put(self, conflict: Conflict) -> None:
        """Puts a new conflict, or a known one as it stands now."""
        if conflict.conflict_id in self.conflicts:
            self._take_out(conflict.conflict_id)
        self.conflicts[conflict.conflict_id] = conflict
        if conflict.is_closed:
            return
        is_open = conflict.status is ConflictStatus.OPEN
        for side in conflict.sides:
            index = self._open_of if is_open else self._suspected_of
            index.setdefault(side.node_id, set()).add(conflict.conflict_id)
        if not is_open:
            self.suspected.add(conflict.conflict_id)

    def drop(self, conflict_id: ConflictId) -> None:
        """Forgets a conflict."""
        self._take_out(conflict_id)
        del self.conflicts[conflict_id]

    def _take_out(self, conflict_id: ConflictId) -> None:
        """Takes a conflict out of the indexes."""
        for side in self.conflicts[conflict_id].sides:
            for index in (self._open_of, self._suspected_of):
                index.get(side.node_id, set()).discard(conflict_id)
        self.suspected.discard(conflict_id)

    def settle(self, pair: PairSettle) -> None:
        self._settled.setdefault(pair.node_id, set()).add(pair.other_node_id)
        self._settled.setdefault(pair.other_node_id, set()).add(pair.node_id)

    def forget_pairs(self, node_id: NodeId) -> None:
        """Forgets every settled pair of a node."""
        for other in self._settled.pop(node_id, set()):
            self._settled[other].discard(node_id)
            if not self._settled[other]:
                del self._settled[other]

    def open_of(self, node_id: NodeId) -> list[Conflict]:
        """Returns the open conflicts of a node, by id."""
        return [self.conflicts[c] for c in sorted(self._open_of.get(node_id, ()))]

    def suspected_of(self, node_id: NodeId) -> list[Conflict]:
        """Returns the suspected conflicts of a node, by id."""
        return [self.conflicts[c] for c in sorted(self._suspected_of.get(node_id, ()))]

    def settled_with(self, node_id: NodeId) -> set[NodeId]:
        return self._settled.get(node_id, set())

    def settled(self) -> list[tuple[NodeId, NodeId]]:
        """Returns every pair once, sorted within and among themselves."""
        return sorted((a, b) for a, others in self._settled.items() for b in others if a < b)
