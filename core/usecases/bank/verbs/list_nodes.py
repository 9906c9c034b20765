"""ListNodes: nodes by id, all or those a filter admits."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.bank.query import Filter
from core.ids import NodeId
from core.keys import BankKey
from core.model.node import Node
from core.model.vector import Vector
from core.usecases.paging import BY_ID, DEFAULT_PAGE, page_of
from core.usecases.ports import HasBanks
from core.usecases.room import weight


@dataclass(frozen=True, slots=True, kw_only=True)
class ListNodes:
    key: BankKey
    filter: Filter = Filter()
    include_embedding: bool = False
    page_size: int = DEFAULT_PAGE
    page_token: str = ""
    min_revision: int = 0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NodesListed:
    """Nodes by id; `embeddings` of them if they were asked for."""

    nodes: tuple[Node, ...]
    embeddings: Mapping[NodeId, Vector]
    next_page_token: str
    revision: int


async def list_nodes(ports: HasBanks, command: ListNodes) -> NodesListed:
    """Raises InvalidField (page_token), BankNotFound, RevisionNotReached."""
    async with ports.banks.reading(command.key, command.min_revision) as bank:
        admitted = (node for node in bank.nodes.values() if command.filter.admits(node))
        shown = bank.node_vectors if command.include_embedding else None

        def vector_of(node: Node) -> Vector | None:
            return shown.get(node.node_id) if shown is not None else None

        page = page_of(
            command,
            admitted,
            lambda node: (node.node_id,),
            BY_ID,
            command.page_token,
            command.page_size,
            lambda node: weight(node) + weight(vector_of(node)),
        )
        vectors = {node.node_id: vector_of(node) for node in page.items}
        return NodesListed(
            nodes=page.items,
            embeddings={node_id: vector for node_id, vector in vectors.items() if vector is not None},
            next_page_token=page.next_page_token,
            revision=bank.revision,
        )
