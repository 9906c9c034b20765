"""What rests on some records of a bank, the steps that take it out, and those that bring it back.

Law: pure, but for the vectors of neighbours that lose words. What is taken is written down as it was.
"""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from core.agents.offline.at_issue import at_issue
from core.agents.opinions import Opinions
from core.bank.bank import Bank
from core.bank.steps import (
    AttachmentPut,
    ClusterPut,
    ConflictPut,
    CopiesPut,
    EdgePut,
    InteractionAdd,
    MergeAdd,
    NodeDrop,
    NodePut,
    PairSettle,
    RecordsDrop,
    SegmentRefute,
    Step,
    StructuringPut,
    insight_put,
)
from core.ids import AttachmentId, ConflictId, InteractionId, NodeId, SegmentRef
from core.model.conflict import Conflict, ConflictStatus, Side
from core.model.copies import Copies
from core.model.insight import CompletedTask, Insight
from core.model.lineage import MergeRecord
from core.model.node import Node, NodeState
from core.model.structuring import ClusterWork, Purpose, Structuring
from core.text import sentences
from core.usecases.bank.plans.going_on import going_on, insight_steps
from core.usecases.bank.plans.planning import attempts_at, validation_id, with_validations
from core.usecases.bank.structuring.absorb import embedding_text
from core.usecases.bank.structuring.contest import without_sides
from core.usecases.bank.structuring.rewording import words_without
from core.usecases.ports import MomentPorts
from core.usecases.spaces import require_own_space

LONGEST_CONTEXT = 200  # code points of a topic whose own words are not its own any more


@dataclass(frozen=True, slots=True, kw_only=True)
class Resting:
    """What goes with `records`. `waiting`: clusters of other records, by number, that stood in nodes that go."""

    records: frozenset[InteractionId]
    nodes: frozenset[NodeId]
    conflicts: frozenset[ConflictId]
    waiting: tuple[SegmentRef, ...]


def resting_on(bank: Bank, chosen: AbstractSet[InteractionId]) -> Resting:
    """Returns all that rests on the records chosen, with the verdicts that were passed on it."""
    records = set(chosen)
    while True:
        nodes = frozenset(n for n, node in bank.nodes.items() if not records.isdisjoint(node.interaction_ids))
        conflicts = [c for c in bank.conflicts.values() if _rests(bank, c, records, nodes)]
        verdicts = {c.verdict_interaction_id for c in conflicts if c.verdict_interaction_id} - records
        if not verdicts:
            break
        records |= {verdict for verdict in verdicts if verdict in bank.tree.interactions}
        if not verdicts & bank.tree.interactions.keys():
            break
    return Resting(
        records=frozenset(records),
        nodes=nodes,
        conflicts=frozenset(c.conflict_id for c in conflicts),
        waiting=tuple(_waiting(bank, records, nodes)),
    )


def _rests(
    bank: Bank, conflict: Conflict, records: AbstractSet[InteractionId], nodes: AbstractSet[NodeId]
) -> bool:
    """Whether a conflict has words of the records at issue; an open one also where a side of it goes."""
    if any(ref.interaction_id in records for side in conflict.sides for ref in side.segments):
        return True
    if conflict.status is not ConflictStatus.OPEN:
        return any(side.node_id in nodes for side in conflict.sides)
    return any((_stands(bank, side.node_id) in nodes) for side in conflict.sides)


def _stands(bank: Bank, node_id: NodeId) -> NodeId:
    return bank.tree.standing_for(node_id) or node_id


def _waiting(
    bank: Bank, records: AbstractSet[InteractionId], nodes: AbstractSet[NodeId]
) -> Iterator[SegmentRef]:
    """Yields clusters of records that stay whose node goes. What a verdict consolidated stays settled."""
    for interaction_id, structuring in bank.tree.structurings.items():
        if interaction_id in records or structuring.purpose is Purpose.RESOLVE:
            continue
        for cluster in bank.tree.clusters(interaction_id):
            if cluster.outcome is not None and _stands(bank, cluster.outcome.node_id) in nodes:
                yield SegmentRef(interaction_id, cluster.number)


