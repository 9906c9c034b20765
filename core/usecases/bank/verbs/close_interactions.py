"""ReleaseInteractions and EraseInteractions: what was taken back of a bank stands again, or goes for good.

A release carries out the steps that were held, as far as what they refer to stands; a node or a plan that changed
meanwhile stays as it is. An erasure leaves the ids and counts of its retraction, and sets the structuring of other
records that stood in the nodes that went to work again.

Law: one change each; what follows an erasure is structuring, which any process resumes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from core.bank.bank import Bank
from core.bank.steps import (
    STEPS,
    ClusterPut,
    ConflictPut,
    CopiesPut,
    EdgePut,
    InsightPut,
    InteractionAdd,
    NodePut,
    PairSettle,
    RetractionPut,
    SegmentRefute,
    Step,
    StructuringPut,
)
from core.errors import RetractionClosed, RetractionNotFound
from core.ids import InteractionId, NodeId
from core.keys import BankKey
from core.model.conflict import Conflict, ConflictStatus
from core.model.insight import CompletedTask, Insight
from core.model.interaction_retraction import InteractionRetraction
from core.model.node import NodeState
from core.model.retraction import RetractionState
from core.model.structuring import StructuringState
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.bank.plans.going_on import insight_steps
from core.usecases.bank.ports import ClosingPorts
from core.usecases.bank.structuring.take_up import take_up
from core.usecases.ports import MakingPorts
from core.usecases.retractions import tell_retracted


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseInteractions:
    """`erases`: else it is released."""

    key: BankKey
    retraction_id: str
    erases: bool
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionsEnded:
    """The retraction without words. `anew`: records that are structured anew."""

    retraction: InteractionRetraction
    anew: tuple[InteractionId, ...]


async def close_interactions(
    ports: ClosingPorts, command: CloseInteractions
) -> CommitResult[InteractionsEnded]:
    """Raises RetractionNotFound, RetractionClosed, BankNotFound, RequestIdReused."""
    now = ports.clock.now()

    def stage(bank: Bank, revision: int) -> Draft[InteractionsEnded]:
        retraction = bank.retractions.get(command.retraction_id)
        if retraction is None:
            raise RetractionNotFound(command.retraction_id)
        if retraction.state is not RetractionState.QUARANTINED:
            raise RetractionClosed(command.retraction_id, retraction.state)
        state = RetractionState.ERASED if command.erases else RetractionState.RELEASED
        closed = replace(retraction, state=state, close_time=now, held="", waiting=())
        waiting = _anew(bank, retraction, now) if command.erases else []
        back = [] if command.erases else list(_Release(ports, bank, retraction, now, revision).steps())
        anew = dict.fromkeys(s.structuring.interaction_id for s in waiting if isinstance(s, StructuringPut))
        return Draft(
            result=InteractionsEnded(retraction=closed, anew=tuple(anew)),
            steps=(*back, *waiting, RetractionPut(retraction=closed)),
            sees_all=True,
            erase=command.erases,
        )

    committed = await ports.banks.commit(command.key, stage, command.request, InteractionsEnded)
    await tell_retracted(ports, ports.banks, command.key, committed.result.retraction)
    for interaction_id in committed.result.anew:
        take_up(ports, command.key, interaction_id)
    return committed


def _anew(bank: Bank, retraction: InteractionRetraction, now: datetime) -> list[Step]:
    """Returns the steps by which clusters whose nodes went are due again."""
    steps: list[Step] = []
    due: dict[InteractionId, None] = {}
    for interaction_id, number in retraction.waiting:
        cluster = bank.tree.cluster(interaction_id, number)
        outcome = cluster.outcome if cluster else None
        if cluster is None or outcome is None:
            continue
        if (bank.tree.standing_for(outcome.node_id) or outcome.node_id) in bank.nodes:
            continue
        steps.append(ClusterPut(cluster=replace(cluster, outcome=None)))
        due[interaction_id] = None
    for interaction_id in due:
        structuring = bank.tree.structuring(interaction_id)
        again = replace(structuring, state=StructuringState.PENDING, update_time=now)
        steps.append(StructuringPut(structuring=again))
    return steps


class _Release:
    """The steps that were held, as far as they fit the bank as it stands."""

    def __init__(
        self, ports: MakingPorts, bank: Bank, retraction: InteractionRetraction, now: datetime, revision: int
    ) -> None:
        self._ports, self._bank, self._now, self._revision = ports, bank, now, revision
        self._held = STEPS.steps(retraction.held)
        self._taken_at = retraction.create_time
        self._back = {s.interaction.interaction_id for s in self._held if isinstance(s, InteractionAdd)}
        returning = (s for s in self._held if isinstance(s, NodePut) and self._returns(s))
        self._living: set[NodeId] = {*bank.nodes, *(s.node.node_id for s in returning)}

    def steps(self) -> Iterator[Step]:
        for step in self._held:
            yield from self._fitting(step)

    def _returns(self, step: NodePut) -> bool:
        """Whether a node went: all that it rests on comes back."""
        node = step.node
        return node.node_id not in self._bank.nodes and not self._back.isdisjoint(node.interaction_ids)

    def _fitting(self, step: Step) -> Iterable[Step]:
        match step:
            case NodePut():
                return self._node(step)
            case EdgePut() | PairSettle():
                is_whole = {step.node_id, step.other_node_id} <= self._living
                return [step] if is_whole else []
            case CopiesPut():
                return [step] if step.copies.node_id in self._living else []
            case ConflictPut():
                return self._conflict(step.conflict)
            case SegmentRefute():
                known = self._back | self._bank.tree.interactions.keys()
                return [step] if step.ref.interaction_id in known else []
            case StructuringPut() | ClusterPut():
                return self._of_record(step)
            case InsightPut():
                return self._insight(step.insight)
            case _:
                return [step]

    def _node(self, step: NodePut) -> Iterable[Step]:
        now = self._bank.nodes.get(step.node.node_id)
        if now is None and not self._returns(step):
            return []
        if now is not None and now.update_time != self._taken_at:
            return [self._contested(now.node_id)] if step.node.state is NodeState.CONTESTED else []
        node = replace(step.node, update_time=self._now, revision=self._revision)
        return [replace(step, node=node)]

    def _contested(self, node_id: NodeId) -> Step:
        node = replace(
            self._bank.nodes[node_id],
            state=NodeState.CONTESTED,
            update_time=self._now,
            revision=self._revision,
        )
        return NodePut(node=node)

    def _conflict(self, conflict: Conflict) -> Iterable[Step]:
        sides = {self._bank.tree.standing_for(s.node_id) or s.node_id for s in conflict.sides}
        if conflict.status is ConflictStatus.OPEN and not sides <= self._living:
            conflict = replace(conflict, status=ConflictStatus.MOOT, close_time=self._now)
        return [ConflictPut(conflict=conflict)]

    def _of_record(self, step: StructuringPut | ClusterPut) -> Iterable[Step]:
        """Returns what a record says of itself; of one that stayed only what it said of the plan, or of its topic."""
        if isinstance(step, ClusterPut):
            cluster = step.cluster
            now = self._bank.tree.cluster(cluster.interaction_id, cluster.number)
            return [step] if now is None or now.outcome == cluster.outcome else []
        structuring = step.structuring
        there = self._bank.tree.structurings.get(structuring.interaction_id)
        if there is None:
            return [step]
        return [StructuringPut(structuring=replace(there, insight=structuring.insight))]

    def _insight(self, before: Insight) -> Iterable[Step]:
        """Returns the plan with the words that it had, and the validations that are open again."""
        now = self._bank.insight
        told: dict[str, CompletedTask] = {task.task_id: task for task in before.completed}
        completed = tuple(
            told.get(task.task_id, task) if not (task.description or task.context) else task
            for task in now.completed
        )
        planned = {t.task_id for t in now.pending} | {t.task_id for t in now.completed}
        again = tuple(
            task
            for task in before.pending
            if task.conflict_id and task.task_id not in planned and self._is_held(task.conflict_id)
        )
        after = replace(now, completed=completed, pending=(*again, *now.pending))
        if again:
            after = replace(after, finished=False, outcome=None, reason="")
        return insight_steps(self._ports, self._bank, after) if after != now else []

    def _is_held(self, conflict_id: str) -> bool:
        return any(isinstance(s, ConflictPut) and s.conflict.conflict_id == conflict_id for s in self._held)
