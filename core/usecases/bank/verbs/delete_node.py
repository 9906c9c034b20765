"""DeleteNode: a node goes with its edges; its interactions stay.

What it lent its neighbours goes with it: they return to their own words, and those that others lent them. A conflict
it was a side of has lost its point.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from core.agents.opinions import Opinions
from core.bank.bank import Bank
from core.bank.steps import ConflictPut, NodeDrop, NodePut, Step
from core.ids import NodeId
from core.keys import BankKey
from core.model.conflict import ConflictStatus
from core.model.node import Node, NodeState
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.bank.plans.going_on import going_on, insight_steps
from core.usecases.bank.plans.planning import with_sides, with_validations, without_conflict
from core.usecases.bank.ports import NodeDeletionPorts
from core.usecases.bank.structuring.absorb import embedding_text
from core.usecases.bank.structuring.contest import without_sides
from core.usecases.bank.structuring.decide import decide
from core.usecases.bank.structuring.rewording import words_without
from core.usecases.bank.structuring.suspicions import ended_by_deletion
from core.usecases.deletions import tell_deleted
from core.usecases.ports import MomentPorts
from core.usecases.revisions import require_unchanged
from core.usecases.spaces import require_own_space


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteNode:
    key: BankKey
    node_id: NodeId
    if_revision: int | None = None
    request: RequestKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeDeleted:
    node_id: NodeId


async def delete_node(ports: NodeDeletionPorts, command: DeleteNode) -> CommitResult[NodeDeleted]:
    """Raises NodeNotFound, NodeAbsorbed, StaleRevision, EmbedderUnavailable, BankNotFound, RequestIdReused."""
    now = ports.clock.now()
    ledger = ports.workshop.ledger(command.key)
    opinions = Opinions(ports.agents, ports.embedder, ports.ids, ledger)

    def compose(bank: Bank, revision: int) -> Draft[NodeDeleted]:
        node = bank.node(command.node_id)
        require_unchanged(command.if_revision, node.revision)
        farewell = _Farewell(ports, bank, node, opinions, now, revision)
        return Draft(
            result=NodeDeleted(node_id=node.node_id), steps=farewell.steps(), touches=farewell.touches()
        )

    done = await decide(ports, command.key, compose, ledger, command.request, NodeDeleted)
    return await tell_deleted(ports, ports.banks, command.key, done)


class _Farewell:
    """All that changes when a node goes."""

    def __init__(
        self, ports: MomentPorts, bank: Bank, node: Node, opinions: Opinions, now: datetime, revision: int
    ) -> None:
        self._ports = ports
        self._bank = bank
        self._node = node
        self._now = now
        self._revision = revision
        left = [(one, without_sides(one, {node.node_id})) for one in bank.open_conflicts_of(node.node_id)]
        self._conflicts = [one for one, after in left if after is None]
        self._narrowed = [(one, after) for one, after in left if after is not None]
        self._puts: dict[NodeId, NodePut] = {}
        self._restore_neighbors(opinions)
        self._release_sides()

    def steps(self) -> tuple[Step, ...]:
        insight = self._bank.insight
        steps: list[Step] = [NodeDrop(node_id=self._node.node_id), *self._puts.values()]
        for conflict in self._conflicts:
            steps.append(
                ConflictPut(conflict=replace(conflict, status=ConflictStatus.MOOT, close_time=self._now))
            )
            insight = without_conflict(insight, conflict)
        for before, after in self._narrowed:
            steps.append(ConflictPut(conflict=after))
            insight = with_sides(insight, before, after)
        steps += ended_by_deletion(self._bank, self._node.node_id, self._now)
        if self._conflicts:
            left = [one for one in self._bank.open_conflicts() if one not in self._conflicts]
            floor = self._ports.settings.retrieval.validation_floor_of(self._bank)
            insight = with_validations(insight, left, floor)
        going = going_on(self._ports, self._bank, insight)
        return (*steps, *insight_steps(self._ports, self._bank, going))

    def touches(self) -> frozenset[str]:
        near = self._bank.graph.neighbors(self._node.node_id)
        sides = [side.node_id for conflict in self._conflicts for side in conflict.sides]
        nodes = {f"node:{n}" for n in (self._node.node_id, *near, *sides)}
        disputed = [*self._conflicts, *(before for before, _ in self._narrowed)]
        conflicts = {f"conflict:{conflict.conflict_id}" for conflict in disputed}
        return frozenset(nodes | conflicts | ({"insight", "bank"} if conflicts else set()))

    def _restore_neighbors(self, opinions: Opinions) -> None:
        """Neighbours that speak in its words lose these. Raises OpinionPending."""
        near = [self._bank.nodes[n] for n in self._bank.graph.neighbors(self._node.node_id)]
        left = [words_without(self._bank, n, self._node.node_id) for n in near]
        restored = [
            replace(n, context=context, keywords=keywords, **self._touch())
            for n, (context, keywords) in zip(near, left, strict=True)
            if (n.context, n.keywords) != (context, keywords)
        ]
        if restored:
            require_own_space(self._ports, self._bank)
        texts = [embedding_text(n) for n in restored] if self._bank.embeds else []
        vectors = opinions.vectors(texts) if texts else [None] * len(restored)
        for node, vector in zip(restored, vectors, strict=True):
            self._puts[node.node_id] = NodePut(node=node, vector=vector)

    def _release_sides(self) -> None:
        """Makes the other sides undisputed again, unless another conflict is open."""
        closing = {conflict.conflict_id for conflict in self._conflicts}
        sides = {side.node_id for conflict in self._conflicts for side in conflict.sides} - {
            self._node.node_id
        }
        for node_id in sorted(sides):
            if {c.conflict_id for c in self._bank.open_conflicts_of(node_id)} <= closing:
                put = self._puts.get(node_id)
                node = put.node if put else self._bank.nodes[node_id]
                freed = replace(node, state=NodeState.ACTIVE, **self._touch())
                self._puts[node_id] = NodePut(node=freed, vector=put.vector if put else None)

    def _touch(self) -> dict[str, Any]:
        return {"update_time": self._now, "revision": self._revision}
