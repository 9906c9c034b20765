"""Setting an interaction's structuring to work, and saying how it ended to whom it concerns."""

import sys
from asyncio import CancelledError

from core.agents.usage import Ledger
from core.errors import BankNotFound, StructuringFailed
from core.ids import InteractionId
from core.keys import BankKey
from core.usecases.bank.structuring.structure import structure
from core.usecases.claims import work_on
from core.usecases.house import House
from core.usecases.observer import StructuringEnded
from core.usecases.workshop import Report, Running


def take_up(
    house: House, key: BankKey, interaction_id: InteractionId, caller: Ledger | None = None
) -> Running:
    """Returns the structuring of this interaction, at work: what runs already, or a new start, which spends of the
    caller's budget."""

    async def work(ledger: Ledger, report: Report) -> None:
        failure: BaseException | None = None
        try:
            async with house.claims.kept(work_on(key, interaction_id)):
                await structure(house, key, interaction_id, ledger, report)
        except StructuringFailed as failed:
            failure = failed.cause
            raise
        finally:
            _tell(house, key, interaction_id, ledger, failure or sys.exception())

    return house.workshop.begin(key, interaction_id, work, caller)


def _tell(
    house: House,
    key: BankKey,
    interaction_id: InteractionId,
    ledger: Ledger,
    failure: BaseException | None,
) -> None:
    """Tells how work has ended to the background, which may try again, and to watchers."""
    patience = house.workshop.patience
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
    house.workshop.observer.structured(outcome)
