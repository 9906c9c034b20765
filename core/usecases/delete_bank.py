"""DeleteBank: a purge. Nothing of the bank remains but the files that callers named by URI."""

from dataclasses import dataclass

from core.errors import BankNotFound
from core.ids import BankKey
from core.ports import PurgeCounts
from core.usecases.house import House
from core.usecases.revisions import require_unchanged


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteBank:
    """`if_revision`: only a bank that has not changed since. `allow_missing`: a bank that is gone is a success."""

    key: BankKey
    allow_missing: bool = False
    if_revision: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BankPurged:
    """What was removed, and the last revision seen of it (0: there was none)."""

    counts: PurgeCounts
    revision: int


async def delete_bank(house: House, command: DeleteBank) -> BankPurged:
    """Raises BankNotFound, StaleRevision. A change that comes between the look at `if_revision` and the purge
    goes with the bank."""
    try:
        async with house.banks.reading(command.key, command.if_revision or 0) as bank:
            require_unchanged(command.if_revision, bank.revision)
            uid, revision = bank.uid, bank.revision
        counts = await house.banks.delete(command.key, uid)
    except BankNotFound:
        if not command.allow_missing:
            raise
        return BankPurged(counts=PurgeCounts(), revision=0)
    return BankPurged(counts=counts, revision=revision)
