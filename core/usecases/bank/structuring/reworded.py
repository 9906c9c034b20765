"""Nodes in other words than those that they were embedded in: embedded once their bank rests, once each.

Law: until then each keeps the vector that it has, so none is without one. The change that rewords a node notes it on
the bank's record, so that no crash loses it: what one process leaves another embeds when the record's `due_time` has
passed. A vector that a caller gives meanwhile stands.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.agents.opinions import Opinions
from core.bank.bank import Bank
from core.bank.steps import BankPut, NodePut, Step
from core.bank.unembedded import checksum
from core.ids import InteractionId, NodeId
from core.keys import BankKey
from core.model.bank import BankRecord
from core.model.structuring import Outcome
from core.ports.aggregates import Draft
from core.usecases.bank.ports import NodePorts
from core.usecases.bank.structuring.absorb import embedding_text
from core.usecases.bank.structuring.decide import decide
from core.usecases.ports import CommonPorts, MakingPorts
from core.usecases.spaces import require_own_space

BATCH = 32  # nodes to a change
MANY = 256  # that wait, and are embedded though the bank does not rest: each change writes the record anew
REST_SECONDS = 0.3  # without a change, and a bank rests


def noting(
    ports: CommonPorts, bank: Bank, steps: Sequence[Step], reworded: Mapping[NodeId, int]
) -> tuple[Step, ...]:
    """Returns the steps of a change, with these nodes noted on the bank's record."""
    if not reworded:
        return tuple(steps)
    put = [step for step in steps if isinstance(step, BankPut)]
    record = put[-1].record if put else bank.record
    due_time = record.due_time or ports.clock.now() + ports.settings.resume_after
    noted = replace(
        record, unembedded={**record.unembedded, **reworded}, lists_unembedded=True, due_time=due_time
    )
    return (*(step for step in steps if not isinstance(step, BankPut)), BankPut(record=noted))


def reworded_by(bank: Bank, interaction_id: InteractionId) -> dict[NodeId, int]:
    """Returns the nodes that the done clusters of an interaction have reworded, so far as none of them is noted."""
    outcomes = [cluster.outcome for cluster in bank.tree.clusters(interaction_id) if cluster.outcome]
    found = dict.fromkeys(n for outcome in outcomes for n in _of_outcome(bank, outcome))
    return {
        n: checksum(bank.node_vectors.get(n))
        for n in found
        if n in bank.nodes and n not in bank.record.unembedded
    }


async def embed_when_at_rest(ports: NodePorts, key: BankKey) -> None:
    """Waits until the bank rests, and embeds what is noted. Raises BankNotFound, EmbedderUnavailable,
    EmbeddingSpaceMismatch."""
    revision = -1
    while True:
        async with ports.banks.reading(key) as bank:
            before, revision, waiting = revision, bank.revision, len(bank.record.unembedded)
        rests = revision == before and not ports.workshop.is_at_work(key)
        if rests or waiting >= MANY or not waiting:
            break
        await asyncio.sleep(REST_SECONDS)
    await embed_noted(ports, key)


async def embed_noted(ports: NodePorts, key: BankKey) -> None:
    """Embeds what is noted, a batch to a change. Raises BankNotFound, EmbedderUnavailable, EmbeddingSpaceMismatch."""
    ledger = ports.workshop.ledger(key)
    opinions = Opinions(ports.agents, ports.embedder, ports.ids, ledger)

    def compose(bank: Bank, _revision: int) -> Draft[bool]:
        require_own_space(ports, bank)
        batch = list(bank.record.unembedded)[:BATCH]
        if not batch:
            return Draft(result=False)
        steps = (*_puts(ports, bank, opinions, batch), BankPut(record=_without(bank.record, batch)))
        touches = frozenset({"bank", *(f"node:{n}" for n in batch)})
        return Draft(result=len(bank.record.unembedded) > len(batch), steps=steps, touches=touches)

    is_left = True
    while is_left:
        is_left = (await decide(ports, key, compose, ledger)).result


def _puts(ports: MakingPorts, bank: Bank, opinions: Opinions, batch: Sequence[NodeId]) -> Iterator[NodePut]:
    """Yields the steps of nodes that get another vector; their words and revisions stay. Raises OpinionPending."""
    noted = bank.record.unembedded
    vectors = bank.node_vectors
    nodes = [bank.nodes[n] for n in batch if n in bank.nodes and checksum(vectors.get(n)) == noted[n]]
    made = opinions.vectors([embedding_text(node) for node in nodes])
    now = ports.clock.now()
    for node, vector in zip(nodes, made, strict=True):
        if checksum(vector) != noted[node.node_id]:
            yield NodePut(node=replace(node, update_time=now), vector=vector)


def _without(record: BankRecord, batch: Sequence[NodeId]) -> BankRecord:
    left = {n: mark for n, mark in record.unembedded.items() if n not in batch}
    return replace(record, unembedded=left, due_time=record.due_time if left else None)


def _of_outcome(bank: Bank, outcome: Outcome) -> Iterator[NodeId]:
    """Yields both ends of its relations, and the neighbours that a merge handed down."""
    yield from (node_id for pair in outcome.related for node_id in pair)
    for merge in outcome.merges:
        if merge.into_node_id in bank.nodes:
            yield from bank.graph.neighbors(merge.into_node_id)
