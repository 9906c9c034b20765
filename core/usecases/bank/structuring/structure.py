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
from typing import NamedTuple

from core.agents.opinions import OpinionPending, Opinions
from core.agents.roles import Cluster, Progress
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
from core.model.insight import Insight
from core.model.interaction import Interaction, TaskStatus
from core.model.node import Node
from core.model.structuring import ClusterWork, Outcome, Purpose, Structuring, StructuringState
from core.ports.aggregates import Draft, Result
from core.text.segmenting import chunks
from core.usecases.bank.plans.ahead import ahead
from core.usecases.bank.plans.going_on import going_on, insight_steps
from core.usecases.bank.plans.plan import plan
from core.usecases.bank.plans.progress import progress_of
from core.usecases.bank.ports import NodePorts
from core.usecases.bank.structuring.clustering import topics_of
from core.usecases.bank.structuring.decide import decide
from core.usecases.bank.structuring.embed_segments import embed_segments
from core.usecases.bank.structuring.excerpts import read_headings
from core.usecases.bank.structuring.rereading import Repetition, Rereading
from core.usecases.bank.structuring.reworded import noting, reworded_by
from core.usecases.bank.structuring.rounds import Round
from core.usecases.bank.structuring.verdicts import verdict_of
from core.usecases.moment import Moment, moment
from core.usecases.spending import commit, on_account
from core.usecases.workshop import Report

OUTSIDE = (AgentUnavailable, AgentReplyInvalid, BudgetSpent, EmbedderUnavailable, EmbeddingSpaceMismatch)
"""What may fail in asking an agent or embedder: the structuring is marked FAILED and can be resumed."""

AT_ONCE = 4  # chunks clustered, and clusters summarised, for one interaction; models have bounds of their own


async def structure(
    ports: NodePorts, key: BankKey, interaction_id: InteractionId, ledger: Ledger, report: Report
) -> None:
    """Does all that is left of one interaction. Raises StructuringFailed (what is done stands), BankNotFound."""
    work = _Work(ports, key, interaction_id, ledger, report)
    async with ports.banks.reading(key), on_account(ports, key, ledger):  # a bank at work stays in memory
        try:
            await work.finish()
        except OUTSIDE as failure:
            revision = await work.fail(failure)
            raise StructuringFailed(interaction_id, failure, revision) from failure


class _Chunk(NamedTuple):
    """A stretch of segments, what of it was said before, and the topics of the rest."""

    segments: range
    repetition: Repetition
    topics: Sequence[Cluster]


