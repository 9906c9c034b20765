"""Unrelate: the edge between two nodes goes, and the words that they lent each other with it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.agents.opinions import Opinions
from core.bank.bank import Bank
from core.bank.steps import EdgeDrop, NodePut
from core.errors import EdgeNotFound
from core.ids import NodeId
from core.keys import BankKey
from core.model.node import Node
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.bank.ports import NodePorts
from core.usecases.bank.structuring.absorb import embedding_text
from core.usecases.bank.structuring.decide import decide
from core.usecases.bank.structuring.rewording import words_without
from core.usecases.bank.verbs.relate import require_two
from core.usecases.revisions import require_unchanged
from core.usecases.spaces import require_own_space


@dataclass(frozen=True, slots=True, kw_only=True)
class Unrelate:
    """`if_revision`: only if neither node changed since (an edge has no revision of its own)."""

    key: BankKey
    node_id: NodeId
    other_node_id: NodeId
    if_revision: int | None = None
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnrelateResult:
    node_id: NodeId
    other_node_id: NodeId


async def unrelate(ports: NodePorts, command: Unrelate) -> CommitResult[UnrelateResult]:
    """Raises InvalidField for one node twice, NodeNotFound, NodeAbsorbed, EdgeNotFound, StaleRevision,
    BankNotFound, RequestIdReused."""
    one, other = command.node_id, command.other_node_id
    require_two(one, other)

    now = ports.clock.now()
    ledger = ports.workshop.ledger(command.key)
    opinions = Opinions(ports.agents, ports.embedder, ports.ids, ledger)

    def compose(bank: Bank, revision: int) -> Draft[UnrelateResult]:
        ends = bank.node(one), bank.node(other)
        if not bank.graph.has_edge(one, other):
            raise EdgeNotFound(one, other)
        require_unchanged(command.if_revision, max(node.revision for node in ends))
        changed = [
            replace(node, context=context, keywords=keywords, update_time=now, revision=revision)
            for node, gone in zip(ends, (other, one), strict=True)
            for context, keywords in (words_without(bank, node, gone),)
            if (context, keywords) != (node.context, node.keywords)
        ]
        if changed:
            require_own_space(ports, bank)
        near = {n for end in ends for n in bank.graph.neighbors(end.node_id)}
        return Draft(
            result=UnrelateResult(node_id=one, other_node_id=other),
            steps=(EdgeDrop(node_id=one, other_node_id=other), *_puts(bank, changed, opinions)),
            touches=frozenset(f"node:{n}" for n in {one, other, *near}),
        )

    return await decide(ports, command.key, compose, ledger, command.request, UnrelateResult)


def _puts(bank: Bank, changed: Sequence[Node], opinions: Opinions) -> list[NodePut]:
    """Returns the nodes in other words, embedded where the service embeds. Raises OpinionPending."""
    if not changed or not bank.embeds:
        return [NodePut(node=node) for node in changed]
    vectors = opinions.vectors([embedding_text(node) for node in changed])
    return [NodePut(node=node, vector=vector) for node, vector in zip(changed, vectors, strict=True)]
