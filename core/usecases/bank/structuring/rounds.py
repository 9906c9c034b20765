"""A new node's round: conflict before merge before related, until only related remains.

Law: composing a round is synchronous and repeatable (see `core.agents.opinions`): it reads the
bank as it stands and writes nothing; all it wants changed is in `draft_steps`, one change. So a
round is never half done, and two racing memories always see each other: whoever comes second
composes again on the bank that has the first.
"""

from collections.abc import Sequence
from dataclasses import replace

from core.agents.opinions import Opinions
from core.agents.roles import ConflictOpinion, Consolidation, MergeOpinion, RelatedOpinion
from core.bank.bank import Bank
from core.bank.graph import Links, inherited_links
from core.bank.steps import CopiesPut, EdgePut, MergeAdd, NodePut, PairSettle, Step
from core.ids import ConflictId, NodeId
from core.model.conflict import Conflict, ConflictStatus, VerdictType
from core.model.insight import Insight
from core.model.lineage import MergeReason, MergeRecord
from core.model.node import Node, NodeState
from core.model.structuring import Outcome
from core.model.vector import Vector
from core.usecases.bank.structuring.absorb import (
    absorbed,
    inherited,
    merge_made,
    merged_node,
    topic,
)
from core.usecases.bank.structuring.conflict_edits import ConflictEdits, disputes
from core.usecases.bank.structuring.contest import contested
from core.usecases.bank.structuring.edits import NodeEdits
from core.usecases.bank.structuring.joining import of_all
from core.usecases.bank.structuring.repetition import repetitions_elsewhere, repetitions_in
from core.usecases.bank.structuring.rewording import reworded, touched, union
from core.usecases.bank.structuring.round_judgements import RoundJudgements
from core.usecases.bank.structuring.round_vectors import RoundVectors
from core.usecases.bank.structuring.settled import Points
from core.usecases.bank.structuring.suspicions import Suspicions
from core.usecases.bank.structuring.verdicts import Verdict
from core.usecases.moment import Moment

MAX_MERGES = 16
"""Merging shrinks the graph, so a round ends; the cap guards against an agent that never stops."""


