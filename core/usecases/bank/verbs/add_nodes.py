"""AddNode and BatchAddNodes: nodes as the caller words them, all or none, in one revision. Nothing is judged."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from core.agents.opinions import Opinions
from core.agents.usage import Ledger
from core.bank.bank import Bank
from core.bank.steps import EdgePut, InteractionAdd, NodePut, Step
from core.errors import InvalidField, NodeExists
from core.ids import InteractionId, NodeId, SegmentRef
from core.keys import BankKey
from core.model.interaction import Interaction, InteractionOrigin
from core.model.node import Node
from core.model.vector import Vector
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.text.segmenting import segment
from core.usecases.bank.ports import NodePorts
from core.usecases.bank.structuring.absorb import embedding_text
from core.usecases.bank.structuring.decide import decide
from core.usecases.bank.structuring.embed_segments import embed_later
from core.usecases.spaces import require_embedding
from core.usecases.vectors import unit

LARGE_TEXT = 10_000  # code points; longer texts are segmented off the loop


@dataclass(frozen=True, slots=True, kw_only=True)
class NewNode:
    """No `node_id`: one is made. `verbatim` becomes an interaction of its own that the node stands for."""

    summary: str
    node_id: NodeId | None = None
    context: str = ""
    keywords: tuple[str, ...] = ()
    embedding: Vector | None = None
    event_time: datetime | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    related_node_ids: tuple[NodeId, ...] = ()
    interaction_ids: tuple[InteractionId, ...] = ()
    verbatim: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddNodes:
    """`alone`: the one node of an AddNode, whose fields are named without their place in a batch. `writer`: the
    subject of the caller's API key."""

    key: BankKey
    nodes: tuple[NewNode, ...]
    alone: bool = False
    writer: str = ""
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodesAdded:
    """In the order they were given."""

    nodes: tuple[Node, ...]


async def add_nodes(ports: NodePorts, command: AddNodes) -> CommitResult[NodesAdded]:
    """Raises NodeExists, NodeNotFound and NodeAbsorbed (a related one), InteractionNotFound, EmbeddingRequired,
    EmbeddingSpaceMismatch, InvalidField, EmbedderUnavailable, LimitReached, BankNotFound, RequestIdReused."""
    adding = _Adding(ports, command)
    await adding.read_verbatims()
    if adding.needs_no_opinion:  # no agent is asked before the writer's turn, and nothing is spent
        committed = await ports.banks.commit(command.key, adding.compose, command.request, NodesAdded)
    else:
        committed = await decide(
            ports, command.key, adding.compose, adding.ledger, command.request, NodesAdded
        )
    if not committed.replayed:
        for interaction in adding.verbatims.values():
            embed_later(ports, command.key, interaction.interaction_id)
    return committed


def require_unused(bank: Bank, node_id: NodeId) -> None:
    """Raises NodeExists for the id of a node that lives, was merged away, or was made by a merge.

    The id of a merged node stays taken: lineages lead through it.
    """
    if node_id in bank.nodes or bank.tree.standing_for(node_id) or bank.tree.merge_into(node_id):
        raise NodeExists(node_id)


