"""ListInteractions: verbatim records without their texts, in the order they were learned."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from core.bank.bank import Bank
from core.ids import NodeId
from core.keys import BankKey
from core.model.interaction import Interaction
from core.model.structuring import StructuringState
from core.usecases.bank.interactions import InteractionSeen, by_creation, outside, weight_outside
from core.usecases.paging import BY_NUMBER_AND_ID, DEFAULT_PAGE, page_of
from core.usecases.ports import HasBanks


@dataclass(frozen=True, slots=True, kw_only=True)
class ListInteractions:
    """What is given must all hold: `since` inclusive and `until` exclusive by event_time, any of the sources,
    the writer, all labels, any of the states (what is never clustered is in none)."""

    key: BankKey
    node_id: NodeId | None = None
    since: datetime | None = None
    until: datetime | None = None
    sources: frozenset[str] = frozenset()
    labels: Mapping[str, str] = field(default_factory=dict)
    states: frozenset[StructuringState] = frozenset()
    writer: str = ""
    page_size: int = DEFAULT_PAGE
    page_token: str = ""
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionsListed:
    interactions: tuple[InteractionSeen, ...]
    next_page_token: str
    revision: int


async def list_interactions(ports: HasBanks, command: ListInteractions) -> InteractionsListed:
    """Raises NodeNotFound, InvalidField (page_token), BankNotFound, RevisionNotReached."""
    async with ports.banks.reading(command.key, command.min_revision) as bank:
        page = page_of(
            command,
            (record for record in _asked(bank, command) if _fits(bank, record, command)),
            by_creation,
            BY_NUMBER_AND_ID,
            command.page_token,
            command.page_size,
            lambda record: weight_outside(bank, record),
        )
        return InteractionsListed(
            interactions=tuple(outside(bank, record) for record in page.items),
            next_page_token=page.next_page_token,
            revision=bank.revision,
        )


def _asked(bank: Bank, command: ListInteractions) -> Iterable[Interaction]:
    if command.node_id is None:
        return bank.tree.interactions.values()
    node = bank.node_standing_for(command.node_id)
    return [bank.tree.interaction(i) for i in bank.records(node)]


def _fits(bank: Bank, record: Interaction, command: ListInteractions) -> bool:
    structuring = bank.tree.structurings.get(record.interaction_id)
    return (
        (command.since is None or record.event_time >= command.since)
        and (command.until is None or record.event_time < command.until)
        and (not command.sources or record.source in command.sources)
        and (not command.writer or record.writer == command.writer)
        and command.labels.items() <= record.labels.items()
        and (not command.states or (structuring is not None and structuring.state in command.states))
    )