class Round:
    """One round over one bank. Enter a node, resolve a conflict or reconsider a node; then take the steps.

    `embeds_later`: nodes that it rewords keep their vectors, and are `reworded`, for
    `core.usecases.bank.structuring.reworded` to embed.
    """

    def __init__(self, bank: Bank, opinions: Opinions, moment: Moment, *, embeds_later: bool = False) -> None:
        self._bank = bank
        self._opinions = opinions
        self._moment = moment
        self._entered: Node | None = None
        self._vector: Vector | None = None
        self._neighbors: set[NodeId] = set()
        self._edges: list[tuple[NodeId, NodeId]] = []
        self._edits = NodeEdits(bank, moment)
        self._records: list[MergeRecord] = []
        self._conflicts = ConflictEdits(bank, moment)
        self._points = Points(bank)
        self._suspicions = Suspicions(bank, moment.now)
        self._judgements = RoundJudgements(bank, opinions, moment, self._edits, self._conflicts, self._points)
        self._vectors = RoundVectors(bank, opinions, embeds_later=embeds_later)

    @property
    def _current(self) -> Node:
        """The node that goes round: the one that entered, then what it merged into."""
        if self._entered is None:
            raise RuntimeError("no node has entered this round")
        return self._entered

    # ---- ways in ----

    def enter(self, node: Node, vector: Vector, *, judged: bool = True) -> Outcome:
        """Enters a node that is not in the bank yet. One that is not `judged` is but related. Raises OpinionPending."""
        self._entered, self._vector = node, vector
        self._points.mark(repetitions_in(self._bank, node.source, node.segments))
        return self._go_round() if judged else self._join_related()

    def reconsider(self, node_id: NodeId) -> Outcome:
        """Sends a node of the bank round again, its settled partners and neighbours apart. Raises OpinionPending."""
        self._entered = self._edits.shown(node_id)
        self._vector = self._bank.node_vectors.get(node_id)
        self._neighbors = set(self._bank.graph.neighbors(node_id))
        return self._go_round()

    def settle(self, conflict: Conflict, verdict: Verdict) -> Outcome:
        """Closes the conflict by the verdict: its nodes become one, or stay apart. Raises OpinionPending."""
        sides = tuple(topic(self._bank.nodes[side.node_id]) for side in conflict.sides)
        type_ = verdict.type or self._opinions.verdict_type(sides, verdict.text, verdict.evidence)
        if type_ is VerdictType.MERGE:
            return self._resolve(conflict, verdict)
        self.dismiss(conflict, verdict)
        return self.reconsider(conflict.sides[0].node_id)

    def _resolve(self, conflict: Conflict, verdict: Verdict) -> Outcome:
        """Makes the conflict's nodes one by the verdict, which goes round again."""
        sides = [self._bank.nodes[side.node_id] for side in conflict.sides]
        made = self._absorb(sides, MergeReason.CONFLICT, conflict.description, verdict, conflict.conflict_id)
        self._suspicions.refuted += made.refuted
        self._points.settle(conflict, sides, made.refuted)
        self._points.mark(repetitions_elsewhere(self._bank, conflict, made.refuted, verdict.text))
        self._entered = replace(
            self._current,
            event_time=verdict.event_time,
            interaction_ids=union(self._current.interaction_ids, (verdict.interaction_id,)),
            segments=union(self._current.segments, verdict.segments),
        )
        settled = [conflict, *self._hand_over_conflicts(conflict.conflict_id)]
        outcome = self._go_round()
        for each in settled:
            self._conflicts.close(each, ConflictStatus.RESOLVED, verdict, outcome.node_id)
        return outcome

    def merge(
        self,
        nodes: Sequence[Node],
        texts: Consolidation | None = None,
        node_id: NodeId | None = None,
        vector: Vector | None = None,
    ) -> MergeRecord:
        """Makes nodes one at a caller's request, without going round.

        `texts` are the caller's words for it. Neighbours are reworded by the Consolidator, but in a bank
        of CLIENT vectors, where `texts` and `vector` must be given, they are left alone. Raises OpinionPending.
        """
        links = self._links(nodes)
        if texts is None:
            made = self._consolidation(nodes, links, MergeReason.REQUEST)
        elif links and self._bank.embeds:
            asked = self._consolidation(nodes, links, MergeReason.REQUEST)
            made = replace(asked, summary=texts.summary, context=texts.context, keywords=texts.keywords)
        else:
            made = texts
        self._become(nodes, made, links, node_id, vector)
        return self._record(nodes, made, MergeReason.REQUEST)

    @property
    def merged(self) -> tuple[Node, tuple[Node, ...]]:
        """The node that came of `merge`, and the neighbours it reworded."""
        return self._current, self._edits.changed()

    def dismiss(self, conflict: Conflict, verdict: Verdict | None = None) -> None:
        """Closes a conflict as none: its nodes are active again unless otherwise contested, and the pairs settled."""
        self._conflicts.close(conflict, ConflictStatus.DISMISSED, verdict)
        self._points.dismiss(conflict)
        self._conflicts.release(conflict, self._edits)

    # ---- what comes out ----

    @property
    def reworded(self) -> dict[NodeId, int]:
        """The nodes whose vectors are of other words now, with a checksum of these. None where it embeds at once."""
        own = {self._entered.node_id: self._vector} if self._entered else {}
        return self._vectors.reworded(own, self._edits.gone)

    @property
    def insight(self) -> Insight:
        """The document with the conflicts that the round opened and closed: the bank's own where there are none."""
        return self._conflicts.insight

    def draft_steps(self) -> list[Step]:
        """Returns everything the round changes besides the document, as the steps of one change."""
        steps: list[Step] = [*self._edits.drops()]
        if self._entered is not None:
            steps.append(NodePut(node=self._current, vector=self._vector))
            if copies := of_all(self._bank, self._current.node_id, self._edits.gone):
                steps.append(CopiesPut(copies=copies))
        steps += self._edits.puts(apart=self._entered.node_id if self._entered else None)
        steps += [EdgePut(node_id=a, other_node_id=b) for a, b in self._new_edges()]
        steps += [MergeAdd(record=record) for record in self._records]
        steps += self._points.refuted
        steps += [
            PairSettle(node_id=a, other_node_id=b)
            for a, b in dict.fromkeys((*self._points.dismissed_pairs, *self._points.pairs))
            if not {a, b} & set(self._edits.gone)
        ]
        suspected = self._suspicions.puts(
            self._entered, self._edits.gone, self._conflicts.opened_conflict, self._opinions.new_id
        )
        return [*steps, *self._conflicts.puts(), *suspected]

    # ---- the round ----

    def _go_round(self) -> Outcome:
        for _ in range(MAX_MERGES):
            found = self._judgements.conflicts_and_merges(self._current, self._vector, self._neighbors)
            conflicts = [o for o in found if isinstance(o, ConflictOpinion)]
            disputed = [o for o in conflicts if self._moment.is_sure(o)]
            self._suspicions.noted = [o for o in conflicts if o not in disputed]
            if disputed:
                self._contest(disputed)
                return self._outcome()
            same = [o for o in found if isinstance(o, MergeOpinion)]
            if merges := [o for o in same if self._may_merge(o.existing)]:
                partners = [self._bank.nodes[o.existing] for o in merges]
                strategy = "\n".join(dict.fromkeys(o.strategy for o in merges if o.strategy))
                self._absorb([self._current, *partners], MergeReason.MERGE, strategy)
            elif same:  # only phase 1 without an opinion makes room for phase 2
                return self._outcome()
            else:
                break
        return self._join_related()

    def _join_related(self) -> Outcome:
        """Ends the round: an edge to each neighbour that the Judge finds related."""
        if related := self._judgements.related(self._current, self._vector, self._neighbors):
            self._relate(related)
        return self._outcome()

    def _may_merge(self, node_id: NodeId) -> bool:
        """Whether neither is contested: a contested node is absorbed by its conflict's resolution only."""
        return NodeState.CONTESTED not in (self._bank.nodes[node_id].state, self._current.state)

    def _outcome(self) -> Outcome:
        return Outcome(
            node_id=self._current.node_id,
            merges=tuple(map(merge_made, self._records)),
            related=tuple(self._edges),
            conflict_id=self._conflicts.opened,
            uncompared_pairs=self._judgements.uncompared_pairs,
            reworded=self.reworded,
        )

    # ---- conflict ----

    def _contest(self, opinions: Sequence[ConflictOpinion]) -> None:
        """Keeps the new node in one conflict with all its partners; its validation is planned from the floor on. Where
        a sentence is at issue already, the node becomes a side of that conflict."""
        standing = self._conflicts.disputed_by(self._current.node_id, opinions)
        if standing is not None:
            quotes = {o.new_quote for o in opinions if disputes(o, standing)}
            ours = [o for o in opinions if disputes(o, standing) or o.new_quote in quotes]
            self._conflicts.join(standing, self._contested(ours))
            opinions = [o for o in opinions if o not in ours]
        if opinions:
            self._conflicts.open(self._contested(opinions))
        self._entered = touched(self._current, self._moment, state=NodeState.CONTESTED)

    def _contested(self, opinions: Sequence[ConflictOpinion]) -> Conflict:
        """Returns a conflict of the node that goes round with partners, which are contested from now on."""
        partners = [opinion.existing for opinion in opinions]
        quotes = [opinion.new_quote for opinion in opinions]
        for partner in partners:
            self._edits.set_state(partner, NodeState.CONTESTED)
        conflict_id = ConflictId(self._opinions.new_id("c", self._current.node_id, *partners, *quotes))
        return contested(self._bank, self._current, opinions, conflict_id, self._moment.now)

    def _hand_over_conflicts(self, resolved: ConflictId) -> list[Conflict]:
        """Moves other open conflicts of the nodes just absorbed to the node that stands for them. Returns those that
        the verdict settles too."""
        settled = []
        others = {c.conflict_id: c for n in self._edits.gone for c in self._bank.open_conflicts_of(n)}
        others.pop(resolved, None)
        for conflict in others.values():
            moved = self._conflicts.hand_over(conflict, self._edits.gone, self._current.node_id)
            if moved.status is ConflictStatus.MOOT:
                continue
            if self._points.settles_too(self._current, moved):
                settled.append(moved)
                self._conflicts.set_aside(moved)
                self._conflicts.release(conflict, self._edits)
            else:
                self._entered = replace(self._current, state=NodeState.CONTESTED)
        return settled

    # ---- merge ----

    def _absorb(
        self,
        nodes: Sequence[Node],
        reason: MergeReason,
        strategy: str,
        verdict: Verdict | None = None,
        conflict_id: ConflictId | None = None,
    ) -> Consolidation:
        """Makes one node of several, which goes round in their place."""
        links = self._links(nodes)
        made = self._consolidation(nodes, links, reason, strategy, verdict)
        self._become(nodes, made, links)
        self._record(nodes, made, reason, conflict_id, verdict.text if verdict else "")
        return made

    def _consolidation(
        self,
        nodes: Sequence[Node],
        links: Links,
        reason: MergeReason,
        strategy: str = "",
        verdict: Verdict | None = None,
    ) -> Consolidation:
        words, rests_on = (verdict.text, verdict.evidence) if verdict else ("", "")
        return self._opinions.consolidation(
            absorbed(nodes), inherited(self._bank, links), reason, words, strategy, rests_on
        )

    def _become(
        self,
        nodes: Sequence[Node],
        made: Consolidation,
        links: Links,
        node_id: NodeId | None = None,
        vector: Vector | None = None,
    ) -> None:
        """Makes the current node one for all of these; it inherits every outside neighbour once."""
        self._edits.absorb(nodes)
        ids = (node.node_id for node in nodes)
        node_id = node_id or NodeId(self._opinions.new_id("n", "merge", *ids))
        self._entered = merged_node(nodes, made, node_id, self._moment)
        self._neighbors = set(links)
        updates = sorted(made.neighbor_updates.items())
        near = [self._edits.reworded(n, new.context, new.keywords) for n, new in updates]
        own = [] if vector is not None else [self._current]
        vectors = self._vectors.of(own, near)
        self._vector = vectors.pop(0) if vector is None else vector
        for node, made_vector in zip(near, vectors, strict=True):
            self._edits.put(node, made_vector)

    def _record(
        self,
        nodes: Sequence[Node],
        made: Consolidation,
        reason: MergeReason,
        conflict_id: ConflictId | None = None,
        verdict: str = "",
    ) -> MergeRecord:
        record = MergeRecord(
            into=self._current.node_id,
            absorbed=tuple(nodes),
            reason=reason,
            description=made.description,
            time=self._moment.now,
            conflict_id=conflict_id,
            verdict=verdict,
        )
        self._records.append(record)
        return record

    def _links(self, nodes: Sequence[Node]) -> Links:
        """Returns every outside neighbour of the nodes, with those it was linked to."""
        own = {self._entered.node_id: self._neighbors} if self._entered else {}
        ids = [node.node_id for node in nodes]
        near = {n: own[n] if n in own else self._bank.graph.neighbors(n) for n in ids}
        return inherited_links(near, self._edits.gone)

    # ---- related ----

    def _relate(self, opinions: Sequence[RelatedOpinion]) -> None:
        """Adds an edge to each; both ends name each other: by the most confident one's context, all their keywords, and
        what earlier neighbours lent."""
        current = self._current
        words = [opinion.keywords_new for opinion in opinions]
        self._entered = reworded(current, self._moment, opinions[0].context_new, current.keywords, *words)
        others = [
            self._edits.reworded(
                o.existing, o.context_existing, self._edits.shown(o.existing).keywords, o.keywords_existing
            )
            for o in opinions
        ]
        own, *vectors = self._vectors.of((), (self._current, *others))
        self._vector = self._vector if own is None else own
        for node, vector in zip(others, vectors, strict=True):
            self._edits.put(node, vector)
            self._edges.append((current.node_id, node.node_id))

    def _new_edges(self) -> list[tuple[NodeId, NodeId]]:
        if self._entered is None:
            return []
        current = self._entered.node_id
        linked = set(self._bank.graph.neighbors(current)) if current in self._bank.nodes else set()
        inherited = [(current, n) for n in sorted(self._neighbors - linked)]
        return inherited + self._edges
