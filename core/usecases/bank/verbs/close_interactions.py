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
    MergeAdd,
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
from core.model.copies import MOST_REFS, Copies
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
        # Other retractions may have taken records since that the held steps speak of.
        self._known = self._back | bank.tree.interactions.keys()
        returning = (s for s in self._held if isinstance(s, NodePut) and self._returns(s))
        self._living: set[NodeId] = {*bank.nodes, *(s.node.node_id for s in returning)}
        conflicts = [s.conflict for s in self._held if isinstance(s, ConflictPut)]
        self._conflicts = {c.conflict_id for c in conflicts if self._known.issuperset(_records(c))}
        open_ = [c for c in conflicts if c.conflict_id in self._conflicts and self._is_open(c)]
        self._open = {conflict.conflict_id for conflict in open_}
        self._disputed = {self._standing(side.node_id) for conflict in open_ for side in conflict.sides}
        merges = (s.record for s in self._held if isinstance(s, MergeAdd))
        self._into = {node.node_id: merge.into for merge in merges for node in merge.absorbed}

    def steps(self) -> Iterator[Step]:
        for step in self._held:
            yield from self._fitting(step)

    def _returns(self, step: NodePut) -> bool:
        """Whether a node went, and all that it rests on is there again."""
        node = step.node
        went = node.node_id not in self._bank.nodes and not self._back.isdisjoint(node.interaction_ids)
        return went and self._known.issuperset(node.interaction_ids)

    def _fitting(self, step: Step) -> Iterable[Step]:
        match step:
            case NodePut():
                return self._node(step)
            case EdgePut() | PairSettle():
                is_whole = {step.node_id, step.other_node_id} <= self._living
                return [step] if is_whole else []
            case CopiesPut():
                return self._copies(step.copies) if step.copies.node_id in self._living else []
            case ConflictPut():
                return self._conflict(step.conflict) if step.conflict.conflict_id in self._conflicts else []
            case MergeAdd():
                return [step] if self._lives_on(step.record.into) else []
            case SegmentRefute():
                settled = self._conflicts | self._bank.conflicts.keys()
                is_whole = step.ref.interaction_id in self._known and step.conflict_id in settled
                return [step] if is_whole else []
            case StructuringPut() | ClusterPut():
                return self._of_record(step)
            case InsightPut():
                return self._insight(step.insight)
            case _:
                return [step]

    def _lives_on(self, node_id: NodeId) -> bool:
        """Whether the node that stands for one in the end is there."""
        while node_id in self._into:
            node_id = self._into[node_id]
        return self._standing(node_id) in self._living

    def _standing(self, node_id: NodeId) -> NodeId:
        return self._bank.tree.standing_for(node_id) or node_id

    def _is_open(self, conflict: Conflict) -> bool:
        """Whether a conflict comes back as an open one: all its sides are there."""
        sides = {self._standing(side.node_id) for side in conflict.sides}
        return conflict.status is ConflictStatus.OPEN and sides <= self._living

    def _node(self, step: NodePut) -> Iterable[Step]:
        now = self._bank.nodes.get(step.node.node_id)
        if now is None and not self._returns(step):
            return []
        if now is not None and now.update_time != self._taken_at:
            return [self._contested(now.node_id)] if now.node_id in self._disputed else []
        node = replace(step.node, update_time=self._now, revision=self._revision)
        if node.node_id not in self._disputed and not self._bank.open_conflicts_of(node.node_id):
            node = replace(node, state=NodeState.ACTIVE)
        return [replace(step, node=node)]

    def _copies(self, before: Copies) -> Iterable[Step]:
        """Returns a node's copies with those that come back: what joined it meanwhile stays, what was taken back
        meanwhile is none of them."""
        now = self._bank.copies.get(before.node_id)
        if now is None:
            refs = tuple(ref for ref in before.refs if ref.interaction_id in self._known)
            count = before.count - (len(before.refs) - len(refs))
            return [CopiesPut(copies=replace(before, count=count, refs=refs))]
        back = [ref for ref in before.refs if ref.interaction_id in self._back]
        both = replace(
            now,
            count=now.count + len(back),
            first_time=min(before.first_time, now.first_time),
            last_time=max(before.last_time, now.last_time),
            refs=tuple(dict.fromkeys((*back, *now.refs)))[:MOST_REFS],
        )
        return [CopiesPut(copies=both)]

    def _contested(self, node_id: NodeId) -> Step:
        node = replace(
            self._bank.nodes[node_id],
            state=NodeState.CONTESTED,
            update_time=self._now,
            revision=self._revision,
        )
        return NodePut(node=node)

    def _conflict(self, conflict: Conflict) -> Iterable[Step]:
        if conflict.status is ConflictStatus.OPEN and conflict.conflict_id not in self._open:
            conflict = replace(conflict, status=ConflictStatus.MOOT, close_time=self._now)
        return [ConflictPut(conflict=conflict)]

    def _of_record(self, step: StructuringPut | ClusterPut) -> Iterable[Step]:
        """Returns what a record says of itself; of one that stayed only what it said of the plan, or of its topic."""
        of = step.cluster if isinstance(step, ClusterPut) else step.structuring
        if of.interaction_id not in self._known:
            return []
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
            task for task in before.pending if task.conflict_id in self._open and task.task_id not in planned
        )
        after = replace(now, completed=completed, pending=(*again, *now.pending))
        if again:
            after = replace(after, finished=False, outcome=None, reason="")
        return insight_steps(self._ports, self._bank, after) if after != now else []


def _records(conflict: Conflict) -> set[InteractionId]:
    """Returns the records whose words a conflict has, its verdict's among them."""
    records = {ref.interaction_id for side in conflict.sides for ref in side.segments}
    return records | {conflict.verdict_interaction_id} if conflict.verdict_interaction_id else records
