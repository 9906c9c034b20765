"""Embedding the nodes that the clusters of one interaction reworded: once each, when all clusters are done.

Law: until then each keeps the vector it has, so none is without one. Which nodes wait follows from the outcomes stored
with the clusters: a process that takes the work over embeds what another has left.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from core.agents.opinions import Opinions
from core.agents.usage import Ledger
from core.bank.bank import Bank
from core.bank.steps import NodePut
from core.ids import InteractionId, NodeId
from core.keys import BankKey
from core.model.structuring import Outcome
from core.model.vector import Vector
from core.ports.aggregates import Draft
from core.usecases.bank.structuring.absorb import embedding_text
from core.usecases.bank.structuring.decide import decide
from core.usecases.bank.structuring.rewording import touched
from core.usecases.house import House
from core.usecases.moment import moment

BATCH = 32  # nodes to a change


class Reworded:
    """The nodes that wait, each with the vector that it had when it was last reworded."""

    def __init__(self, house: House, key: BankKey, opinions: Opinions, ledger: Ledger) -> None:
        self._house = house
        self._key = key
        self._opinions = opinions
        self._ledger = ledger
        self._waiting: dict[NodeId, Vector | None] = {}

    async def take_up(self, interaction_id: InteractionId) -> None:
        """Adds what the clusters reworded that are done already."""
        async with self._house.banks.reading(self._key) as bank:
            for cluster in bank.tree.clusters(interaction_id):
                if cluster.outcome is not None:
                    self._add(bank, cluster.outcome)

    async def add(self, outcome: Outcome) -> None:
        """Adds what a cluster has just reworded."""
        async with self._house.banks.reading(self._key) as bank:
            self._add(bank, outcome)

    async def embed(self, told: Callable[[int, int], None]) -> None:
        """Embeds them, a batch to a change; `told` is how many are done, of how many. Raises EmbedderUnavailable."""
        waiting = list(self._waiting)
        for start in range(0, len(waiting), BATCH):
            told(start, len(waiting))
            await self._embed(waiting[start : start + BATCH])
        if waiting:
            told(len(waiting), len(waiting))
        self._waiting.clear()

    def _add(self, bank: Bank, outcome: Outcome) -> None:
        self._waiting.update((n, bank.node_vectors.get(n)) for n in _reworded_by(bank, outcome))

    async def _embed(self, batch: Sequence[NodeId]) -> None:
        def compose(bank: Bank, revision: int) -> Draft[None]:
            now = moment(self._house, bank, revision)
            nodes = [bank.nodes[n] for n in batch if self._waits(bank, n)]
            vectors = self._opinions.vectors([embedding_text(node) for node in nodes])
            puts = [
                NodePut(node=touched(node, now), vector=made)
                for node, made in zip(nodes, vectors, strict=True)
                if not _same(made, bank.node_vectors.get(node.node_id))
            ]
            return Draft(result=None, steps=tuple(puts), touches=frozenset(f"node:{n}" for n in batch))

        await decide(self._house, self._key, compose, self._ledger)

    def _waits(self, bank: Bank, node_id: NodeId) -> bool:
        """Whether the node is there and has had no other vector since: of its words, or a caller's own."""
        return node_id in bank.nodes and _same(self._waiting[node_id], bank.node_vectors.get(node_id))


def _reworded_by(bank: Bank, outcome: Outcome) -> Iterator[NodeId]:
    """Yields both ends of its relations, and the neighbours that a merge handed down."""
    yield from (node_id for pair in outcome.related for node_id in pair)
    for merge in outcome.merges:
        if merge.into_node_id in bank.nodes:
            yield from bank.graph.neighbors(merge.into_node_id)


def _same(one: Vector | None, other: Vector | None) -> bool:
    return one is other if one is None or other is None else np.array_equal(one, other)
