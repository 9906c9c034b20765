"""Memorize: context in, memory updated, no planning."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from core.agents.usage import Ledger
from core.bank.bank import Bank
from core.errors import InvalidField
from core.ids import ConflictId, InteractionId, NodeId
from core.keys import BankKey
from core.model.insight import Insight
from core.model.structuring import MergeMade, Outcome, Purpose, Structuring, StructuringState
from core.model.usage import Usage
from core.ports.aggregates import Draft, RequestKey
from core.usecases.bank.ports import StructuringPorts
from core.usecases.bank.record import (
    Context,
    RecordedAnswer,
    make_interaction,
    record_steps,
    require_not_retracted,
)
from core.usecases.bank.structuring.take_up import take_up
from core.usecases.spaces import require_embedding
from core.usecases.workshop import Report


class Wait(StrEnum):
    """How long a call waits: until all is structured, or only until the record is stored."""

    STRUCTURED = "structured"
    STORED = "stored"


@dataclass(frozen=True, slots=True, kw_only=True)
class Memorize:
    """`skip_judging`: the context is a reference, whose new nodes are not judged for conflicts and merges."""

    key: BankKey
    context: Context
    skip_judging: bool = False
    wait: Wait = Wait.STRUCTURED
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorizeResult:
    """What became of an interaction so far. `node_ids` stand for it today; `joined_node_ids` are those of them that had
    its words already. `uncompared_pairs`: of sentences, which judgements left out because of their bounds. Once it is
    structured, `insight`, `usage` and `revision` are those of that moment, however often it is asked for."""

    interaction_id: InteractionId
    state: StructuringState
    node_ids: tuple[NodeId, ...]
    merges: tuple[MergeMade, ...]
    related: tuple[tuple[NodeId, NodeId], ...]
    conflict_ids: tuple[ConflictId, ...]
    joined_node_ids: tuple[NodeId, ...]
    uncompared_pairs: int
    insight: Insight
    usage: Usage
    revision: int
    replayed: bool = False


async def memorize(
    ports: StructuringPorts, command: Memorize, report: Report | None = None
) -> MemorizeResult:
    """Stores the context durably, then structures it (or leaves that to the background).

    Raises BankNotFound, InteractionExists, AttachmentNotFound, LimitReached, EmbeddingRequired,
    RequestIdReused, StructuringFailed.
    """
    if command.context.is_empty:
        raise InvalidField("text", "give a text or messages")
    async with ports.banks.reading(command.key) as bank:
        require_embedding(ports, bank, "bank_id")
    interaction = await make_interaction(ports, command.context)
    if not interaction.spans:
        raise InvalidField("text", "give a text that is not blank")

    purpose = Purpose.REFERENCE if command.skip_judging else Purpose.MEMORIZE

    def stage(bank: Bank, _revision: int) -> Draft[RecordedAnswer]:
        steps = record_steps(ports, bank, interaction, purpose)
        return Draft(
            result=RecordedAnswer(interaction_id=interaction.interaction_id),
            steps=tuple(steps),
            touches=frozenset((f"interaction:{interaction.interaction_id}",)),
        )

    committed = await ports.banks.commit(command.key, stage, command.request, RecordedAnswer)
    interaction_id = committed.result.interaction_id or interaction.interaction_id
    if report is not None:
        report("stored", 1, 1)
    return await outcome(ports, command.key, interaction_id, command.wait, committed.replayed, report)


async def outcome(
    ports: StructuringPorts,
    key: BankKey,
    interaction_id: InteractionId,
    wait: Wait,
    replayed: bool,
    report: Report | None = None,
    caller: Ledger | None = None,
) -> MemorizeResult:
    """See the interaction's structuring through, if asked to wait, and say what came of it. `caller`: whose budget
    it is part of."""
    async with ports.banks.reading(key) as bank:
        require_not_retracted(bank, interaction_id)
        done = bank.tree.structuring(interaction_id).state is StructuringState.DONE
    if not done:
        running = take_up(ports, key, interaction_id, caller)
        if report is not None:
            running.listeners.append(report)
        if wait is Wait.STRUCTURED:
            await running.finished()
    async with ports.banks.reading(key) as bank:
        return _memorized(bank, interaction_id, replayed)


def insight_then(bank: Bank, structuring: Structuring) -> Insight:
    """Returns the insight document as it was when the work was done; as it is, while it is not."""
    if structuring.insight is None:
        return bank.insight
    return replace(structuring.insight, completed=bank.insight.completed[: structuring.completed_tasks])


def _memorized(bank: Bank, interaction_id: InteractionId, replayed: bool) -> MemorizeResult:
    structuring = bank.tree.structuring(interaction_id)
    outcomes = [c.outcome for c in bank.tree.clusters(interaction_id) if c.outcome]
    return MemorizeResult(
        interaction_id=interaction_id,
        state=structuring.state,
        node_ids=_standing(bank, outcomes),
        merges=tuple(merge for o in outcomes for merge in o.merges),
        related=tuple(pair for o in outcomes for pair in o.related),
        conflict_ids=tuple(dict.fromkeys(o.conflict_id for o in outcomes if o.conflict_id)),
        joined_node_ids=_standing(bank, (o for o in outcomes if o.joined)),
        uncompared_pairs=sum(o.uncompared_pairs for o in outcomes),
        insight=insight_then(bank, structuring),
        usage=structuring.usage or Usage(),
        revision=structuring.revision or bank.revision,
        replayed=replayed,
    )


def _standing(bank: Bank, outcomes: Iterable[Outcome]) -> tuple[NodeId, ...]:
    """Returns the living nodes that these came to, each once."""
    stand = (bank.tree.standing_for(outcome.node_id) or outcome.node_id for outcome in outcomes)
    return tuple(dict.fromkeys(node_id for node_id in stand if node_id in bank.nodes))
