"""`memorybank resolve`: a verdict on a conflict."""

import click
from rich.text import Text

from service.cli import drawing
from service.cli.errand import Errand, errand


@click.command()
@click.argument("conflict_id", metavar="CONFLICT")
@errand
@click.option("--verdict", default="", help="What was found to be true; kept verbatim.")
@click.option("--evidence", default="", help="What the verdict rests on; kept with it.")
@click.option("--dismiss", is_flag=True, help="There is no conflict: both sides stand.")
def resolve(errand: Errand, conflict_id: str, verdict: str, evidence: str, dismiss: bool) -> None:
    """Settle a conflict: merge its sides by a verdict, or dismiss it.

    \b
    Examples:
      memorybank resolve c-01JD… --verdict "The ferry leaves at ten; nine was last year." --bank trip
      memorybank resolve c-01JD… --dismiss --bank trip
    """
    if not (verdict.strip() or dismiss):
        raise click.UsageError("give a --verdict, or --dismiss it")
    closed = errand.client.resolve_conflict(
        bank_id=errand.bank_id, conflict_id=conflict_id, verdict=verdict, evidence=evidence, dismiss=dismiss
    )
    if not closed.node_id:
        errand.answer(closed, drawing.conflict(closed.conflict))
        return
    merged = errand.client.get_node(bank_id=errand.bank_id, node_id=closed.node_id)
    errand.answer(closed, drawing.conflict(closed.conflict), Text(), drawing.node(merged))
