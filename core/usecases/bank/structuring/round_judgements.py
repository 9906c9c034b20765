"""What the Judge is asked about the node that goes round, and which of its opinions count.

Law: reads the bank, changes nothing. Neighbours and absorbed nodes are not judged again. Opponents and settled
partners are asked about once more for what else they say; they do not merge.
"""

from collections.abc import Callable, Collection, Sequence
from itertools import islice

from core.agents.opinions import Opinions
from core.agents.roles import ConflictOpinion, MergeOpinion, RelatedOpinion
from core.bank.bank import Bank
from core.bank.search import judging_candidates, nearest_nodes
from core.ids import NodeId
from core.model.node import Node
from core.model.vector import Vector
from core.usecases.bank.structuring.absorb import in_context
from core.usecases.bank.structuring.conflict_edits import ConflictEdits
from core.usecases.bank.structuring.edits import NodeEdits
from core.usecases.bank.structuring.round_reads import RoundReads
from core.usecases.bank.structuring.settled import Points
from core.usecases.moment import Moment


class RoundJudgements:
    """The Judge's opinions of one round: on the node that goes round, and on its neighbours so far.

    `uncompared_pairs`: pairs of sentences that these did not compare, because of their bounds.
    """

    def __init__(
        self,
        bank: Bank,
        opinions: Opinions,
        moment: Moment,
        edits: NodeEdits,
        conflicts: ConflictEdits,
        points: Points,
    ) -> None:
        self._bank, self._opinions, self._moment = bank, opinions, moment
        self._edits, self._conflicts, self._points = edits, conflicts, points
        self._reads = RoundReads(bank, opinions, moment)
        self.uncompared_pairs = 0

    def conflicts_and_merges(
        self, current: Node, vector: Vector | None, neighbors: Collection[NodeId]
    ) -> list[ConflictOpinion | MergeOpinion]:
        """Returns what the Judge finds first, without what is settled or at issue already. Raises OpinionPending."""
        candidates = self._candidates(judging_candidates, current, vector, neighbors)
        again = self._judged_before(current, neighbors, candidates)
        nodes = [current, *(self._bank.nodes[c] for c in (*candidates, *again))]
        new, *topics = [self._reads.judged(node) for node in nodes]
        opinions = self._opinions.conflicts_and_merges(new, topics)
        self.uncompared_pairs += self._opinions.uncompared_pairs(new, topics)
        found: list[ConflictOpinion | MergeOpinion] = []
        for opinion in opinions:
            if isinstance(opinion, ConflictOpinion):
                left = (point for point in opinion.points if not self._is_left_aside(current, point))
                found += islice(left, 1)
            elif opinion.existing not in again:
                found.append(opinion)
        return found

    def related(
        self, current: Node, vector: Vector | None, neighbors: Collection[NodeId]
    ) -> list[RelatedOpinion]:
        """Returns the nearest nodes that the Judge finds related. Raises OpinionPending."""
        near = map(self._edits.shown, self._candidates(nearest_nodes, current, vector, neighbors))
        new, *topics = [in_context(self._bank, node) for node in (current, *near)]
        return self._opinions.related(new, topics)

    def _candidates(
        self,
        chosen: Callable[..., list[NodeId]],
        current: Node,
        vector: Vector | None,
        neighbors: Collection[NodeId],
    ) -> list[NodeId]:
        """Returns the nearest nodes by the plain formula that may be judged: not neighbours, not settled partners."""
        apart = {current.node_id, *self._edits.gone, *neighbors}
        apart |= self._conflicts.opponents(current.node_id)
        apart |= self._bank.settled_with(current.node_id)
        pairs = (*self._points.dismissed_pairs, *self._points.pairs)
        apart.update(other for first, other in pairs if first == current.node_id)
        return self._reads.candidates(chosen, current, vector, apart)

    def _judged_before(
        self, current: Node, neighbors: Collection[NodeId], candidates: Sequence[NodeId]
    ) -> list[NodeId]:
        """Returns opponents and settled partners of the node that goes round."""
        node_id = current.node_id
        partners = self._conflicts.opponents(node_id) | self._bank.settled_with(node_id)
        partners |= {other for first, other in self._points.dismissed_pairs if first == node_id}
        apart = {node_id, *self._edits.gone, *neighbors, *candidates}
        return sorted(partners - apart)[: self._moment.top_k]

    def _is_left_aside(self, current: Node, opinion: ConflictOpinion) -> bool:
        """Whether two sentences are settled, or at issue in an open conflict of the two nodes."""
        return self._conflicts.is_at_issue(current.node_id, opinion) or self._points.is_settled(
            current, self._edits.gone, opinion
        )
