"""`memorybank resolve`: a verdict on a conflict."""

import click
from rich.text import Text

from memorybank.v1 import types_pb2 as types
from service.cli import drawing
from service.cli.errand import Errand, errand

VERDICT_TYPES = {
    None: types.VERDICT_TYPE_UNSPECIFIED,
    "MERGE": types.VERDICT_TYPE_MERGE,
    "DISMISS": types.VERDICT_TYPE_DISMISS,
}


@click.command()
@click.argument("conflict_id", metavar="CONFLICT")
@errand
@click.option("--verdict", default="", help="What was found to be true; kept verbatim.")
@click.option("--evidence", default="", help="What the verdict rests on; kept with it.")
@click.option("--dismiss", "type_", flag_value="DISMISS", help="There is no conflict: both sides stand.")
@click.option("--merge", "type_", flag_value="MERGE", help="The verdict decides, however its words sound.")
def resolve(errand: Errand, conflict_id: str, verdict: str, evidence: str, type_: str | None) -> None:
    """Settle a conflict: merge its sides by a verdict, or dismiss it. Without --merge or --dismiss the verdict's words
    say which.

    \b
    Examples:
      memorybank resolve c-01JD… --verdict "The ferry leaves at ten; nine was last year." --bank trip
      memorybank resolve c-01JD… --dismiss --bank trip
    """
    if not verdict.strip() and type_ != "DISMISS":
        raise click.UsageError("give a --verdict, or --dismiss it")
    closed = errand.client.resolve_conflict(
        bank_id=errand.bank_id,
        conflict_id=conflict_id,
        verdict=verdict,
        evidence=evidence,
        verdict_type=VERDICT_TYPES[type_],
    )
    if closed.conflict.status != types.CONFLICT_STATUS_RESOLVED:
        errand.answer(closed, drawing.conflict(closed.conflict))
        return
    merged = errand.client.get_node(bank_id=errand.bank_id, node_id=closed.node_id)
    errand.answer(closed, drawing.conflict(closed.conflict), Text(), drawing.node(merged))
