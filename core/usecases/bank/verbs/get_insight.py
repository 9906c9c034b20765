"""GetInsight: where the task stands."""

from dataclasses import dataclass, replace

from core.keys import BankKey
from core.model.bank import BankRecord
from core.model.insight import Insight
from core.usecases.paging import BY_NUMBER, place_of, token_of
from core.usecases.ports import HasBanks
from core.usecases.room import ROOM, fitting, weight


@dataclass(frozen=True, slots=True, kw_only=True)
class GetInsight:
    """A page of the completed tasks, oldest first."""

    key: BankKey
    page_size: int = 200
    page_token: str = ""
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class InsightSeen:
    """The page is of the completed tasks from `start` to `end`."""

    insight: Insight
    bank: BankRecord
    start: int
    end: int
    next_page_token: str
    revision: int


async def get_insight(ports: HasBanks, command: GetInsight) -> InsightSeen:
    """Raises BankNotFound, RevisionNotReached, InvalidField for a token of another list."""
    place = place_of(command, command.page_token, BY_NUMBER)
    async with ports.banks.reading(command.key, command.min_revision) as bank:
        start = 0 if place is None else int(place[0])
        asked = bank.insight.completed[start : start + command.page_size]
        end = start + len(fitting(asked, room=ROOM - weight(replace(bank.insight, completed=()))))
        return InsightSeen(
            insight=bank.insight,
            bank=bank.record,
            start=start,
            end=end,
            next_page_token=token_of(command, (end,)) if end < len(bank.insight.completed) else "",
            revision=bank.revision,
        )
