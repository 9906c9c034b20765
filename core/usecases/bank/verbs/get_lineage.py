"""GetLineage: what a node absorbed, down to the first nodes. An absorbed node's past is its heir's."""

from dataclasses import dataclass

from core.bank.bank import Bank
from core.ids import NodeId
from core.keys import BankKey
from core.model.lineage import MergeRecord
from core.usecases.paging import BY_NUMBER, DEFAULT_PAGE, page_of
from core.usecases.ports import HasBanks


@dataclass(frozen=True, slots=True, kw_only=True)
class GetLineage:
    key: BankKey
    node_id: NodeId
    page_size: int = DEFAULT_PAGE
    page_token: str = ""
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """Of the living node `node_id`: its own merge first, then those of what it absorbed, newest first."""

    node_id: NodeId
    merges: tuple[MergeRecord, ...]
    next_page_token: str
    revision: int


async def get_lineage(ports: HasBanks, command: GetLineage) -> Lineage:
    """Raises NodeNotFound, InvalidField (page_token), BankNotFound, RevisionNotReached."""
    async with ports.banks.reading(command.key, command.min_revision) as bank:
        node = bank.node_standing_for(command.node_id)
        past = _past(bank, node.node_id)
        numbered = (
            (-number, record) for number, record in enumerate(bank.tree.merges) if record.into in past
        )
        page = page_of(
            command,
            numbered,
            lambda merge: (merge[0],),
            BY_NUMBER,
            command.page_token,
            command.page_size,
        )
        return Lineage(
            node_id=node.node_id,
            merges=tuple(record for _, record in page.items),
            next_page_token=page.next_page_token,
            revision=bank.revision,
        )


def _past(bank: Bank, node_id: NodeId) -> set[NodeId]:
    """Returns the node, and every merged node that went into it."""
    past: set[NodeId] = set()
    waiting = [node_id]
    while waiting:
        record = bank.tree.merge_into(waiting.pop())
        if record is not None:
            past.add(record.into)
            waiting.extend(node.node_id for node in record.absorbed)
    return past
