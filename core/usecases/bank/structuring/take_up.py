"""Setting an interaction's structuring to work, and saying how it ended to whom it concerns."""

import sys
from asyncio import CancelledError

from core.agents.usage import Ledger
from core.errors import BankNotFound, StructuringFailed
from core.ids import InteractionId
from core.keys import BankKey
from core.usecases.bank.ports import StructuringPorts
from core.usecases.bank.structuring.structure import structure
from core.usecases.claims import work_on
from core.usecases.observer import StructuringEnded
from core.usecases.ports import HasWorkshop
from core.usecases.workshop import Report, Running


def take_up(
    ports: StructuringPorts, key: BankKey, interaction_id: InteractionId, caller: Ledger | None = None
) -> Running:
    """Returns the structuring of this interaction, at work: what runs already, or a new start, which spends of the
    caller's budget."""

    async def work(ledger: Ledger, report: Report) -> None:
        failure: BaseException | None = None
        try:
            async with ports.claims.kept(work_on(key, interaction_id)):
                await structure(ports, key, interaction_id, ledger, report)
        except StructuringFailed as failed:
            failure = failed.cause
            raise
        finally:
            _tell(ports, key, interaction_id, ledger, failure or sys.exception())

    return ports.workshop.begin(key, interaction_id, work, caller)


def _tell(
    ports: HasWorkshop,
    key: BankKey,
    interaction_id: InteractionId,
    ledger: Ledger,
    failure: BaseException | None,
) -> None:
    """Tells how work has ended to the background, which may try again, and to watchers."""
    patience = ports.workshop.patience
    match failure:
        case None:
            patience.succeeded(key, interaction_id)
        case BankNotFound():
            patience.gone(key)
        case CancelledError():
            """Leaves the work as it is: the process stops, and the next to open the bank goes on."""
        case _:
            patience.failed(key, interaction_id, failure)
    outcome = StructuringEnded(key=key, interaction_id=interaction_id, usage=ledger.total(), failure=failure)
    ports.workshop.observer.structured(outcome)
