"""ListNeighbors: the nodes around a node, nearest first."""

from collections.abc import Iterator
from dataclasses import dataclass

from core.bank.bank import Bank
from core.ids import NodeId
from core.keys import BankKey
from core.model.node import Node
from core.usecases.paging import BY_NUMBER_AND_ID, DEFAULT_PAGE, page_of
from core.usecases.ports import HasBanks
from core.usecases.room import weight


@dataclass(frozen=True, slots=True, kw_only=True)
class ListNeighbors:
    """`hops`: how many edges away, at most."""

    key: BankKey
    node_id: NodeId
    hops: int = 1
    page_size: int = DEFAULT_PAGE
    page_token: str = ""
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighborsListed:
    """Each with the number of edges between, nearest first, then by id."""

    neighbors: tuple[tuple[Node, int], ...]
    next_page_token: str
    revision: int


async def list_neighbors(ports: HasBanks, command: ListNeighbors) -> NeighborsListed:
    """Raises NodeNotFound, NodeAbsorbed, InvalidField (page_token), BankNotFound, RevisionNotReached."""
    async with ports.banks.reading(command.key, command.min_revision) as bank:
        node = bank.node_named(command.node_id)
        page = page_of(
            command,
            _around(bank, node.node_id, command.hops),
            lambda found: found,
            BY_NUMBER_AND_ID,
            command.page_token,
            command.page_size,
            lambda found: weight(bank.nodes[found[1]]),
        )
        return NeighborsListed(
            neighbors=tuple((bank.nodes[node_id], hops) for hops, node_id in page.items),
            next_page_token=page.next_page_token,
            revision=bank.revision,
        )


def _around(bank: Bank, node_id: NodeId, hops: int) -> Iterator[tuple[int, NodeId]]:
    """Yields nodes ring by ring, each once, with its distance."""
    seen = {node_id}
    ring = [node_id]
    for distance in range(1, hops + 1):
        ring = sorted({near for inner in ring for near in bank.graph.neighbors(inner)} - seen)
        seen.update(ring)
        yield from ((distance, near) for near in ring)
