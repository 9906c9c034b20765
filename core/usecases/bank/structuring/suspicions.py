"""Suspected conflicts as a round, or a change of a node, leaves them.

Law: reads the bank, changes nothing. A suspicion is of two nodes and stands in nobody's way: it contests no node and
plans nothing. It ends when a sentence at issue goes or is refuted, or a surer conflict of the same nodes opens. Of a
node MOST_OF_NODE stand and of a bank MOST_OF_BANK; the least sure go.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from datetime import datetime

from core.agents.roles import ConflictOpinion
from core.bank.bank import Bank
from core.bank.steps import ConflictPut
from core.ids import ConflictId, NodeId
from core.model.conflict import Conflict, ConflictStatus
from core.model.node import Node
from core.usecases.bank.structuring.contest import closed, contested, handed_over

MOST_OF_NODE = 2
MOST_OF_BANK = 1_000


class Suspicions:
    """The suspicions of one round. `noted`: what was found likely of the node that goes round, as it stands last."""

    def __init__(self, bank: Bank, now: datetime) -> None:
        self._bank = bank
        self._now = now
        self.noted: list[ConflictOpinion] = []
        self.refuted: list[str] = []

    def puts(
        self,
        current: Node | None,
        gone: Container[NodeId],
        surer: Conflict | None,
        new_id: Callable[..., str],
    ) -> list[ConflictPut]:
        """Returns the steps for suspicions that begin, end or move to the node that stands for their sides.

        `gone`: the nodes that `current` has absorbed; `surer`: the conflict that the round opened.
        """
        changed = self._moved(current, gone) if current else {}
        if surer is not None:
            changed |= self._overtaken(surer, changed)
        standing = {
            each.conflict_id: each
            for each in self._bank.suspected_conflicts()
            if each.conflict_id not in changed
        }
        standing |= {key: each for key, each in changed.items() if not each.is_closed}
        begun = self._begun(current, gone, standing.values(), surer, new_id) if current else []
        changed |= {each.conflict_id: each for each in begun}
        standing |= {each.conflict_id: each for each in begun}
        for one in _too_many(standing, [side.node_id for each in begun for side in each.sides]):
            if one in begun:
                del changed[one.conflict_id]
            else:
                changed[one.conflict_id] = closed(one, ConflictStatus.MOOT, self._now)
        return [ConflictPut(conflict=each) for each in changed.values()]

    def _moved(self, current: Node, gone: Container[NodeId]) -> dict[ConflictId, Conflict]:
        moved = {}
        for one in self._bank.suspected_conflicts():
            if any(side.node_id in gone for side in one.sides):
                into = handed_over(one, gone, current.node_id, self._now)
                is_refuted = any(side.quote in self.refuted for side in one.sides)
                ends = is_refuted and not into.is_closed
                moved[one.conflict_id] = closed(into, ConflictStatus.MOOT, self._now) if ends else into
        return moved

    def _overtaken(self, surer: Conflict, changed: dict[ConflictId, Conflict]) -> dict[ConflictId, Conflict]:
        nodes = _nodes(surer)
        stored = {one.conflict_id: one for one in self._bank.suspected_conflicts()} | changed
        return {
            key: closed(one, ConflictStatus.MOOT, self._now)
            for key, one in stored.items()
            if not one.is_closed and _nodes(one) <= nodes
        }

    def _begun(
        self,
        current: Node,
        gone: Container[NodeId],
        standing: Iterable[Conflict],
        surer: Conflict | None,
        new_id: Callable[..., str],
    ) -> list[Conflict]:
        known = {frozenset(_nodes(one)) for one in standing}
        if surer is not None:
            known |= {frozenset({current.node_id, other}) for other in _nodes(surer)}
        found = []
        for opinion in self.noted:
            pair = frozenset({current.node_id, opinion.existing})
            if pair in known or opinion.existing in gone:
                continue
            conflict_id = ConflictId(new_id("c", "suspected", *sorted(pair)))
            suspected = contested(
                self._bank, current, [opinion], conflict_id, self._now, ConflictStatus.SUSPECTED
            )
            found.append(suspected)
        return found


def ended_by_words(bank: Bank, node: Node, now: datetime) -> list[ConflictPut]:
    """Returns the steps for suspicions whose sentence of this node, in its new words, is gone."""
    return [
        ConflictPut(conflict=closed(one, ConflictStatus.MOOT, now))
        for one in bank.suspected_conflicts_of(node.node_id)
        if any(side.node_id == node.node_id and side.quote not in node.summary for side in one.sides)
    ]


def ended_by_deletion(bank: Bank, node_id: NodeId, now: datetime) -> list[ConflictPut]:
    """Returns the steps for the suspicions of a node that goes."""
    ended = (closed(one, ConflictStatus.MOOT, now) for one in bank.suspected_conflicts_of(node_id))
    return [ConflictPut(conflict=one) for one in ended]


def _nodes(conflict: Conflict) -> set[NodeId]:
    return {side.node_id for side in conflict.sides}


def _too_many(standing: dict[ConflictId, Conflict], at: Sequence[NodeId]) -> list[Conflict]:
    """Returns the least sure of those that stand beyond what a node, `at` which some begin, or the bank may have."""
    gone: dict[ConflictId, Conflict] = {}
    for node_id in dict.fromkeys(at):
        own = [one for one in standing.values() if node_id in _nodes(one) and one.conflict_id not in gone]
        gone |= {one.conflict_id: one for one in _surest_first(own)[MOST_OF_NODE:]}
    left = [one for key, one in standing.items() if key not in gone]
    return (
        [*gone.values(), *_surest_first(left)[MOST_OF_BANK:]]
        if len(left) > MOST_OF_BANK
        else [*gone.values()]
    )


def _surest_first(conflicts: Iterable[Conflict]) -> list[Conflict]:
    return sorted(conflicts, key=lambda one: (-one.confidence, one.create_time, one.conflict_id))
