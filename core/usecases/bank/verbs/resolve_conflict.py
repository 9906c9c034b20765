"""ResolveConflict: a verdict merges the contested nodes, or the conflict is dismissed as none."""

from dataclasses import dataclass
from functools import partial

from core.agents.opinions import OpinionPending, Opinions
from core.agents.roles import Progress
from core.bank.bank import Bank
from core.errors import ConflictClosed, InvalidField, StaleRevision
from core.ids import ConflictId, NodeId
from core.keys import BankKey
from core.model.conflict import Conflict, VerdictType
from core.model.insight import Insight
from core.model.interaction import InteractionOrigin
from core.model.structuring import MergeMade, Outcome, Purpose
from core.model.usage import Usage
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.bank.plans.going_on import going_on, insight_steps
from core.usecases.bank.plans.plan import plan
from core.usecases.bank.ports import NodePorts, StructuringPorts
from core.usecases.bank.record import Context, RecordedAnswer, make_interaction, record_steps
from core.usecases.bank.structuring.decide import decide
from core.usecases.bank.structuring.rounds import Round
from core.usecases.bank.structuring.verdicts import open_conflict
from core.usecases.bank.verbs.memorize import Wait, outcome
from core.usecases.moment import moment
from core.usecases.spending import on_account


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveConflict:
    """A `verdict` with its `evidence`, whose words say how it settles the conflict unless `type` does; or no verdict,
    and the type DISMISS. `writer`: the subject of the caller's API key."""

    key: BankKey
    conflict_id: ConflictId
    verdict: str = ""
    evidence: str = ""
    type: VerdictType | None = None
    if_revision: int | None = None
    writer: str = ""
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictResolved:
    """`node_id` stands for the conflict's nodes now, or after a dismissal for its first side."""

    node_id: NodeId
    conflict: Conflict
    merges: tuple[MergeMade, ...]
    related: tuple[tuple[NodeId, NodeId], ...]
    conflict_ids: tuple[ConflictId, ...]
    uncompared_pairs: int
    insight: Insight
    usage: Usage
    revision: int
    replayed: bool = False


async def resolve_conflict(ports: StructuringPorts, command: ResolveConflict) -> ConflictResolved:
    """Settles an open conflict. Raises ConflictNotFound, ConflictClosed, StaleRevision, StructuringFailed."""
    if command.verdict.strip():
        return await _by_verdict(ports, command)
    if command.type is VerdictType.DISMISS:
        return await _dismiss(ports, command)
    raise InvalidField("verdict", "must say what was found, unless the conflict is dismissed")


async def _by_verdict(ports: StructuringPorts, command: ResolveConflict) -> ConflictResolved:
    interaction = await make_interaction(
        ports,
        Context(text=command.verdict, writer=command.writer),
        InteractionOrigin.VERDICT,
        command.evidence,
    )

    def stage(bank: Bank, _revision: int) -> Draft[RecordedAnswer]:
        conflict_id = _open_conflict(bank, command).conflict_id
        steps = record_steps(ports, bank, interaction, Purpose.RESOLVE, conflict_id, command.type)
        return Draft(
            result=RecordedAnswer(interaction_id=interaction.interaction_id),
            steps=tuple(steps),
            touches=frozenset((f"conflict:{conflict_id}",)),
        )

    committed = await ports.banks.commit(command.key, stage, command.request, RecordedAnswer)
    interaction_id = committed.result.interaction_id or interaction.interaction_id
    done = await outcome(ports, command.key, interaction_id, Wait.STRUCTURED, committed.replayed)
    async with ports.banks.reading(command.key) as bank:
        conflict = bank.conflict_named(command.conflict_id)
        if not done.node_ids:  # another call closed it between our two changes
            raise ConflictClosed(command.conflict_id, conflict.status)
        return ConflictResolved(
            node_id=done.node_ids[0],
            conflict=conflict,
            merges=done.merges,
            related=done.related,
            conflict_ids=done.conflict_ids,
            uncompared_pairs=done.uncompared_pairs,
            insight=done.insight,
            usage=done.usage,
            revision=done.revision,
            replayed=committed.replayed,
        )


async def _dismiss(ports: NodePorts, command: ResolveConflict) -> ConflictResolved:
    ledger = ports.workshop.ledger(command.key)
    opinions = Opinions(ports.agents, ports.embedder, ports.ids, ledger)

    made: dict[Insight, Insight] = {}  # by the document that it follows

    async def ask(insight: Insight, progress: Progress) -> None:
        made[insight] = await plan(ports, command.key, insight, progress, ledger)

    def compose(bank: Bank, revision: int) -> Draft[Outcome]:
        conflict = _open_conflict(bank, command)
        round_ = Round(bank, opinions, moment(ports, bank, revision))
        round_.dismiss(conflict)
        came_to = round_.reconsider(conflict.sides[0].node_id)
        insight = round_.insight
        if insight.goal and not insight.pending and not insight.finished:
            if insight not in made:
                raise OpinionPending(partial(ask, insight, Progress()))
            insight = made[insight]
        planned = insight_steps(ports, bank, going_on(ports, bank, insight))
        return Draft(result=came_to, steps=(*round_.draft_steps(), *planned), sees_all=True)

    async with on_account(ports, command.key, ledger):
        committed: CommitResult[Outcome] = await decide(
            ports, command.key, compose, ledger, command.request, Outcome
        )
    async with ports.banks.reading(command.key) as bank:
        came_to = committed.result
        return ConflictResolved(
            node_id=came_to.node_id,
            conflict=bank.conflict_named(command.conflict_id),
            merges=came_to.merges,
            related=came_to.related,
            conflict_ids=(came_to.conflict_id,) if came_to.conflict_id else (),
            uncompared_pairs=came_to.uncompared_pairs,
            insight=bank.insight,
            usage=ledger.total(),
            revision=committed.revision,
            replayed=committed.replayed,
        )


def _open_conflict(bank: Bank, command: ResolveConflict) -> Conflict:
    conflict = open_conflict(bank, command.conflict_id)
    changed = max((bank.nodes[side.node_id].revision for side in conflict.sides), default=0)
    if command.if_revision is not None and changed > command.if_revision:
        raise StaleRevision(command.if_revision, changed)
    return conflict
