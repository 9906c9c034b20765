"""Relate: an edge between two nodes, because a caller says so. Their words stay."""

from dataclasses import dataclass

from core.bank.bank import Bank
from core.bank.steps import EdgePut
from core.errors import InvalidField
from core.ids import NodeId
from core.keys import BankKey
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.ports import HasBanks


@dataclass(frozen=True, slots=True, kw_only=True)
class Relate:
    key: BankKey
    node_id: NodeId
    other_node_id: NodeId
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RelateResult:
    """`created`: they were not related before. If they were, nothing changed."""

    created: bool


async def relate(ports: HasBanks, command: Relate) -> CommitResult[RelateResult]:
    """Raises InvalidField for one node twice, NodeNotFound, NodeAbsorbed, BankNotFound, RequestIdReused."""
    one, other = command.node_id, command.other_node_id
    require_two(one, other)

    def stage(bank: Bank, _revision: int) -> Draft[RelateResult]:
        bank.node(one)
        bank.node(other)
        touches = frozenset({f"node:{one}", f"node:{other}"})
        if bank.graph.has_edge(one, other):
            return Draft(result=RelateResult(created=False), touches=touches)
        step = EdgePut(node_id=one, other_node_id=other)
        return Draft(result=RelateResult(created=True), steps=(step,), touches=touches)

    return await ports.banks.commit(command.key, stage, command.request, RelateResult)


def require_two(one: NodeId, other: NodeId) -> None:
    """Raises InvalidField unless an edge could lie between."""
    if one == other:
        raise InvalidField("other_node_id", "must name another node than node_id")
