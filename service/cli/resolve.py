"""`memorybank resolve`: a verdict on a conflict, the dismissal of several, or that a suspected one is real."""

from collections.abc import Sequence

import click
from rich.text import Text

from memorybank.v1 import types_pb2 as types
from service.cli import drawing
from service.cli.conflicts import drawn
from service.cli.dismiss import dismiss_below, dismiss_named
from service.cli.errand import CommandContext, errand

VERDICT_TYPES = {
    None: types.VERDICT_TYPE_UNSPECIFIED,
    "MERGE": types.VERDICT_TYPE_MERGE,
}


@click.command()
@click.argument("conflict_ids", metavar="[CONFLICT]...", nargs=-1)
@errand
@click.option("--verdict", default="", help="What was found to be true; kept verbatim.")
@click.option("--evidence", default="", help="What the verdict rests on; kept with it.")
@click.option("--dismiss", "type_", flag_value="DISMISS", help="There is no conflict: both sides stand.")
@click.option("--merge", "type_", flag_value="MERGE", help="The verdict decides, however its words sound.")
@click.option(
    "--confirm", "type_", flag_value="CONFIRM", help="It is suspected, and real: it waits for a verdict."
)
@click.option(
    "--below",
    metavar="CONFIDENCE",
    type=click.FloatRange(0, 1),
    help="With --dismiss, instead of ids: all open conflicts whose confidence is lower.",
)
@click.option("-y", "--yes", is_flag=True, help="Do not ask, however many are dismissed.")
def resolve(
    errand: CommandContext,
    conflict_ids: tuple[str, ...],
    verdict: str,
    evidence: str,
    type_: str | None,
    below: float | None,
    yes: bool,
) -> None:
    """Settle a conflict: merge its sides by a verdict, or dismiss it. Without --merge or --dismiss the verdict's words
    say which. What is only suspected (`memorybank show conflicts --all`) --confirm opens.

    --dismiss takes several conflicts. They are listed first, and more than ten need a yes. One that cannot be
    dismissed is named, and the others go on; the exit code tells. One that was dismissed before counts as done.

    \b
    Examples:
      memorybank resolve c-01JD… --verdict "The ferry leaves at ten; nine was last year." --bank trip
      memorybank resolve c-01JD… c-01JE… --dismiss --bank trip
      memorybank resolve --dismiss --below 0.6 --bank trip
      memorybank resolve c-01JF… --confirm --bank trip
    """
    _require_sense(conflict_ids, verdict, type_, below)
    if below is not None:
        dismiss_below(errand, below, yes=yes, verdict=verdict, evidence=evidence)
    elif type_ == "DISMISS":
        dismiss_named(errand, conflict_ids, yes=yes, verdict=verdict, evidence=evidence)
    elif type_ == "CONFIRM":
        _confirm(errand, conflict_ids[0])
    else:
        _settle(errand, conflict_ids[0], verdict, evidence, type_)


def _require_sense(conflict_ids: Sequence[str], verdict: str, type_: str | None, below: float | None) -> None:
    if below is not None and type_ != "DISMISS":
        raise click.UsageError("--below goes with --dismiss")
    if bool(conflict_ids) is (below is not None):
        raise click.UsageError("name a conflict, or give --dismiss --below; one of them")
    if type_ == "DISMISS":
        return
    if len(conflict_ids) > 1:
        raise click.UsageError("a verdict settles one conflict; several can only be dismissed")
    if type_ == "CONFIRM":
        if verdict.strip():
            raise click.UsageError("--confirm takes no --verdict: give it when it is found")
        return
    if not verdict.strip():
        raise click.UsageError("give a --verdict, or --dismiss it")


def _confirm(errand: CommandContext, conflict_id: str) -> None:
    opened = errand.client.confirm_conflict(bank_id=errand.bank_id, conflict_id=conflict_id)
    errand.answer(opened, *drawn(errand.client, errand.bank_id, [opened.conflict]))


def _settle(errand: CommandContext, conflict_id: str, verdict: str, evidence: str, type_: str | None) -> None:
    closed = errand.client.resolve_conflict(
        bank_id=errand.bank_id,
        conflict_id=conflict_id,
        verdict=verdict,
        evidence=evidence,
        verdict_type=VERDICT_TYPES[type_],
    )
    if closed.conflict.status != types.CONFLICT_STATUS_RESOLVED:
        errand.answer(closed, *drawn(errand.client, errand.bank_id, [closed.conflict]))
        return
    merged = errand.client.get_node(bank_id=errand.bank_id, node_id=closed.node_id)
    errand.answer(
        closed, *drawn(errand.client, errand.bank_id, [closed.conflict]), Text(), drawing.node(merged)
    )
