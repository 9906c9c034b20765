"""Unrelate: the edge between two nodes goes. Their words stay."""

from dataclasses import dataclass

from core.bank.bank import Bank
from core.bank.steps import EdgeDrop
from core.errors import EdgeNotFound
from core.ids import NodeId
from core.keys import BankKey
from core.ports.aggregates import Committed, Draft, RequestKey
from core.usecases.bank.relate import require_two
from core.usecases.house import House
from core.usecases.revisions import require_unchanged


@dataclass(frozen=True, slots=True, kw_only=True)
class Unrelate:
    """`if_revision`: only if neither node changed since (an edge has no revision of its own)."""

    key: BankKey
    node_id: NodeId
    other_node_id: NodeId
    if_revision: int | None = None
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unrelated:
    node_id: NodeId
    other_node_id: NodeId


async def unrelate(house: House, command: Unrelate) -> Committed[Unrelated]:
    """Raises InvalidField for one node twice, NodeNotFound, NodeAbsorbed, EdgeNotFound, StaleRevision,
    BankNotFound, RequestIdReused."""
    one, other = command.node_id, command.other_node_id
    require_two(one, other)

    def stage(bank: Bank, _revision: int) -> Draft[Unrelated]:
        ends = bank.node(one), bank.node(other)
        if not bank.graph.has_edge(one, other):
            raise EdgeNotFound(one, other)
        require_unchanged(command.if_revision, max(node.revision for node in ends))
        return Draft(
            result=Unrelated(node_id=one, other_node_id=other),
            steps=(EdgeDrop(node_id=one, other_node_id=other),),
            touches=frozenset({f"node:{one}", f"node:{other}"}),
        )

    return await house.banks.commit(command.key, stage, command.request, Unrelated)
