"""RetractInteractions: records are taken out of a bank with all that rests on them, and kept for a release.

What rests on a record: the nodes that stand for it, their edges and conflicts, what verdicts on these refuted, the
words that their neighbours have of them, and what the plan says of it. Of a node that other records stand in, too,
these records stay, as passages, until the retraction is erased: then they are structured anew.

Law: one change. It counts as an erasure: the feed forgets what came before. Its inverse is written beside it, as steps.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from core.agents.opinions import Opinions
from core.bank.bank import Bank
from core.bank.steps import STEPS, RetractionPut
from core.ids import InteractionId
from core.keys import BankKey
from core.model.interaction import Interaction
from core.model.interaction_retraction import InteractionRetraction
from core.model.retraction import RetractionState
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.bank.ports import BankRetractionPorts
from core.usecases.bank.retraction.taking_back import Taking, resting_on
from core.usecases.bank.structuring.decide import decide
from core.usecases.retractions import tell_retracted


@dataclass(frozen=True, slots=True, kw_only=True)
class RetractInteractions:
    """Records by their ids, else by `source` (None: any), `writer` (empty: any) and time of writing. `dry_run`: only
    tell what would go. `retraction_id`: of the retraction that it repeats; empty: a new one."""

    key: BankKey
    interaction_ids: tuple[InteractionId, ...] = ()
    source: str | None = None
    writer: str = ""
    since: datetime | None = None
    until: datetime | None = None
    reason: str = ""
    dry_run: bool = False
    retraction_id: str = ""
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionsRetracted:
    """Without words. `retraction`: None where nothing was chosen, or it was only tried. `others`: records that stood in
    nodes that go, too."""

    retraction: InteractionRetraction | None
    interaction_ids: tuple[InteractionId, ...]
    nodes: int
    conflicts: int
    others: int


async def retract_interactions(
    ports: BankRetractionPorts, command: RetractInteractions
) -> CommitResult[InteractionsRetracted]:
    """Raises InteractionNotFound, EmbedderUnavailable, EmbeddingSpaceMismatch, BankNotFound, RequestIdReused."""
    now, retraction_id = ports.clock.now(), command.retraction_id or ports.ids.new("x")
    ledger = ports.workshop.ledger(command.key)
    opinions = Opinions(ports.agents, ports.embedder, ports.ids, ledger)

    def compose(bank: Bank, revision: int) -> Draft[InteractionsRetracted]:
        chosen = _chosen(bank, command)
        if not chosen:
            return Draft(result=_told(None, (), 0, 0, 0))
        resting = resting_on(bank, chosen)
        told = _told(
            None,
            tuple(sorted(resting.records)),
            len(resting.nodes),
            len(resting.conflicts),
            len({ref.interaction_id for ref in resting.waiting}),
        )
        if command.dry_run:
            return Draft(result=told)
        taking = Taking(ports, bank, resting, opinions, now, revision)
        retraction = InteractionRetraction(
            retraction_id=retraction_id,
            state=RetractionState.QUARANTINED,
            create_time=now,
            interaction_ids=told.interaction_ids,
            nodes=told.nodes,
            conflicts=told.conflicts,
            source=command.source or "",
            writer=command.writer,
            since=command.since,
            until=command.until,
            reason=command.reason,
            waiting=resting.waiting,
            held=STEPS.text(taking.held()),
        )
        steps = (*taking.steps(), RetractionPut(retraction=retraction))
        result = _told(
            without_words(retraction), told.interaction_ids, told.nodes, told.conflicts, told.others
        )
        return Draft(result=result, steps=steps, sees_all=True, erase=True)

    done = await decide(ports, command.key, compose, ledger, command.request, InteractionsRetracted)
    await tell_retracted(ports, ports.banks, command.key, done.result.retraction)
    return done


def without_words(retraction: InteractionRetraction) -> InteractionRetraction:
    """Returns a retraction without what it holds: an answer that is kept has no words."""
    return replace(retraction, held="", waiting=())


def _told(
    retraction: InteractionRetraction | None,
    interaction_ids: tuple[InteractionId, ...],
    nodes: int,
    conflicts: int,
    others: int,
) -> InteractionsRetracted:
    return InteractionsRetracted(
        retraction=retraction,
        interaction_ids=interaction_ids,
        nodes=nodes,
        conflicts=conflicts,
        others=others,
    )


def _chosen(bank: Bank, command: RetractInteractions) -> set[InteractionId]:
    """Raises InteractionNotFound."""
    if command.interaction_ids:
        return {bank.tree.interaction(each).interaction_id for each in command.interaction_ids}
    return {each.interaction_id for each in _admitted(bank.tree.interactions.values(), command)}


def _admitted(interactions: Iterable[Interaction], command: RetractInteractions) -> Iterable[Interaction]:
    for each in interactions:
        if command.source is not None and each.source != command.source:
            continue
        if command.writer and each.writer != command.writer:
            continue
        if command.since is not None and each.create_time < command.since:
            continue
        if command.until is None or each.create_time < command.until:
            yield each
