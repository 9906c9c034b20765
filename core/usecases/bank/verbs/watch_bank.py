"""WatchBank: every change of a bank from a revision on, in order and without gaps."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from core.bank.steps import BankChange
from core.errors import BankNotFound
from core.keys import BankKey
from core.usecases.ports import HasBanks


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchBank:
    """`from_revision` is the last one seen; None: only what happens from now on."""

    key: BankKey
    from_revision: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BankGone:
    """The end: the bank of this `uid` was purged."""

    uid: str


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Watching:
    """What is followed from, and the changes after it; a purge ends them with BankGone.

    Reading the changes raises RevisionTrimmed, RevisionNotReached.
    """

    from_revision: int
    changes: AsyncIterator[BankChange | BankGone]


async def watch_bank(ports: HasBanks, command: WatchBank) -> Watching:
    """Raises BankNotFound, RevisionNotReached."""
    async with ports.banks.reading(command.key, command.from_revision or 0) as bank:
        uid = bank.uid
        after = bank.revision if command.from_revision is None else command.from_revision
    return Watching(from_revision=after, changes=_changes(ports, command.key, uid, after))


async def _changes(
    ports: HasBanks, key: BankKey, uid: str, after: int
) -> AsyncIterator[BankChange | BankGone]:
    try:
        async for change in ports.banks.watch(key, after):
            yield change
    except BankNotFound:
        yield BankGone(uid=uid)
