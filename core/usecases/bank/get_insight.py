"""GetInsight: where the task stands."""

from dataclasses import dataclass

from core.ids import BankKey
from core.model.insight import Insight
from core.usecases.house import House


@dataclass(frozen=True, slots=True, kw_only=True)
class GetInsight:
    key: BankKey
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class InsightSeen:
    insight: Insight
    revision: int


async def get_insight(house: House, command: GetInsight) -> InsightSeen:
    """Raises BankNotFound, RevisionNotReached."""
    async with house.banks.reading(command.key, command.min_revision) as bank:
        return InsightSeen(insight=bank.insight, revision=bank.revision)
