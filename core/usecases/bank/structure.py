"""Structuring an interaction: from its segments to nodes with their edges, merges and conflicts.

The work belongs to the bank, not to a call: every stage is stored as it is done, so whoever opens
the bank can go on, and each cluster becomes a node once (its outcome is stored in the change that
adds the node). Nothing is held across an agent's or the embedder's answer.

Law: `structure` is the only writer of structurings after the interaction's own change.
"""

from collections.abc import Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial

from core.agents.opinions import Opinions, Unasked, check_clusters
from core.agents.roles import Cluster, Piece, Progress
from core.agents.usage import Ledger
from core.bank.bank import Bank
from core.bank.steps import ClusterPut, Step, StructuringPut
from core.errors import (
    AgentReplyInvalid,
    AgentUnavailable,
    BudgetSpent,
    EmbedderUnavailable,
    EmbeddingSpaceMismatch,
    MemoryBankError,
    StructuringFailed,
)
from core.ids import ConflictId, InteractionId, NodeId, SegmentRef
from core.keys import BankKey
from core.model.conflict import ConflictStatus
from core.model.insight import Insight
from core.model.interaction import Interaction, TaskStatus
from core.model.node import Node
from core.model.structuring import ClusterWork, Outcome, Purpose, Structuring, StructuringState
from core.ports.aggregates import Draft, Result
from core.text import transcript
from core.text.data_runs import is_data
from core.text.failures import failures
from core.text.segmenting import chunks
from core.usecases.bank.absorb import topic
from core.usecases.bank.ahead import ahead
from core.usecases.bank.decide import decide
from core.usecases.bank.embed_segments import embed_segments
from core.usecases.bank.going_on import going_on, insight_steps
from core.usecases.bank.plan import plan
from core.usecases.bank.reworded import Reworded
from core.usecases.bank.rounds import Round
from core.usecases.bank.verdicts import verdict_of
from core.usecases.house import House
from core.usecases.moment import Moment, moment
from core.usecases.spending import commit, on_account
from core.usecases.workshop import Report

OUTSIDE = (AgentUnavailable, AgentReplyInvalid, BudgetSpent, EmbedderUnavailable, EmbeddingSpaceMismatch)
"""What may fail in asking an agent or embedder: the structuring is marked FAILED and can be resumed."""

AT_ONCE = 4  # chunks clustered, and clusters summarised, for one interaction; models have bounds of their own


async def structure(
    house: House, key: BankKey, interaction_id: InteractionId, ledger: Ledger, report: Report
) -> None:
    """Does all that is left of one interaction. Raises StructuringFailed (what is done stands), BankNotFound."""
    work = _Work(house, key, interaction_id, ledger, report)
    async with house.banks.reading(key), on_account(house, key, ledger):  # a bank at work stays in memory
        try:
            await work.finish()
        except OUTSIDE as failure:
            revision = await work.fail(failure)
            raise StructuringFailed(interaction_id, failure, revision) from failure


