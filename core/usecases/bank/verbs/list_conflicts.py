"""ListConflicts: contradictions, oldest first."""

from dataclasses import dataclass

from core.aggregate.codec import micros
from core.ids import NodeId
from core.keys import BankKey
from core.model.conflict import Conflict, ConflictStatus
from core.usecases.paging import BY_NUMBER_AND_ID, DEFAULT_PAGE, page_of
from core.usecases.ports import HasBanks


@dataclass(frozen=True, slots=True, kw_only=True)
class ListConflicts:
    """No `statuses` admits all; `node_id` asks for those with this node as a side."""

    key: BankKey
    statuses: frozenset[ConflictStatus] = frozenset({ConflictStatus.OPEN})
    node_id: NodeId | None = None
    page_size: int = DEFAULT_PAGE
    page_token: str = ""
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictsListed:
    conflicts: tuple[Conflict, ...]
    next_page_token: str
    revision: int


async def list_conflicts(ports: HasBanks, command: ListConflicts) -> ConflictsListed:
    """Raises InvalidField (page_token), BankNotFound, RevisionNotReached."""
    async with ports.banks.reading(command.key, command.min_revision) as bank:
        asked = (conflict for conflict in bank.conflicts.values() if _fits(conflict, command))
        page = page_of(
            command,
            asked,
            lambda conflict: (micros(conflict.create_time), conflict.conflict_id),
            BY_NUMBER_AND_ID,
            command.page_token,
            command.page_size,
        )
        return ConflictsListed(
            conflicts=page.items, next_page_token=page.next_page_token, revision=bank.revision
        )


def _fits(conflict: Conflict, command: ListConflicts) -> bool:
    named = command.node_id is None or any(side.node_id == command.node_id for side in conflict.sides)
    return named and (not command.statuses or conflict.status in command.statuses)
