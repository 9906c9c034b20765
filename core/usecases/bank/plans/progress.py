"""What a step brought, for the Planner.

Law: reads the bank, changes nothing. A node that had the words already is no news.
"""

from core.agents.roles import Progress
from core.bank.bank import Bank
from core.model.interaction import Interaction
from core.usecases.bank.structuring.absorb import topic


def progress_of(bank: Bank, interaction: Interaction) -> Progress:
    """Returns what became of a record."""
    clusters = bank.tree.clusters(interaction.interaction_id)
    outcomes = [c.outcome for c in clusters if c.outcome and not c.outcome.joined]
    standing = dict.fromkeys(o.node_id for o in outcomes if o.node_id in bank.nodes)
    merges = (bank.tree.merge_into(merge.into_node_id) for o in outcomes for merge in o.merges)
    return Progress(
        report=interaction.task,
        context=_said(bank, interaction),
        new_nodes=tuple(topic(bank.nodes[n]) for n in standing),
        conflicts=tuple(bank.open_conflicts()),
        merges=tuple(filter(None, merges)),
    )


def _said(bank: Bank, interaction: Interaction) -> str:
    """Returns an interaction's text; of messages, each with its speaker."""
    if not any(span.role or span.speaker for span in interaction.spans):
        return interaction.text
    return bank.tree.record(bank.tree.refs(interaction.interaction_id))