class _Adding:
    """One batch: what is made once, and its composing on a bank."""

    def __init__(self, ports: NodePorts, command: AddNodes) -> None:
        self._ports = ports
        self._command = command
        self._now = ports.clock.now()
        self._ids = [new.node_id or NodeId(ports.ids.new("n")) for new in command.nodes]
        self.verbatims: dict[int, Interaction] = {}  # by place in the batch

    @property
    def needs_no_opinion(self) -> bool:
        return all(new.embedding is not None for new in self._command.nodes)

    @cached_property
    def ledger(self) -> Ledger:
        return self._ports.workshop.ledger(self._command.key)

    @cached_property
    def _opinions(self) -> Opinions:
        return Opinions(self._ports.agents, self._ports.embedder, self._ports.ids, self.ledger)

    async def read_verbatims(self) -> None:
        """Cuts the texts that come with nodes. Raises InvalidField for one without words."""
        for place, new in enumerate(self._command.nodes):
            if not new.verbatim:
                continue
            large = len(new.verbatim) > LARGE_TEXT
            spans = await asyncio.to_thread(segment, new.verbatim) if large else segment(new.verbatim)
            if not spans:
                raise InvalidField(self._path(place, "verbatim"), "must not be blank")
            self.verbatims[place] = Interaction(
                interaction_id=InteractionId(self._ports.ids.new("i")),
                text=new.verbatim,
                spans=spans,
                event_time=new.event_time or self._now,
                create_time=self._now,
                origin=InteractionOrigin.VERBATIM,
                source=new.source,
                labels=new.labels,
                writer=self._command.writer,
            )

    def compose(self, bank: Bank, revision: int) -> Draft[NodesAdded]:
        """Returns everything as one change. Raises OpinionPending."""
        self._check(bank)
        nodes = [self._node(bank, place, revision) for place in range(len(self._ids))]
        vectors = self._vectors(bank, nodes)
        steps: list[Step] = [InteractionAdd(interaction=made) for made in self.verbatims.values()]
        steps += [NodePut(node=node, vector=vector) for node, vector in zip(nodes, vectors, strict=True)]
        edges = dict.fromkeys((a, b) if a < b else (b, a) for a, b in self._pairs())
        steps += [EdgePut(node_id=a, other_node_id=b) for a, b in edges]
        touched = {n for pair in edges for n in pair}.union(self._ids)
        touches = frozenset([f"node:{n}" for n in touched])
        return Draft(result=NodesAdded(nodes=tuple(nodes)), steps=tuple(steps), touches=touches)

    def _check(self, bank: Bank) -> None:
        self._ports.settings.limits.check_nodes(bank, len(self._ids))
        self._ports.settings.limits.check_segments(
            bank, sum(len(made.spans) for made in self.verbatims.values())
        )
        own: set[NodeId] = set()
        for place, node_id in enumerate(self._ids):
            if node_id in own:
                raise InvalidField(self._path(place, "node_id"), "is there twice")
            require_unused(bank, node_id)
            own.add(node_id)
        for place, new in enumerate(self._command.nodes):
            for related in new.related_node_ids:
                if related == self._ids[place]:
                    raise InvalidField(
                        self._path(place, "related_node_ids"), "a node is not related to itself"
                    )
                if related not in own:
                    bank.node(related)

    def _node(self, bank: Bank, place: int, revision: int) -> Node:
        new = self._command.nodes[place]
        records = [bank.tree.interaction(i) for i in dict.fromkeys(new.interaction_ids)]
        if place in self.verbatims:
            records.append(self.verbatims[place])
        return Node(
            node_id=self._ids[place],
            summary=new.summary,
            context=new.context,
            keywords=new.keywords,
            base_context=new.context,
            base_keywords=new.keywords,
            event_time=new.event_time or self._now,
            create_time=self._now,
            update_time=self._now,
            labels=new.labels,
            source=new.source,
            interaction_ids=tuple(record.interaction_id for record in records),
            segments=tuple(
                SegmentRef(r.interaction_id, index) for r in records for index in range(len(r.spans))
            ),
            revision=revision,
            writer=self._command.writer,
        )

    def _vectors(self, bank: Bank, nodes: Sequence[Node]) -> list[Vector]:
        """Returns the callers' vectors, and the service's for nodes that came without. Raises OpinionPending."""
        given: dict[NodeId, Vector] = {}
        for place, new in enumerate(self._command.nodes):
            path = self._path(place, "embedding")
            if new.embedding is None:
                require_embedding(self._ports, bank, path)
            else:
                given[self._ids[place]] = unit(new.embedding, bank.record.space, path)
        if wanting := [node for node in nodes if node.node_id not in given]:
            made = self._opinions.vectors([embedding_text(node) for node in wanting])
            given.update(zip((node.node_id for node in wanting), made, strict=True))
        return [given[node.node_id] for node in nodes]

    def _pairs(self) -> list[tuple[NodeId, NodeId]]:
        named = zip(self._ids, self._command.nodes, strict=True)
        return [(node_id, related) for node_id, new in named for related in new.related_node_ids]

    def _path(self, place: int, name: str) -> str:
        return name if self._command.alone else f"nodes[{place}].{name}"