class _Work:
    """One interaction's structuring, from wherever it stands."""

    def __init__(
        self, house: House, key: BankKey, interaction_id: InteractionId, ledger: Ledger, report: Report
    ) -> None:
        self._house = house
        self._key = key
        self._interaction_id = interaction_id
        self._ledger = ledger
        self._report = report
        self._embedded = 0  # segments
        self._opinions = Opinions(house.agents, house.embedder, house.ids, ledger)
        self._reworded = Reworded(house, key, self._opinions, ledger)

    async def finish(self) -> None:
        """Verdicts are consolidated; everything else is clustered and judged chunk by chunk. Then nodes in
        other words are embedded, and the plan is made."""
        structuring, interaction = await self._read()
        if structuring.state is StructuringState.DONE:
            return
        if structuring.purpose is Purpose.RESOLVE:
            await embed_segments(self._house, self._key, self._interaction_id, range(len(interaction.spans)))
            await self._resolve(structuring, interaction)
        else:
            await self._reworded.take_up(self._interaction_id)
            await self._structure_chunks(structuring, interaction)
            await self._reworded.embed(partial(self._report, "rewording"))
        await self._close(structuring, interaction)

    async def fail(self, failure: MemoryBankError) -> int:
        """Notes the failure, and says at which revision; the work can be resumed."""

        def stage(bank: Bank, _revision: int) -> Draft[None]:
            now = bank.tree.structuring(self._interaction_id)
            if now.state is StructuringState.DONE:
                return Draft(result=None)
            failed = replace(
                now, state=StructuringState.FAILED, problem=str(failure), update_time=self._house.clock.now()
            )
            return self._draft(None, [StructuringPut(structuring=failed)])

        return (await commit(self._house, self._key, stage, self._ledger)).revision

    async def _read(self) -> tuple[Structuring, Interaction]:
        async with self._house.banks.reading(self._key) as bank:
            interaction = bank.tree.interaction(self._interaction_id)
            return bank.tree.structuring(self._interaction_id), interaction

    # ---- clusters ----

    async def _structure_chunks(self, structuring: Structuring, interaction: Interaction) -> None:
        """Structures chunk by chunk, in order; the next ones are being clustered meanwhile."""
        await self._structure_clusters()
        while not structuring.planned:
            cut = await self._chunks(structuring.next_segment, interaction)
            works = (partial(self._clustered, interaction, chunk) for chunk in cut)
            async with aclosing(ahead(works, AT_ONCE)) as coming:
                async for chunk, clusters in coming:
                    structuring = await self._plan_chunk(interaction, chunk, clusters)
                    await self._structure_clusters()
                    if structuring.next_segment != chunk.stop:
                        break  # another process planned it, and cut it otherwise

    async def _chunks(self, start: int, interaction: Interaction) -> Iterator[range]:
        """Yields the chunks from segment `start` on, cut as they are asked for; an empty one where there are no
        segments."""
        segments = range(start, len(interaction.spans))
        async with self._house.banks.reading(self._key) as bank:
            limit = int(self._house.agents.clusterer.window * self._house.retrieval.chunk_ratio_of(bank))
            texts = [bank.tree.line(SegmentRef(self._interaction_id, index)) for index in segments]
        return (
            (segments[chunk.start : chunk.stop] for chunk in chunks(texts, limit))
            if texts
            else iter([segments])
        )

    async def _clustered(self, interaction: Interaction, chunk: range) -> tuple[range, Sequence[Cluster]]:
        total = len(interaction.spans)

        def embedded(count: int) -> None:
            self._embedded = min(self._embedded + count, total)  # a chunk may be cut anew and asked for again
            self._report("embedding", self._embedded, total)

        await embed_segments(self._house, self._key, self._interaction_id, chunk, embedded)
        return chunk, await self._cluster(interaction, chunk)

    async def _plan_chunk(
        self, interaction: Interaction, chunk: range, clusters: Sequence[Cluster]
    ) -> Structuring:
        """Stores what is to become of a chunk."""

        def stage(bank: Bank, _revision: int) -> Draft[Structuring]:
            now = bank.tree.structuring(self._interaction_id)
            if now.next_segment != chunk.start or now.planned:
                return Draft(result=now)  # another process planned this chunk
            first = bank.tree.cluster_count(self._interaction_id)
            planned = [self._planned(first + n, chunk.start, cluster) for n, cluster in enumerate(clusters)]
            moved = replace(
                now,
                state=StructuringState.PENDING,
                next_segment=chunk.stop,
                planned=chunk.stop >= len(interaction.spans),
                problem="",
                update_time=self._house.clock.now(),
            )
            puts = [ClusterPut(cluster=cluster) for cluster in planned]
            return self._draft(moved, [StructuringPut(structuring=moved), *puts])

        committed = await commit(self._house, self._key, stage, self._ledger)
        self._report("clustering", committed.result.next_segment, len(interaction.spans))
        return committed.result

    async def _cluster(self, interaction: Interaction, numbers: range) -> Sequence[Cluster]:
        """Returns the topics of a chunk. A page that holds nothing but a notice of absence is none, nor is data
        without words: they stay on record."""
        pieces = []
        for place, number in enumerate(numbers):
            span = interaction.spans[number]
            text = interaction.text[span.start : span.end]
            time = span.event_time or interaction.event_time
            pieces.append(
                Piece(number=place, text=text, speaker=span.speaker, role=span.role, event_time=time)
            )
        failed = failures(transcript.lines((piece.role, piece.speaker, piece.text) for piece in pieces))
        kept = [p.number for p in pieces if p.number not in failed and not is_data(p.text)]
        pieces = [replace(pieces[place], number=number) for number, place in enumerate(kept)]
        if not pieces:
            return ()
        task = interaction.task.description if interaction.task else ""
        task = task or await self._goal()
        with self._ledger.spending("clusterer"):
            clusters = await self._house.agents.clusterer.cluster(pieces, task)
            check_clusters(clusters, len(pieces))
        return [
            replace(cluster, pieces=tuple(kept[piece] for piece in cluster.pieces)) for cluster in clusters
        ]

    async def _goal(self) -> str:
        """Returns what a record is for that reports no task of its own."""
        async with self._house.banks.reading(self._key) as bank:
            return bank.insight.goal

    def _planned(self, number: int, start: int, cluster: Cluster) -> ClusterWork:
        return ClusterWork(
            interaction_id=self._interaction_id,
            number=number,
            segments=tuple(start + piece for piece in cluster.pieces),
            context=cluster.context,
            keywords=cluster.keywords,
        )

    async def _structure_clusters(self) -> None:
        async with self._house.banks.reading(self._key) as bank:
            clusters = bank.tree.clusters(self._interaction_id)
            planned = bank.tree.structuring(self._interaction_id).planned
        left = [cluster for cluster in clusters if cluster.outcome is None]
        done = len(clusters) - len(left)
        async with aclosing(ahead((partial(self._summarised, c) for c in left), AT_ONCE)) as coming:
            async for cluster, summary in coming:
                done += 1
                await self._structure_cluster(cluster, summary, is_last=planned and done == len(clusters))
                self._report("structuring", done, len(clusters))

    async def _summarised(self, cluster: ClusterWork) -> tuple[ClusterWork, str]:
        async with self._house.banks.reading(self._key) as bank:
            content = bank.tree.record(
                [SegmentRef(self._interaction_id, index) for index in cluster.segments]
            )
        with self._ledger.spending("structurer"):
            summary = await self._house.agents.structurer.structure(
                content, cluster.context, cluster.keywords
            )
            if not summary.strip():
                raise AgentReplyInvalid("structurer", "the summary is empty")
        return cluster, summary

    async def _structure_cluster(self, cluster: ClusterWork, summary: str, *, is_last: bool) -> None:
        """Makes one cluster a node, which goes its round: one change. What the last one rewords is embedded in it."""
        refs = [SegmentRef(self._interaction_id, index) for index in cluster.segments]

        def compose(bank: Bank, revision: int) -> Draft[Outcome]:
            planned = bank.tree.cluster(self._interaction_id, cluster.number)
            if planned is not None and planned.outcome is not None:
                return Draft(result=planned.outcome)  # done by another process
            moment = self._moment(bank, revision)
            interaction = bank.tree.interaction(self._interaction_id)
            node = Node(
                node_id=NodeId(self._opinions.new_id("n", cluster.number)),
                summary=summary,
                context=cluster.context,
                keywords=cluster.keywords,
                base_context=cluster.context,
                base_keywords=cluster.keywords,
                event_time=max(bank.tree.segment(ref).event_time for ref in refs),
                create_time=moment.now,
                update_time=moment.now,
                labels=interaction.labels,
                source=interaction.source,
                interaction_ids=(self._interaction_id,),
                segments=tuple(refs),
                revision=revision,
            )
            (vector,) = self._opinions.vectors([summary])
            round_ = Round(bank, self._opinions, moment, embeds_later=not is_last)
            purpose = bank.tree.structuring(self._interaction_id).purpose
            outcome = round_.enter(node, vector, judged=purpose is not Purpose.REFERENCE)
            judged = self._judged(bank, round_, replace(cluster, outcome=outcome))
            return Draft(result=outcome, steps=judged, sees_all=True)

        async with self._house.workshop.turn(self._key):
            committed = await decide(self._house, self._key, compose, self._ledger)
        if not is_last:
            await self._reworded.add(committed.result)

    def _judged(self, bank: Bank, round_: Round, cluster: ClusterWork) -> tuple[Step, ...]:
        insight = going_on(self._house, bank, round_.insight)
        planned = insight_steps(self._house, bank, insight)
        return (*round_.draft_steps(), *planned, ClusterPut(cluster=cluster))

    # ---- verdicts ----

    async def _resolve(self, structuring: Structuring, interaction: Interaction) -> None:
        """Settles the conflict by the verdict: cluster 0 of the verdict's interaction."""
        failed = interaction.task is not None and interaction.task.status is TaskStatus.FAILED
        conflict_id = structuring.conflict_id
        if failed or conflict_id is None:
            return

        def compose(bank: Bank, revision: int) -> Draft[Outcome | None]:
            if done := bank.tree.cluster(self._interaction_id, 0):
                return Draft(result=done.outcome)
            conflict = bank.conflict(ConflictId(conflict_id))
            if conflict.status is not ConflictStatus.OPEN:
                return Draft(result=None)  # closed meanwhile: the verdict stays on record
            round_ = Round(bank, self._opinions, self._moment(bank, revision))
            verdict = verdict_of(bank, interaction, structuring.verdict_type)
            outcome = round_.settle(conflict, verdict)
            cluster = ClusterWork(
                interaction_id=self._interaction_id,
                number=0,
                segments=tuple(range(len(interaction.spans))),
                context=conflict.description,
                keywords=(),
                outcome=outcome,
            )
            return Draft(result=outcome, steps=self._judged(bank, round_, cluster), sees_all=True)

        await decide(self._house, self._key, compose, self._ledger)

    # ---- the plan, and the end ----

    async def _close(self, structuring: Structuring, interaction: Interaction) -> None:
        """Replans where the call asks for it, and marks the work done: one change."""
        made: dict[int, Insight] = {}

        def compose(bank: Bank, revision: int) -> Draft[None]:
            now = bank.tree.structuring(self._interaction_id)
            if now.state is StructuringState.DONE:
                return Draft(result=None)
            insight = bank.insight
            if _plans(structuring, interaction, insight):
                asked = bank.insight_revision
                if asked not in made:
                    progress = self._progress(bank, interaction)
                    raise Unasked(lambda: self._plan(insight, progress, made, asked))
                insight = made[asked]
            done = replace(
                now,
                state=StructuringState.DONE,
                problem="",
                insight=replace(insight, completed=()),
                completed_tasks=len(insight.completed),
                usage=self._ledger.total(),
                revision=revision,
                update_time=self._house.clock.now(),
            )
            steps = [StructuringPut(structuring=done), *insight_steps(self._house, bank, insight)]
            return self._draft(None, steps, "insight", "bank")

        self._report("planning", 0, 1)
        await decide(self._house, self._key, compose, self._ledger)
        self._report("planning", 1, 1)

    def _progress(self, bank: Bank, interaction: Interaction) -> Progress:
        outcomes = [c.outcome for c in bank.tree.clusters(self._interaction_id) if c.outcome]
        standing = dict.fromkeys(o.node_id for o in outcomes if o.node_id in bank.nodes)
        merges = (bank.tree.merge_into(merge.into_node_id) for o in outcomes for merge in o.merges)
        return Progress(
            report=interaction.task,
            context=_said(bank, interaction),
            new_nodes=tuple(topic(bank.nodes[n]) for n in standing),
            conflicts=tuple(bank.open_conflicts()),
            merges=tuple(filter(None, merges)),
        )

    async def _plan(
        self,
        insight: Insight,
        progress: Progress,
        made: dict[int, Insight],
        asked: int,
    ) -> None:
        made[asked] = await plan(self._house, self._key, insight, progress, self._ledger)

    # ---- small things ----

    def _moment(self, bank: Bank, revision: int) -> Moment:
        return moment(self._house, bank, revision)

    def _draft(self, result: Result, steps: Sequence[Step], *touches: str) -> Draft[Result]:
        own = f"structuring:{self._interaction_id}"
        return Draft(result=result, steps=tuple(steps), touches=frozenset((own, *touches)))


def _said(bank: Bank, interaction: Interaction) -> str:
    """Returns an interaction's text; of messages, each with its speaker."""
    if not any(span.role or span.speaker for span in interaction.spans):
        return interaction.text
    return bank.tree.record(bank.tree.refs(interaction.interaction_id))


def _plans(structuring: Structuring, interaction: Interaction, insight: Insight) -> bool:
    """Whether the plan moves: by a bare verdict (no task reported) only where there is one to move."""
    if structuring.purpose is Purpose.RESOLVE and interaction.task is None:
        return bool(insight.goal)
    return structuring.purpose not in (Purpose.MEMORIZE, Purpose.REFERENCE)
