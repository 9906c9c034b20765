"""DeleteBank: a purge. Nothing of the bank remains but the files that callers named by URI."""

from dataclasses import dataclass

from core.errors import BankNotFound
from core.keys import BankKey
from core.ports.store import PurgeCounts
from core.usecases.ports import SpendingPorts


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteBank:
    """`if_revision`: only a bank that has not changed since. `allow_missing`: a bank that is gone is a success."""

    key: BankKey
    allow_missing: bool = False
    if_revision: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BankPurged:
    """What was removed, and the revision of the purge (0: there was nothing)."""

    counts: PurgeCounts
    revision: int


async def delete_bank(ports: SpendingPorts, command: DeleteBank) -> BankPurged:
    """Raises BankNotFound, StaleRevision."""
    try:
        counts, revision = await ports.banks.delete(command.key, if_revision=command.if_revision)
    except BankNotFound:
        if not command.allow_missing:
            raise
        return BankPurged(counts=PurgeCounts(), revision=0)
    ports.workshop.patience.gone(command.key)
    return BankPurged(counts=counts, revision=revision)
