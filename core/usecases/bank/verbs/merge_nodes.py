"""MergeNodes: nodes become one because a caller asks, in the caller's words or the Consolidator's. None is judged."""

from dataclasses import dataclass

from core.agents.opinions import Opinions
from core.agents.roles import Consolidation
from core.bank.bank import Bank
from core.errors import InvalidField, NodeContested
from core.ids import NodeId
from core.keys import BankKey
from core.model.lineage import MergeRecord
from core.model.node import Node
from core.model.usage import Usage
from core.model.vector import Vector
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.bank.ports import NodePorts
from core.usecases.bank.structuring.decide import decide
from core.usecases.bank.structuring.rounds import Round
from core.usecases.bank.verbs.add_nodes import require_unused
from core.usecases.moment import moment
from core.usecases.ports import HasEmbedder
from core.usecases.revisions import require_unchanged
from core.usecases.spaces import require_embedding
from core.usecases.spending import on_account
from core.usecases.vectors import unit


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MergeNodes:
    """Two or more `node_ids`. Without a `summary` the Consolidator words the new node; in a bank of CLIENT
    vectors it goes with `embedding`, and both are required."""

    key: BankKey
    node_ids: tuple[NodeId, ...]
    new_node_id: NodeId | None = None
    summary: str = ""
    context: str = ""
    keywords: tuple[str, ...] = ()
    embedding: Vector | None = None
    if_revision: int | None = None
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodesMerged:
    """The new node, its merge record, the neighbours it inherited as reworded, and what the words cost."""

    node: Node
    lineage: MergeRecord
    neighbors: tuple[Node, ...]
    usage: Usage


async def merge_nodes(ports: NodePorts, command: MergeNodes) -> CommitResult[NodesMerged]:
    """Raises NodeNotFound, NodeAbsorbed, NodeContested, NodeExists, StaleRevision, EmbeddingRequired,
    EmbeddingSpaceMismatch, InvalidField, AgentUnavailable, AgentReplyInvalid, BudgetSpent, EmbedderUnavailable,
    BankNotFound, RequestIdReused."""
    _check(command)
    ledger = ports.workshop.ledger(command.key)
    opinions = Opinions(ports.agents, ports.embedder, ports.ids, ledger)

    def compose(bank: Bank, revision: int) -> Draft[NodesMerged]:
        nodes = [_mergeable(bank, node_id) for node_id in command.node_ids]
        require_unchanged(command.if_revision, max(node.revision for node in nodes))
        if command.new_node_id is not None:
            require_unused(bank, command.new_node_id)
        texts, vector = _words(ports, bank, command)
        round_ = Round(bank, opinions, moment(ports, bank, revision))
        record = round_.merge(nodes, texts, command.new_node_id, vector)
        node, neighbors = round_.merged
        merged = NodesMerged(node=node, lineage=record, neighbors=neighbors, usage=ledger.total())
        return Draft(result=merged, steps=tuple(round_.draft_steps()), sees_all=True)

    async with on_account(ports, command.key, ledger):
        return await decide(ports, command.key, compose, ledger, command.request, NodesMerged)


def _check(command: MergeNodes) -> None:
    if len(command.node_ids) < 2:
        raise InvalidField("node_ids", "name two nodes or more")
    if len(set(command.node_ids)) < len(command.node_ids):
        raise InvalidField("node_ids", "name every node once")
    if not command.summary and (command.context or command.keywords or command.embedding is not None):
        raise InvalidField("summary", "context, keywords and embedding go with a summary")


def _mergeable(bank: Bank, node_id: NodeId) -> Node:
    node = bank.node(node_id)
    if conflicts := bank.open_conflicts_of(node_id):
        raise NodeContested(node_id, conflicts[0].conflict_id)
    return node


def _words(ports: HasEmbedder, bank: Bank, command: MergeNodes) -> tuple[Consolidation | None, Vector | None]:
    """Returns the caller's words for the new node, and its vector; None where the service makes them."""
    if command.embedding is None:
        require_embedding(ports, bank, "embedding")
    if not command.summary:
        return None, None
    texts = Consolidation(
        summary=command.summary,
        context=command.context,
        keywords=command.keywords,
        neighbor_updates={},
        description="",
    )
    if command.embedding is None:
        return texts, None
    return texts, unit(command.embedding, bank.record.space, "embedding")