class _Work:
    """One interaction's structuring, from wherever it stands."""

    def __init__(
        self, ports: NodePorts, key: BankKey, interaction_id: InteractionId, ledger: Ledger, report: Report
    ) -> None:
        self._ports = ports
        self._key = key
        self._interaction_id = interaction_id
        self._ledger = ledger
        self._report = report
        self._embedded = 0  # segments
        self._is_resumed = False  # some of its clusters were done before
        self._opinions = Opinions(ports.agents, ports.embedder, ports.ids, ledger)

    async def finish(self) -> None:
        """Verdicts are consolidated; everything else is clustered and judged chunk by chunk. Then the plan is made."""
        structuring, interaction = await self._read()
        if structuring.state is StructuringState.DONE:
            return
        if structuring.purpose is Purpose.RESOLVE:
            await embed_segments(self._ports, self._key, self._interaction_id, range(len(interaction.spans)))
            await self._resolve(structuring, interaction)
        else:
            await self._structure_chunks(structuring, interaction)
        await self._close(structuring, interaction)

    async def fail(self, failure: MemoryBankError) -> int:
        """Notes the failure, and says at which revision; the work can be resumed."""

        def stage(bank: Bank, _revision: int) -> Draft[None]:
            now = bank.tree.structuring(self._interaction_id)
            if now.state is StructuringState.DONE:
                return Draft(result=None)
            failed = replace(
                now, state=StructuringState.FAILED, problem=str(failure), update_time=self._ports.clock.now()
            )
            return self._draft(None, [StructuringPut(structuring=failed)])

        return (await commit(self._ports, self._key, stage, self._ledger)).revision

    async def _read(self) -> tuple[Structuring, Interaction]:
        async with self._ports.banks.reading(self._key) as bank:
            interaction = bank.tree.interaction(self._interaction_id)
            clusters = bank.tree.clusters(self._interaction_id)
            self._is_resumed = any(cluster.outcome is not None for cluster in clusters)
            return bank.tree.structuring(self._interaction_id), interaction

    # ---- clusters ----

    async def _structure_chunks(self, structuring: Structuring, interaction: Interaction) -> None:
        """Structures chunk by chunk, in order; the next ones are being clustered meanwhile."""
        rereading = Rereading(self._ports, self._key, interaction)
        await rereading.begin()
        await read_headings(self._ports, self._key, interaction)
        await self._structure_clusters(rereading)
        while not structuring.planned:
            cut = await self._chunks(structuring.next_segment, interaction, rereading)
            works = (partial(self._clustered, interaction, rereading, segments) for segments in cut)
            async with aclosing(ahead(works, AT_ONCE)) as coming:
                async for chunk in coming:
                    structuring = await self._plan_chunk(interaction, rereading, chunk)
                    await self._structure_clusters(rereading)
                    if structuring.next_segment != chunk.segments.stop:
                        break  # planned by another process, which cut it otherwise; or to be clustered again

    async def _chunks(self, start: int, interaction: Interaction, rereading: Rereading) -> Iterator[range]:
        """Yields the chunks from segment `start` on, cut as they are asked for; an empty one where there are no
        segments. What the record said before takes no room."""
        segments = range(start, len(interaction.spans))
        async with self._ports.banks.reading(self._key) as bank:
            limit = int(
                self._ports.agents.clusterer.window * self._ports.settings.retrieval.chunk_ratio_of(bank)
            )
            refs = (SegmentRef(self._interaction_id, index) for index in segments)
            texts = ["" if rereading.is_said_before(ref.index) else bank.tree.line(ref) for ref in refs]
        return (
            (segments[chunk.start : chunk.stop] for chunk in chunks(texts, limit))
            if texts
            else iter([segments])
        )

    async def _clustered(self, interaction: Interaction, rereading: Rereading, segments: range) -> _Chunk:
        total = len(interaction.spans)

        def embedded(count: int) -> None:
            self._embedded = min(self._embedded + count, total)  # a chunk may be cut anew and asked for again
            self._report("embedding", self._embedded, total)

        await embed_segments(self._ports, self._key, self._interaction_id, segments, embedded)
        repetition = await rereading.repetition(segments)
        task = interaction.task.description if interaction.task else ""
        task = task or await self._goal()
        new = [number for number in segments if repetition.is_new(number)]
        topics = await topics_of(self._ports.agents.clusterer, self._ledger, interaction, new, task)
        return _Chunk(segments, repetition, topics)

    async def _plan_chunk(self, interaction: Interaction, rereading: Rereading, chunk: _Chunk) -> Structuring:
        """Stores what is to become of a chunk, and joins what was said before to its nodes. Changes nothing where these
        nodes may not be joined any more."""
        segments = chunk.segments

        def stage(bank: Bank, revision: int) -> Draft[Structuring]:
            now = bank.tree.structuring(self._interaction_id)
            if now.next_segment != segments.start or now.planned:
                return Draft(result=now)  # another process planned this chunk
            if not rereading.stands(bank, chunk.repetition):
                return Draft(result=now)
            first = bank.tree.cluster_count(self._interaction_id)
            planned = [self._planned(first + n, topic) for n, topic in enumerate(chunk.topics)]
            moved = replace(
                now,
                state=StructuringState.PENDING,
                next_segment=segments.stop,
                planned=segments.stop >= len(interaction.spans),
                problem="",
                update_time=self._ports.clock.now(),
            )
            steps: list[Step] = [StructuringPut(structuring=moved)]
            steps += [ClusterPut(cluster=cluster) for cluster in planned]
            again = rereading.steps(bank, chunk.repetition, planned, self._moment(bank, revision))
            return self._draft(moved, [*steps, *again], sees_all=bool(again))

        committed = await commit(self._ports, self._key, stage, self._ledger)
        self._report("clustering", committed.result.next_segment, len(interaction.spans))
        return committed.result

    async def _goal(self) -> str:
        """Returns what a record is for that reports no task of its own."""
        async with self._ports.banks.reading(self._key) as bank:
            return bank.insight.goal

    def _planned(self, number: int, topic: Cluster) -> ClusterWork:
        return ClusterWork(
            interaction_id=self._interaction_id,
            number=number,
            segments=tuple(topic.pieces),
            context=topic.context,
            keywords=topic.keywords,
        )

    async def _structure_clusters(self, rereading: Rereading) -> None:
        async with self._ports.banks.reading(self._key) as bank:
            clusters = bank.tree.clusters(self._interaction_id)
        waiting = [cluster for cluster in clusters if cluster.outcome is None]
        again = [cluster for cluster in waiting if rereading.repeats(cluster)]
        left = [cluster for cluster in waiting if cluster not in again]
        done = len(clusters) - len(waiting)
        async with aclosing(ahead((partial(self._summarised, c) for c in left), AT_ONCE)) as coming:
            async for cluster, summary in coming:
                done += 1
                await self._structure_cluster(cluster, summary)
                self._report("structuring", done, len(clusters))
        if again:
            await self._join(rereading, again)
            self._report("structuring", len(clusters), len(clusters))

    async def _summarised(self, cluster: ClusterWork) -> tuple[ClusterWork, str]:
        async with self._ports.banks.reading(self._key) as bank:
            content = bank.tree.record(
                [SegmentRef(self._interaction_id, index) for index in cluster.segments]
            )
        with self._ledger.spending("structurer"):
            summary = await self._ports.agents.structurer.structure(
                content, cluster.context, cluster.keywords
            )
            if not summary.strip():
                raise AgentReplyInvalid("structurer", "the summary is empty")
        return cluster, summary

    async def _structure_cluster(self, cluster: ClusterWork, summary: str) -> None:
        """Makes one cluster a node, which goes its round: one change."""
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
                writer=interaction.writer,
            )
            (vector,) = self._opinions.vectors([summary])
            round_ = Round(bank, self._opinions, moment, embeds_later=True)
            purpose = bank.tree.structuring(self._interaction_id).purpose
            outcome = round_.enter(node, vector, judged=purpose is not Purpose.REFERENCE)
            judged = self._judged(bank, round_, replace(cluster, outcome=outcome))
            return Draft(result=outcome, steps=judged, sees_all=True)

        async with self._ports.workshop.turn(self._key):
            await decide(self._ports, self._key, compose, self._ledger)

    async def _join(self, rereading: Rereading, clusters: Sequence[ClusterWork]) -> None:
        """Joins what the record says again to the nodes of what it said first: one change for each."""
        for cluster in clusters:

            def stage(bank: Bank, revision: int, cluster: ClusterWork = cluster) -> Draft[None]:
                known = bank.tree.cluster(self._interaction_id, cluster.number)
                if known is not None and known.outcome is not None:
                    return Draft(result=None)  # done by another process
                outcome, steps = rereading.join(bank, cluster, self._moment(bank, revision))
                done = ClusterPut(cluster=replace(cluster, outcome=outcome))
                return Draft(result=None, steps=(*steps, done), sees_all=True)

            await commit(self._ports, self._key, stage, self._ledger)

    def _judged(self, bank: Bank, round_: Round, cluster: ClusterWork) -> tuple[Step, ...]:
        insight = going_on(self._ports, bank, round_.insight)
        planned = insight_steps(self._ports, bank, insight)
        steps = (*round_.draft_steps(), *planned, ClusterPut(cluster=cluster))
        return noting(self._ports, bank, steps, round_.reworded)

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
            if conflict.is_closed:
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

        await decide(self._ports, self._key, compose, self._ledger)

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
                    progress = progress_of(bank, interaction)
                    raise OpinionPending(lambda: self._plan(insight, progress, made, asked))
                insight = made[asked]
            done = replace(
                now,
                state=StructuringState.DONE,
                problem="",
                insight=replace(insight, completed=()),
                completed_tasks=len(insight.completed),
                usage=self._ledger.total(),
                revision=revision,
                update_time=self._ports.clock.now(),
            )
            steps = [StructuringPut(structuring=done), *insight_steps(self._ports, bank, insight)]
            left = reworded_by(bank, self._interaction_id) if self._is_resumed else {}
            return self._draft(None, noting(self._ports, bank, steps, left), "insight", "bank")

        self._report("planning", 0, 1)
        await decide(self._ports, self._key, compose, self._ledger)
        self._report("planning", 1, 1)

    async def _plan(
        self,
        insight: Insight,
        progress: Progress,
        made: dict[int, Insight],
        asked: int,
    ) -> None:
        made[asked] = await plan(self._ports, self._key, insight, progress, self._ledger)

    # ---- small things ----

    def _moment(self, bank: Bank, revision: int) -> Moment:
        return moment(self._ports, bank, revision)

    def _draft(
        self, result: Result, steps: Sequence[Step], *touches: str, sees_all: bool = False
    ) -> Draft[Result]:
        own = f"structuring:{self._interaction_id}"
        return Draft(result=result, steps=tuple(steps), touches=frozenset((own, *touches)), sees_all=sees_all)


def _plans(structuring: Structuring, interaction: Interaction, insight: Insight) -> bool:
    """Whether the plan moves: by a bare verdict (no task reported) only where there is one to move."""
    if structuring.purpose is Purpose.RESOLVE and interaction.task is None:
        return bool(insight.goal)
    return structuring.purpose not in (Purpose.MEMORIZE, Purpose.REFERENCE)
