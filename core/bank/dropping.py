"""Records that a retraction takes out of a bank, with their places in the indexes.

Law: called by `Bank.apply` alone, when no node rests on them any more.
"""

from typing import TYPE_CHECKING

from core.bank.steps import RecordsDrop
from core.verbatim.verbatim import segment_fields

if TYPE_CHECKING:
    from core.bank.bank import Bank


def drop_records(bank: "Bank", step: RecordsDrop) -> None:
    """Forgets records with their segments, merges, conflicts with what these refuted, and uploaded files."""
    tree, verbatim = bank.tree, bank.verbatim
    tree.drop_refutations(step.conflict_ids)
    for interaction_id in step.interaction_ids:
        interaction = tree.interaction(interaction_id)
        fields = segment_fields(interaction)
        for ref, said in fields.items():
            verbatim.words.drop(ref, said)
            verbatim.vectors.drop(ref)
        verbatim.have(fields)
        tree.drop_interaction(interaction_id)
        bank._characters -= len(interaction.text)
    tree.drop_merges(step.merged)
    for conflict_id in step.conflict_ids:
        bank._disputes.drop(conflict_id)
    for attachment_id in step.attachment_ids:
        del bank.attachments[attachment_id]
