"""`memorybank purge`: a bank gone without a trace."""

import click

from service.cli.confirming import YES, ask
from service.cli.errand import NAMED_BANK, CommandContext, errand_of_any


@click.command()
@NAMED_BANK
@errand_of_any
@YES
def purge(errand: CommandContext, yes: bool) -> None:
    """Purge a bank, which is to be named by --bank: every row, index and file that the service wrote for it.

    \b
    Example:
      memorybank purge --bank trip --yes
    """
    bank = errand.bank_id
    held = errand.client.get_bank(bank_id=bank).counts
    if not yes:
        ask(f"{bank} holds {held.nodes:,} nodes and {held.interactions:,} records. Purge it for good?")
    gone = errand.client.delete_bank(bank_id=bank)
    counts = {field.name: getattr(gone.counts, field.name) for field in gone.counts.DESCRIPTOR.fields}
    lines = ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in counts.items() if number)
    errand.answer(gone, f"purged {bank}: {lines or 'it was empty'}")
