"""The conflicts of a bank as a round leaves them so far, and the document that tells of them.

Law: reads the bank, changes nothing; what is edited becomes the steps of the round's one change.
"""

from collections.abc import Container, Sequence
from dataclasses import replace

from core.agents.roles import ConflictOpinion
from core.bank.bank import Bank
from core.bank.steps import ConflictPut
from core.ids import ConflictId, NodeId
from core.model.conflict import Conflict, ConflictStatus
from core.model.insight import Insight
from core.model.node import NodeState
from core.usecases.bank.plans.planning import with_sides, with_validations, without_conflict
from core.usecases.bank.structuring.contest import closed, handed_over, joined
from core.usecases.bank.structuring.edits import NodeEdits
from core.usecases.bank.structuring.settled import is_said
from core.usecases.bank.structuring.verdicts import Verdict
from core.usecases.moment import Moment

MOST_OF_PAIR = 3  # open conflicts of the same two nodes

MOST_SIDES = 8  # of a conflict that a new node joins


def disputes(opinion: ConflictOpinion, conflict: Conflict) -> bool:
    """Whether an opinion is against a sentence at issue in a conflict."""
    return any(
        side.node_id == opinion.existing and bool(side.quote) and is_said(opinion.existing_quote, side)
        for side in conflict.sides
    )


class ConflictEdits:
    """Conflicts that a round opens, closes or hands over. `opened`: the one of its new node, if there is one."""

    def __init__(self, bank: Bank, moment: Moment) -> None:
        self._bank = bank
        self._moment = moment
        self._changed: dict[ConflictId, Conflict] = {}
        self._insight = bank.insight
        self.opened: ConflictId | None = None

    @property
    def insight(self) -> Insight:
        """The document with what became of the conflicts: the bank's own where nothing did."""
        if not self._changed:
            return self._insight
        stored = {conflict.conflict_id: conflict for conflict in self._bank.open_conflicts()}
        standing = {**stored, **self._changed}.values()
        waiting = [one for one in standing if one.status is ConflictStatus.OPEN]
        return with_validations(self._insight, waiting, self._moment.validation_floor)

    @property
    def opened_conflict(self) -> Conflict | None:
        return self._changed[self.opened] if self.opened else None

    def open(self, conflict: Conflict) -> None:
        """Opens the new node's conflict; its validation is planned from the floor on, in its turn."""
        self.opened = conflict.conflict_id
        self._changed[conflict.conflict_id] = conflict

    def join(self, conflict: Conflict, newcomer: Conflict) -> None:
        """Makes a new node a side of a conflict that stands, whose validation names it from now on."""
        after = joined(conflict, newcomer)
        self._insight = with_sides(self._insight, conflict, after)
        self.open(after)

    def disputed_by(self, node_id: NodeId, opinions: Sequence[ConflictOpinion]) -> Conflict | None:
        """Returns the oldest open conflict, without this node, about a sentence that an opinion disputes, too."""
        found = [
            conflict
            for opinion in opinions
            for conflict in self._open_of(opinion.existing)
            if disputes(opinion, conflict)
            and len(conflict.sides) < MOST_SIDES
            and all(side.node_id != node_id for side in conflict.sides)
        ]
        return min(found, key=lambda one: (one.create_time, one.conflict_id), default=None)

    def close(
        self,
        conflict: Conflict,
        status: ConflictStatus,
        verdict: Verdict | None,
        node_id: NodeId | None = None,
    ) -> None:
        """Closes a conflict by a verdict. `node_id`: what its nodes became, if they became one."""
        self._changed[conflict.conflict_id] = replace(
            closed(conflict, status, self._moment.now),
            verdict=verdict.text if verdict else "",
            verdict_interaction_id=verdict.interaction_id if verdict else None,
            node_id=node_id,
        )
        self._insight = without_conflict(self._insight, conflict, verdict.text if verdict else "")

    def hand_over(self, conflict: Conflict, gone: Container[NodeId], into: NodeId) -> Conflict:
        """Moves the sides that are gone to the node that stands for them; returns the conflict, moot perhaps."""
        moved = self._changed[conflict.conflict_id] = handed_over(conflict, gone, into, self._moment.now)
        if moved.status is ConflictStatus.MOOT:
            self._insight = without_conflict(self._insight, conflict)
        return moved

    def set_aside(self, conflict: Conflict) -> None:
        """Keeps a conflict that is to be closed when the round ends from parting its nodes until then."""
        self._changed[conflict.conflict_id] = closed(conflict, ConflictStatus.RESOLVED, self._moment.now)

    def release(self, conflict: Conflict, nodes: NodeEdits) -> None:
        """Makes a conflict's nodes active again, unless otherwise contested."""
        for side in conflict.sides:
            is_alone = self._bank.open_conflicts_of(side.node_id) == [conflict]
            if side.node_id not in nodes.gone and is_alone:
                nodes.set_state(side.node_id, NodeState.ACTIVE)

    def opponents(self, node_id: NodeId) -> set[NodeId]:
        """Returns the sides of the open conflicts in which the node is one: itself and its partners."""
        return {side.node_id for conflict in self._open_of(node_id) for side in conflict.sides}

    def is_at_issue(self, node_id: NodeId, opinion: ConflictOpinion) -> bool:
        """Whether two nodes are in open conflict about either of the two sentences, or about MOST_OF_PAIR others."""
        at_issue = [
            {side.node_id: side for side in conflict.sides}
            for conflict in self._open_of(node_id)
            if any(side.node_id == opinion.existing for side in conflict.sides)
        ]
        return len(at_issue) >= MOST_OF_PAIR or any(
            is_said(opinion.new_quote, sides[node_id])
            or is_said(opinion.existing_quote, sides[opinion.existing])
            for sides in at_issue
        )

    def _open_of(self, node_id: NodeId) -> list[Conflict]:
        """Returns the open conflicts in which a node is a side."""
        stored = {conflict.conflict_id: conflict for conflict in self._bank.open_conflicts_of(node_id)}
        standing = {**stored, **self._changed}.values()
        return [
            one
            for one in standing
            if one.status is ConflictStatus.OPEN and any(side.node_id == node_id for side in one.sides)
        ]

    def puts(self) -> list[ConflictPut]:
        """Returns the steps for conflicts that were changed."""
        return [ConflictPut(conflict=conflict) for conflict in self._changed.values()]
