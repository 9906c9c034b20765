"""`memorybank purge`: a bank gone without a trace."""

import sys

import click

from service.cli.errand import NAMED_BANK, Errand, errand_of_any
from service.cli.exits import Exit, Failure


@click.command()
@NAMED_BANK
@errand_of_any
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def purge(errand: Errand, yes: bool) -> None:
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


def ask(question: str, *, why: str = "a purge is for good", left: str = "nothing was purged") -> None:
    """Returns if a person says yes. Raises Failure on a no, saying what is `left`, and where there is no terminal."""
    if not sys.stdin.isatty():
        raise Failure(f"{why}: confirm it with --yes", exit_code=Exit.USAGE)
    if not click.confirm(question, err=True):
        raise Failure(left, exit_code=Exit.INTERRUPTED)
