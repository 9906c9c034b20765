"""The interaction tree: the verbatim record, which nodes stand for which of it, and what was merged.

Law: interactions are only ever added, but for those that a retraction takes. A segment's nodes follow from the living
nodes; a node that was merged away is reached through the node that stands for it.
"""

from collections.abc import Iterable, Iterator, Sequence

from core.bank.steps import SegmentRefute
from core.errors import InteractionNotFound
from core.ids import InteractionId, NodeId, SegmentRef
from core.model.copies import Copies
from core.model.interaction import Interaction, Refutation, Segment, TaskStatus
from core.model.lineage import MergeRecord
from core.model.node import Node
from core.model.structuring import ClusterWork, Structuring, StructuringState
from core.text import outline, transcript
from core.text.outline import PlacedHeading
from core.text.tables import head_over
from core.verbatim.segment_order import SegmentMarks, SegmentOrder


class InteractionTree:
    """Interactions with their segments, structurings and merge records."""

    def __init__(self, order: SegmentOrder) -> None:
        self.interactions: dict[InteractionId, Interaction] = {}
        self.structurings: dict[InteractionId, Structuring] = {}
        self.merges: list[MergeRecord] = []
        self.refuted: dict[SegmentRef, tuple[Refutation, ...]] = {}
        self.failed: set[InteractionId] = set()
        """Contexts of steps that failed: attempts, not findings."""
        self.copies: dict[SegmentRef, NodeId] = {}
        """Segments that became copies, and the nodes that they joined."""
        self.firsts: dict[SegmentRef, SegmentRef | None] = {}
        """Of copies, the segments that stand for them in searches: made on demand (`core.bank.firsts`)."""
        self.order = order
        self._clusters: dict[InteractionId, dict[int, ClusterWork]] = {}
        self._into: dict[NodeId, NodeId] = {}
        self._merge_into: dict[NodeId, MergeRecord] = {}
        self._nodes_of: dict[SegmentRef, tuple[NodeId, ...]] = {}
        self._nodes_at: list[tuple[NodeId, ...]] = []  # the same by position, for reads of many
        self._nodes_standing: dict[InteractionId, set[NodeId]] = {}
        # Made on demand; one object until its nodes or its refutation change.
        self._segments: dict[SegmentRef, Segment] = {}
        self._unsummarised: dict[InteractionId, set[SegmentRef]] = {}
        self._headings: dict[InteractionId, tuple[PlacedHeading, ...]] = {}

    # ---- reads ----

    def interaction(self, interaction_id: InteractionId) -> Interaction:
        """Raises InteractionNotFound."""
        try:
            return self.interactions[interaction_id]
        except KeyError:
            raise InteractionNotFound(interaction_id) from None

    def segment(self, ref: SegmentRef) -> Segment:
        """Returns the segment as it stands now. The same object until its nodes or its refutation change."""
        made = self._segments.get(ref)
        if made is None:
            made = self._segments[ref] = self._make_segment(ref)
        return made

    def segments(self, interaction_id: InteractionId) -> Iterator[Segment]:
        for ref in self.refs(interaction_id):
            yield self.segment(ref)

    def refs(self, interaction_id: InteractionId) -> list[SegmentRef]:
        return self.order.of(interaction_id, len(self.interaction(interaction_id).spans))

    def text(self, ref: SegmentRef) -> str:
        """Returns the segment's verbatim text."""
        interaction = self.interaction(ref.interaction_id)
        span = interaction.spans[ref.index]
        return interaction.text[span.start : span.end]

    def line(self, ref: SegmentRef) -> str:
        """Returns the segment as a line of a record: its speaker, if it has one, then its text."""
        speaker = self.interaction(ref.interaction_id).spans[ref.index].speaker
        return f"{speaker}: {self.text(ref)}" if speaker else self.text(ref)

    def headings(self, interaction_id: InteractionId) -> tuple[PlacedHeading, ...]:
        """Returns the headings of an interaction's text. Read once: a long text is many nodes' evidence."""
        found = self._headings.get(interaction_id)
        if found is None:
            found = tuple(outline.headings(self.interaction(interaction_id).text))
            self._headings[interaction_id] = found
        return found

    def put_headings(self, interaction_id: InteractionId, headings: Sequence[PlacedHeading]) -> None:
        """Takes the headings of an interaction that were read elsewhere."""
        if interaction_id in self.interactions:
            self._headings[interaction_id] = tuple(headings)

    def refuted_share(self, ref: SegmentRef) -> float:
        """Returns how much of a segment's text verdicts refute, 0 to 1."""
        refuted = self.refuted.get(ref, ())
        covered, reached = 0, 0
        for words in refuted:
            covered += max(0, words.end - max(words.start, reached))
            reached = max(reached, words.end)
        return min(1.0, covered / max(1, len(self.text(ref)))) if refuted else 0.0

    def refutations(self) -> list[SegmentRefute]:
        """Returns all refutations, by segment, then place."""
        return [
            SegmentRefute(ref=ref, conflict_id=words.conflict_id, start=words.start, end=words.end)
            for ref, refuted in sorted(self.refuted.items())
            for words in refuted
        ]

    def record(self, refs: Sequence[SegmentRef]) -> str:
        """Returns segments of one interaction as a text: their lines; where a tool speaks among them, with their
        roles; rows that go on with a table under its head."""
        spans = [self.interaction(ref.interaction_id).spans[ref.index] for ref in refs]
        before = (None, *(ref.index for ref in refs))
        texts = [self._headed(ref, last) for ref, last in zip(refs, before, strict=False)]
        parts = zip(spans, texts, strict=True)
        return "\n".join(transcript.lines((span.role, span.speaker, text) for span, text in parts))

    def _headed(self, ref: SegmentRef, last: int | None) -> str:
        """Returns a segment's text, under the head of its table unless the segment before it stands above it."""
        text, interaction = self.text(ref), self.interaction(ref.interaction_id)
        if last == ref.index - 1 or not (head := head_over(interaction.text, interaction.spans, ref.index)):
            return text
        begins = "\n" if interaction.spans[ref.index].speaker else ""  # a name is no cell
        return f"{begins}{head}\n{text}"

    def nodes_of(self, ref: SegmentRef) -> tuple[NodeId, ...]:
        """Returns the living nodes that summarise a segment."""
        return self._nodes_of.get(ref, ())

    def nodes_standing_for(self, interaction_id: InteractionId) -> tuple[NodeId, ...]:
        """Returns the living nodes that stand for an interaction, by id."""
        return tuple(sorted(self._nodes_standing.get(interaction_id, ())))

    def nodes_at(self, positions: Iterable[int]) -> list[tuple[NodeId, ...]]:
        """`nodes_of` the segments at these positions of `order`."""
        return [self._nodes_at[position] for position in positions]

    def is_attempt(self, node: Node) -> bool:
        """Whether a node stands for nothing but steps that failed."""
        return bool(self.failed and node.interaction_ids) and self.failed.issuperset(node.interaction_ids)

    def clusters(self, interaction_id: InteractionId) -> list[ClusterWork]:
        """Returns the interaction's clusters planned so far, by number (they are planned in that order)."""
        return list(self._clusters.get(interaction_id, {}).values())

    def all_clusters(self) -> Iterator[ClusterWork]:
        """Yields the clusters of all interactions planned so far."""
        for clusters in self._clusters.values():
            yield from clusters.values()

    def structuring(self, interaction_id: InteractionId) -> Structuring:
        """Returns how far the interaction is structured. Raises InteractionNotFound (also where nothing is to be
        done)."""
        try:
            return self.structurings[interaction_id]
        except KeyError:
            raise InteractionNotFound(interaction_id) from None

    def cluster(self, interaction_id: InteractionId, number: int) -> ClusterWork | None:
        return self._clusters.get(interaction_id, {}).get(number)

    def cluster_count(self, interaction_id: InteractionId) -> int:
        return len(self._clusters.get(interaction_id, ()))

    def is_unsummarised(self, ref: SegmentRef) -> bool:
        """Whether the segment waits for its structuring: no node summarises it yet."""
        return ref in self._unsummarised.get(ref.interaction_id, ())

    @property
    def segment_count(self) -> int:
        return self.order.living

    @property
    def has_unsummarised(self) -> bool:
        return bool(self._unsummarised)

    def unfinished(self) -> list[Structuring]:
        return [s for s in self.structurings.values() if s.state is not StructuringState.DONE]

    def standing_for(self, node_id: NodeId) -> NodeId | None:
        """Returns the node that a merged-away node lives on in today, or None if it was never merged."""
        into = self._into.get(node_id)
        while into is not None and into in self._into:
            into = self._into[into]
        return into

    def merge_into(self, node_id: NodeId) -> MergeRecord | None:
        """Returns the merge that made this node, if one did."""
        return self._merge_into.get(node_id)

    # ---- steps (called by Bank.apply alone) ----

    def add_interaction(self, interaction: Interaction, marks: SegmentMarks | None = None) -> None:
        """Adds an interaction. `marks`: of its segments, if they are known already."""
        self.interactions[interaction.interaction_id] = interaction
        if interaction.task is not None and interaction.task.status is TaskStatus.FAILED:
            self.failed.add(interaction.interaction_id)
        self.order.add(interaction, marks=marks)
        self._nodes_at += [self.nodes_of(ref) for ref in self.refs(interaction.interaction_id)]

    def drop_interaction(self, interaction_id: InteractionId) -> None:
        """Forgets an interaction on which no node rests any more."""
        refs = self.refs(interaction_id)
        for ref in refs:
            self._segments.pop(ref, None)
            self.refuted.pop(ref, None)
            self.copies.pop(ref, None)
        self.order.drop(interaction_id, len(refs))
        del self.interactions[interaction_id]
        self.failed.discard(interaction_id)
        for known in (self.structurings, self._clusters, self._unsummarised, self._headings):
            known.pop(interaction_id, None)
        self.firsts.clear()

    def drop_merges(self, merged: Iterable[NodeId]) -> None:
        """Forgets the merges that these nodes came of."""
        gone = set(merged)
        for node_id in gone:
            for absorbed in self._merge_into.pop(node_id).absorbed:
                self._into.pop(absorbed.node_id, None)
        self.merges = [record for record in self.merges if record.into not in gone]
        self.firsts.clear()

    def drop_refutations(self, conflict_ids: Iterable[str]) -> None:
        """Forgets what the verdicts of these conflicts refuted."""
        gone = set(conflict_ids)
        for ref, refuted in list(self.refuted.items()):
            left = tuple(words for words in refuted if words.conflict_id not in gone)
            if left != refuted:
                self._segments.pop(ref, None)
                if left:
                    self.refuted[ref] = left
                else:
                    del self.refuted[ref]

    def put_structuring(self, structuring: Structuring) -> None:
        interaction_id = structuring.interaction_id
        self.structurings[interaction_id] = structuring
        if structuring.state is StructuringState.DONE:
            self._unsummarised.pop(interaction_id, None)
        elif interaction_id not in self._unsummarised:
            waiting = {ref for ref in self.refs(interaction_id) if not self._nodes_of.get(ref)}
            self._unsummarised[interaction_id] = waiting

    def put_cluster(self, cluster: ClusterWork) -> None:
        self._clusters.setdefault(cluster.interaction_id, {})[cluster.number] = cluster
        if cluster.outcome is not None and cluster.outcome.joined:
            refs = (SegmentRef(cluster.interaction_id, index) for index in cluster.segments)
            self.copies |= {self.order.known(ref): cluster.outcome.node_id for ref in refs}

    def add_merge(self, record: MergeRecord) -> None:
        self.merges.append(record)
        self._merge_into[record.into] = record
        for absorbed in record.absorbed:
            self._into[absorbed.node_id] = record.into

    def refute(self, step: SegmentRefute) -> None:
        length = len(self.text(step.ref))
        end = min(step.end, length) or length
        words = Refutation(start=min(step.start, end), end=end, conflict_id=step.conflict_id)
        known = {words, *self.refuted.get(step.ref, ())}
        self.refuted[step.ref] = tuple(sorted(known, key=lambda r: (r.start, r.end, r.conflict_id)))
        self._segments.pop(step.ref, None)

    def relink(self, before: Node | None, after: Node | None) -> None:
        """Brings the nodes of interactions and segments up to date with a node that came, changed or went."""
        self._restand(before, after)
        old = before.segments if before else ()
        new = after.segments if after else ()
        if before and after and old == new:
            return
        if before:
            self._unlink(before.node_id, old)
        if after:
            self._link(after.node_id, new)

    def relink_copies(self, node: Node, before: Copies | None, after: Copies | None) -> None:
        """Brings them up to date with copies that joined a node, or that go with it."""
        own = set(node.segments)
        old = dict.fromkeys(ref for ref in (before.refs if before else ()) if ref not in own)
        new = dict.fromkeys(ref for ref in (after.refs if after else ()) if ref not in own)
        self._unlink(node.node_id, old.keys() - new.keys())
        self._link(node.node_id, [ref for ref in new if ref not in old])
        records = {ref.interaction_id for ref in new}
        self._leave(node.node_id, {ref.interaction_id for ref in old} - records - {*node.interaction_ids})
        self._stand(node.node_id, records)

    def _restand(self, before: Node | None, after: Node | None) -> None:
        if before and after and before.interaction_ids == after.interaction_ids:
            return
        if before:
            self._leave(before.node_id, before.interaction_ids)
        if after:
            self._stand(after.node_id, after.interaction_ids)

    def _stand(self, node_id: NodeId, interaction_ids: Iterable[InteractionId]) -> None:
        for interaction_id in interaction_ids:
            self._nodes_standing.setdefault(interaction_id, set()).add(node_id)

    def _leave(self, node_id: NodeId, interaction_ids: Iterable[InteractionId]) -> None:
        for interaction_id in interaction_ids:
            standing = self._nodes_standing[interaction_id]
            standing.discard(node_id)
            if not standing:
                del self._nodes_standing[interaction_id]

    def _unlink(self, node_id: NodeId, refs: Iterable[SegmentRef]) -> None:
        for ref in refs:
            left = tuple(n for n in self._nodes_of.get(ref, ()) if n != node_id)
            if left:
                self._nodes_of[ref] = left
            else:
                self._nodes_of.pop(ref, None)
            self._stands_for(ref, left)

    def _link(self, node_id: NodeId, refs: Iterable[SegmentRef]) -> None:
        alone = (node_id,)
        for ref in refs:
            others = self._nodes_of.get(ref)
            self._nodes_of[ref] = tuple(sorted({*others, node_id})) if others else alone
            self._stands_for(ref, self._nodes_of[ref])
            waiting = self._unsummarised.get(ref.interaction_id)
            if waiting is not None:
                waiting.discard(ref)

    def _stands_for(self, ref: SegmentRef, nodes: tuple[NodeId, ...]) -> None:
        self._segments.pop(ref, None)
        if ref.interaction_id in self.interactions:
            self._nodes_at[self.order.position(ref)] = nodes

    def _make_segment(self, ref: SegmentRef) -> Segment:
        interaction = self.interaction(ref.interaction_id)
        span = interaction.spans[ref.index]
        return Segment(
            ref=ref,
            text=interaction.text[span.start : span.end],
            offset=span.start,
            event_time=span.event_time or interaction.event_time,
            message_id=span.message_id,
            role=span.role,
            speaker=span.speaker,
            source=interaction.source,
            node_ids=self._nodes_of.get(ref, ()),
            of_failure=ref.interaction_id in self.failed,
            refuted=self.refuted.get(ref, ()),
        )
