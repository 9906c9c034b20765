"""Setting an interaction's structuring to work, and saying how it ended to whom it concerns."""

from core.agents.usage import Ledger
from core.errors import BankNotFound, StructuringFailed
from core.ids import BankKey, InteractionId
from core.usecases.house import House
from core.usecases.observer import Structured
from core.usecases.structure import structure
from core.usecases.workshop import Report, Running


def take_up(
    house: House, key: BankKey, interaction_id: InteractionId, caller: Ledger | None = None
) -> Running:
    """The structuring of this interaction, at work: what runs already, or a new start, which spends of the
    caller's budget."""
    patience, observer = house.workshop.patience, house.workshop.observer

    async def work(ledger: Ledger, report: Report) -> None:
        failure = None
        try:
            await structure(house, key, interaction_id, ledger, report)
            patience.succeeded(key, interaction_id)
        except StructuringFailed as failed:
            failure = failed.cause
            patience.failed(key, interaction_id, failure)
            raise
        except BankNotFound as gone:
            failure = gone
            patience.gone(key)
            raise
        finally:
            observer.structured(
                Structured(key=key, interaction_id=interaction_id, usage=ledger.total(), failure=failure)
            )

    return house.workshop.begin(key, interaction_id, work, caller)
