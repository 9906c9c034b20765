"""Restructure: finish what an agent's failure, or a crash, left unstructured."""

from dataclasses import dataclass

from core.errors import StructuringFailed
from core.ids import InteractionId
from core.keys import BankKey
from core.model.structuring import Structuring
from core.model.usage import Usage
from core.usecases.bank.ports import StructuringPorts
from core.usecases.bank.structuring.take_up import take_up
from core.usecases.bank.verbs.memorize import Wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Restructure:
    """`interaction_ids`: which; none means all that is unfinished."""

    key: BankKey
    interaction_ids: tuple[InteractionId, ...] = ()
    wait: Wait = Wait.STRUCTURED


@dataclass(frozen=True, slots=True, kw_only=True)
class RestructureResult:
    structurings: tuple[Structuring, ...]
    usage: Usage
    revision: int


async def restructure(ports: StructuringPorts, command: Restructure) -> RestructureResult:
    """Takes up unfinished interactions, all of them even if one fails; then raises the first failure.

    Doing it twice does nothing twice. Raises InteractionNotFound, StructuringFailed.
    """
    async with ports.banks.reading(command.key) as bank:
        for interaction_id in command.interaction_ids:
            bank.tree.interaction(interaction_id)
        unfinished = [s.interaction_id for s in bank.tree.unfinished()]
    chosen = command.interaction_ids or tuple(unfinished)
    at_work = [take_up(ports, command.key, i) for i in chosen if i in unfinished]
    failures = []
    if command.wait is Wait.STRUCTURED:
        for running in at_work:
            try:
                await running.finished()
            except StructuringFailed as failure:
                failures.append(failure)
    if failures:
        raise failures[0]
    async with ports.banks.reading(command.key) as bank:
        known = bank.tree.structurings
        return RestructureResult(
            structurings=tuple(known[i] for i in chosen if i in known),
            usage=sum((running.ledger.total() for running in at_work), Usage()),
            revision=bank.revision,
        )
