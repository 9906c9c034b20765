"""GetBank: a bank's record, and how much it holds."""

from dataclasses import dataclass

from core.bank.bank import Bank
from core.keys import BankKey
from core.model.bank import BankRecord
from core.usecases.ports import HasBanks


@dataclass(frozen=True, slots=True, kw_only=True)
class GetBank:
    key: BankKey
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BankCounts:
    """How many of each the bank holds now."""

    nodes: int
    edges: int
    interactions: int
    segments: int
    open_conflicts: int
    unstructured_interactions: int
    merges: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BankSeen:
    record: BankRecord
    counts: BankCounts
    revision: int


async def get_bank(ports: HasBanks, command: GetBank) -> BankSeen:
    """Raises BankNotFound, RevisionNotReached."""
    async with ports.banks.reading(command.key, command.min_revision) as bank:
        return BankSeen(record=bank.record, counts=counts_of(bank), revision=bank.revision)


def counts_of(bank: Bank) -> BankCounts:
    """Returns how much a bank holds."""
    return BankCounts(
        nodes=len(bank.nodes),
        edges=bank.graph.edge_count,
        interactions=len(bank.tree.interactions),
        segments=bank.tree.segment_count,
        open_conflicts=len(bank.open_conflicts()),
        unstructured_interactions=len(bank.tree.unfinished()),
        merges=len(bank.tree.merges),
    )
