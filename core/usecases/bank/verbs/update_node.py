"""UpdateNode: new words, marks or vector for a node. New words re-embed it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from core.agents.opinions import Opinions
from core.bank.bank import Bank
from core.bank.steps import NodePut, PairForget, Step
from core.ids import NodeId
from core.keys import BankKey
from core.model.node import Node
from core.model.vector import Vector
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.bank.ports import NodePorts
from core.usecases.bank.structuring.absorb import embedding_text
from core.usecases.bank.structuring.decide import decide
from core.usecases.bank.structuring.suspicions import ended_by_words
from core.usecases.ports import HasEmbedder
from core.usecases.revisions import require_unchanged
from core.usecases.spaces import require_embedding
from core.usecases.vectors import unit

FIELDS = ("summary", "context", "keywords", "event_time", "labels", "source")
WORDS = ("summary", "context", "keywords")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class UpdateNode:
    """A field that is None stays as it is. `writer`: the subject of the caller's API key."""

    key: BankKey
    node_id: NodeId
    summary: str | None = None
    context: str | None = None
    keywords: tuple[str, ...] | None = None
    embedding: Vector | None = None
    event_time: datetime | None = None
    labels: Mapping[str, str] | None = None
    source: str | None = None
    if_revision: int | None = None
    writer: str = ""
    request: RequestKey | None = None


async def update_node(ports: NodePorts, command: UpdateNode) -> CommitResult[Node]:
    """Raises NodeNotFound, NodeAbsorbed, StaleRevision, EmbeddingRequired, EmbeddingSpaceMismatch, InvalidField,
    EmbedderUnavailable, BankNotFound, RequestIdReused."""
    now = ports.clock.now()
    ledger = ports.workshop.ledger(command.key)
    opinions = Opinions(ports.agents, ports.embedder, ports.ids, ledger)

    def compose(bank: Bank, revision: int) -> Draft[Node]:
        before = bank.node(command.node_id)
        require_unchanged(command.if_revision, before.revision)
        node = replace(before, **_given(command), update_time=now, revision=revision)
        steps: list[Step] = [NodePut(node=node, vector=_vector(ports, bank, command, node, opinions))]
        if node.summary != before.summary:
            steps.append(PairForget(node_id=node.node_id))  # what was settled was settled about other words
            steps += ended_by_words(bank, node, now)
        return Draft(result=node, steps=tuple(steps), touches=frozenset({f"node:{node.node_id}"}))

    return await decide(ports, command.key, compose, ledger, command.request, Node)


def _given(command: UpdateNode) -> dict[str, Any]:
    """Returns the fields to set. New words are the node's own: those that relations lent it go."""
    given = {name: value for name in FIELDS if (value := getattr(command, name)) is not None}
    own = {f"base_{name}": given[name] for name in ("context", "keywords") if name in given}
    if command.writer and not given.keys().isdisjoint(WORDS):
        own["writer"] = command.writer
    return given | own


def _vector(
    ports: HasEmbedder, bank: Bank, command: UpdateNode, node: Node, opinions: Opinions
) -> Vector | None:
    """Returns the node's new vector; None when its words stay. Raises OpinionPending."""
    if command.embedding is not None:
        return unit(command.embedding, bank.record.space, "node.embedding")
    if all(getattr(command, name) is None for name in WORDS):
        return None
    require_embedding(ports, bank, "node.embedding")
    return opinions.vectors([embedding_text(node)])[0]