class Taking:
    """The change that takes out what rests on some records, and its inverse."""

    def __init__(
        self,
        ports: MomentPorts,
        bank: Bank,
        resting: Resting,
        opinions: Opinions,
        now: datetime,
        revision: int,
    ) -> None:
        """Raises OpinionPending."""
        self._ports, self._bank, self._resting = ports, bank, resting
        self._now, self._revision = now, revision
        self._new_id = opinions.new_id
        self._changed = self._restored(opinions)

    def steps(self) -> list[Step]:
        bank, resting = self._bank, self._resting
        steps: list[Step] = [CopiesPut(copies=after) for _, after in self._copies]
        steps += [NodeDrop(node_id=node_id) for node_id in sorted(resting.nodes)]
        steps += self._changed.values()
        steps.append(
            RecordsDrop(
                interaction_ids=tuple(sorted(resting.records)),
                merged=tuple(record.into for record in self._merges),
                conflict_ids=tuple(sorted(resting.conflicts)),
                attachment_ids=self._attachments,
            )
        )
        steps += [ConflictPut(conflict=conflict) for conflict in self._left_over]
        steps += [StructuringPut(structuring=after) for _, after in self._snapshots]
        steps += [ClusterPut(cluster=after) for _, after in self._topics]
        after = going_on(self._ports, bank, self._insight)
        return [*steps, *insight_steps(self._ports, bank, after)]

    def held(self) -> list[Step]:
        """Returns the steps by which all of it was made, in an order in which they can be carried out."""
        bank, resting, tree = self._bank, self._resting, self._bank.tree
        records, nodes = sorted(resting.records), sorted(resting.nodes)
        steps: list[Step] = [InteractionAdd(interaction=tree.interactions[i]) for i in records]
        steps += [StructuringPut(structuring=tree.structurings[i]) for i in records if i in tree.structurings]
        steps += [ClusterPut(cluster=cluster) for i in records for cluster in tree.clusters(i)]
        steps += [AttachmentPut(attachment=bank.attachments[a]) for a in self._attachments]
        for node_id in (*nodes, *sorted(self._changed)):
            steps.append(NodePut(node=bank.nodes[node_id], vector=bank.node_vectors.get(node_id)))
        for node_id in nodes:
            near = (n for n in sorted(bank.graph.neighbors(node_id)) if n not in resting.nodes or n > node_id)
            steps += [EdgePut(node_id=node_id, other_node_id=other) for other in near]
            settled = (n for n in sorted(bank.settled_with(node_id)))
            steps += [PairSettle(node_id=node_id, other_node_id=other) for other in settled]
            steps += [CopiesPut(copies=bank.copies[node_id])] if node_id in bank.copies else []
        steps += [CopiesPut(copies=before) for before, _ in self._copies]
        steps += [MergeAdd(record=record) for record in self._merges]
        steps += [ConflictPut(conflict=bank.conflicts[c]) for c in sorted(resting.conflicts)]
        steps += self._refutations
        steps += [StructuringPut(structuring=before) for before, _ in self._snapshots]
        steps += [ClusterPut(cluster=before) for before, _ in self._topics]
        return [*steps, insight_put(Insight(), bank.insight)]

    # ---- nodes that stay ----

    def _restored(self, opinions: Opinions) -> Mapping[NodeId, NodePut]:
        """Returns nodes that lose the words of those that go, or are disputed no more. Raises OpinionPending."""
        bank, gone = self._bank, self._resting.nodes
        near = {n for node_id in gone for n in bank.graph.neighbors(node_id)} - gone
        changed: dict[NodeId, Node] = {}
        for node_id in sorted(near):
            node = bank.nodes[node_id]
            context, keywords = words_without(bank, node, *gone)
            if (context, keywords) != (node.context, node.keywords):
                changed[node_id] = self._touched(replace(node, context=context, keywords=keywords))
        texts = [embedding_text(node) for node in changed.values()] if bank.embeds else []
        if texts:
            require_own_space(self._ports, bank)
        vectors = opinions.vectors(texts) if texts else [None] * len(changed)
        puts = {
            node_id: NodePut(node=node, vector=vector)
            for (node_id, node), vector in zip(changed.items(), vectors, strict=True)
        }
        for node_id in sorted(self._freed()):
            put = puts.get(node_id)
            node = replace(put.node if put else bank.nodes[node_id], state=NodeState.ACTIVE)
            puts[node_id] = NodePut(node=self._touched(node), vector=put.vector if put else None)
        return puts

    def _freed(self) -> Iterable[NodeId]:
        """Yields the other sides of conflicts that go, where no further one is open."""
        bank, resting = self._bank, self._resting
        disputed = {side.node_id for conflict in self._left_over for side in conflict.sides}
        for node_id, node in bank.nodes.items():
            if node.state is NodeState.CONTESTED and node_id not in resting.nodes:
                open_ = {conflict.conflict_id for conflict in bank.open_conflicts_of(node_id)}
                if open_ and open_ <= resting.conflicts and node_id not in disputed:
                    yield node_id

    @cached_property
    def _left_over(self) -> list[Conflict]:
        """Returns new conflicts of the sides that stay, where they contradict each other without those that go. Their
        words are told anew: the old ones may be of what goes."""
        found = []
        for conflict_id in sorted(self._resting.conflicts):
            conflict = self._bank.conflicts[conflict_id]
            gone = {side.node_id for side in conflict.sides if self._goes(side)}
            left = without_sides(conflict, gone) if conflict.status is ConflictStatus.OPEN else None
            if left is not None:
                first, *others = left.sides
                points = [at_issue(first.quote, other.quote) for other in others]
                new_id = ConflictId(self._new_id("c", "left of", conflict_id))
                found.append(replace(left, conflict_id=new_id, description="\n".join(points), reasoning=""))
        return found

    def _goes(self, side: Side) -> bool:
        records = {ref.interaction_id for ref in side.segments}
        return side.node_id in self._resting.nodes or not records.isdisjoint(self._resting.records)

    def _touched(self, node: Node) -> Node:
        return replace(node, update_time=self._now, revision=self._revision)

    @cached_property
    def _copies(self) -> list[tuple[Copies, Copies]]:
        """Returns the copies of nodes that stay, before and after, where a record that goes is among them."""
        found = []
        for node_id, copies in self._bank.copies.items():
            left = tuple(ref for ref in copies.refs if ref.interaction_id not in self._resting.records)
            if node_id not in self._resting.nodes and left != copies.refs:
                count = copies.count - (len(copies.refs) - len(left))
                found.append((copies, replace(copies, refs=left, count=count)))
        return found

    # ---- history ----

    @cached_property
    def _merges(self) -> list[MergeRecord]:
        nodes = self._resting.nodes
        return [m for m in self._bank.tree.merges if _stands(self._bank, m.into) in nodes]

    @cached_property
    def _refutations(self) -> list[SegmentRefute]:
        records, conflicts = self._resting.records, self._resting.conflicts
        return [
            each
            for each in self._bank.tree.refutations()
            if each.ref.interaction_id in records or each.conflict_id in conflicts
        ]

    @cached_property
    def _attachments(self) -> tuple[AttachmentId, ...]:
        """Returns uploaded files that no other record names."""
        tree, records = self._bank.tree, self._resting.records
        others = {
            a.attachment_id
            for i, each in tree.interactions.items()
            if i not in records
            for a in each.attachments
        }
        own = {a.attachment_id for i in records for a in tree.interactions[i].attachments}
        return tuple(sorted(a for a in own - others if a in self._bank.attachments))

    @cached_property
    def _topics(self) -> list[tuple[ClusterWork, ClusterWork]]:
        """Returns topics of records that stay and have the words of a node that goes: they joined it as copies."""
        found = []
        for interaction_id, number in self._resting.waiting:
            cluster = self._bank.tree.cluster(interaction_id, number)
            if cluster is not None and cluster.outcome is not None and cluster.outcome.joined:
                first = self._bank.tree.text(SegmentRef(interaction_id, cluster.segments[0]))
                said = " ".join(sentences.split(first)[:1]) or first
                found.append((cluster, replace(cluster, context=said[:LONGEST_CONTEXT], keywords=())))
        return found

    # ---- the plan ----

    @cached_property
    def _insight(self) -> Insight:
        insight = self._cleaned(self._bank.insight)
        if not self._left_over:
            return insight
        standing = [c for c in self._bank.open_conflicts() if c.conflict_id not in self._resting.conflicts]
        floor = self._ports.settings.retrieval.validation_floor_of(self._bank)
        return with_validations(insight, [*standing, *self._left_over], floor)

    @cached_property
    def _snapshots(self) -> list[tuple[Structuring, Structuring]]:
        """Returns what later records say of the plan of their time, where it speaks of what goes."""
        found = []
        for interaction_id, structuring in self._bank.tree.structurings.items():
            if structuring.insight is not None and interaction_id not in self._resting.records:
                after = self._cleaned(structuring.insight)
                if after != structuring.insight:
                    found.append((structuring, replace(structuring, insight=after)))
        return found

    @cached_property
    def _untold(self) -> frozenset[str]:
        """Returns the tasks whose words rest on what goes: those of its reports, and validations of its conflicts."""
        resting, insight = self._resting, self._bank.insight
        told = {self._reported(interaction_id) for interaction_id in resting.records}
        for conflict_id in resting.conflicts:
            told |= {validation_id(conflict_id), *(t.task_id for t in attempts_at(insight, conflict_id))}
        return frozenset(told)

    def _reported(self, interaction_id: InteractionId) -> str:
        """Returns the task that a record reported; empty for none. One that had no id got one as it was completed."""
        report = self._bank.tree.interactions[interaction_id].task
        if report is None or report.task_id:
            return report.task_id if report else ""
        structuring = self._bank.tree.structurings.get(interaction_id)
        done = self._bank.insight.completed[: structuring.completed_tasks] if structuring else ()
        alike = (t for t in reversed(done) if report.description in ("", t.description))
        return next((t.task_id for t in alike if report.type in ("", t.type)), "")

    def _cleaned(self, insight: Insight) -> Insight:
        """Returns a document without what rests on what goes: completed tasks stay, without their words."""
        completed = tuple(map(self._without_words, insight.completed))
        pending = tuple(t for t in insight.pending if t.conflict_id not in self._resting.conflicts)
        after = replace(insight, completed=completed, pending=pending)
        return replace(after, digest="", digested_tasks=0) if completed != insight.completed else after

    def _without_words(self, task: CompletedTask) -> CompletedTask:
        return replace(task, description="", context="") if task.task_id in self._untold else task
