"""A bank as plain values, as a store would have them."""

from typing import TYPE_CHECKING

from core.bank.state import BankState
from core.bank.steps import NodePut
from core.ids import InteractionId

if TYPE_CHECKING:
    from core.bank.bank import Bank


def state_of(bank: "Bank") -> BankState:
    """Returns all of the bank, in a defined order."""
    return BankState(
        head=bank.head,
        record=bank.record,
        insight=bank.insight,
        nodes=tuple(NodePut(node=bank.nodes[n], vector=bank.node_vectors.get(n)) for n in sorted(bank.nodes)),
        copies=tuple(bank.copies[n] for n in sorted(bank.copies)),
        edges=tuple(sorted(bank.graph.edges())),
        interactions=tuple(bank.tree.interactions[i] for i in sorted(bank.tree.interactions)),
        attachments=tuple(bank.attachments[a] for a in sorted(bank.attachments)),
        structurings=tuple(bank.tree.structurings[i] for i in sorted(bank.tree.structurings)),
        clusters=tuple(
            c for i in sorted(bank.tree.interactions) for c in bank.tree.clusters(InteractionId(i))
        ),
        merges=tuple(bank.tree.merges),
        conflicts=tuple(bank.conflicts[c] for c in sorted(bank.conflicts)),
        settled=tuple(bank._disputes.settled()),
        refuted=tuple(bank.tree.refutations()),
        retractions=tuple(bank.retractions[r] for r in sorted(bank.retractions)),
        segment_vectors={
            ref: vector
            for i in sorted(bank.tree.interactions)
            for ref in bank.tree.refs(InteractionId(i))
            if (vector := bank.verbatim.vectors.get(ref)) is not None
        },
    )
