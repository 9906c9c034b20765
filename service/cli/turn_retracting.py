"""`memorybank conversation retract`, `release`, `erase` and `retractions`: taking turns back."""

from typing import Any

import click

from memorybank.v1 import conversation_pb2 as pb
from service.cli import drawing, paging
from service.cli.confirming import YES, ask
from service.cli.errand import INT32, CommandContext
from service.cli.taking_back import PAGE, by_time, table_of
from service.cli.talks import whose


@click.command()
@whose
@click.option(
    "--steps", multiple=True, type=click.IntRange(1, INT32), help="These turns; may be given again."
)
@click.option("--writer", default="", help="What API keys of this subject wrote.")
@by_time
def retract(errand: CommandContext, talk: dict[str, Any], **how: Any) -> None:
    """Take turns back, with what they taught: out of every answer at once, and kept for `release`.

    \b
    Examples:
      memorybank conversation retract c1 --steps 17 --user ada --dry-run
      memorybank conversation retract c1 --writer leaked-key --since 2026-11-01 --user ada
    """
    done = errand.client.retract_turns(**talk, **how)
    errand.answer(done, _told(done, dry_run=how["dry_run"]))


@click.command()
@whose
@click.argument("retraction_id", metavar="RETRACTION")
def release(errand: CommandContext, talk: dict[str, Any], retraction_id: str) -> None:
    """Bring back what a retraction took."""
    done = errand.client.release_turns(**talk, retraction_id=retraction_id)
    errand.answer(done, f"{drawing.many(done.turns, 'turn')} stand again")


@click.command()
@whose
@click.argument("retraction_id", metavar="RETRACTION")
@YES
def erase(errand: CommandContext, talk: dict[str, Any], retraction_id: str, yes: bool) -> None:
    """Erase what a retraction took, for good."""
    if not yes:
        ask(f"Erase what {retraction_id} of {talk['conversation_id']} took, for good?")
    done = errand.client.erase_turns(**talk, retraction_id=retraction_id)
    errand.answer(done, f"erased {drawing.many(done.turns, 'turn')}")


@click.command()
@whose
def retractions(errand: CommandContext, talk: dict[str, Any]) -> None:
    """List what was taken back."""

    def read(token: str) -> pb.ListTurnRetractionsResponse:
        return errand.client.list_turn_retractions(**talk, page_size=PAGE, page_token=token)

    listed = [each for page in paging.pages(read) for each in page.retractions]
    rows = ((each, drawing.many(each.turns, "turn"), (each.writer,)) for each in listed)
    errand.answer({"retractions": listed}, table_of(rows))


def _told(done: pb.RetractTurnsResponse, *, dry_run: bool) -> str:
    if not done.turns:
        return "nothing to take back"
    steps = ", ".join(map(str, done.steps[:20])) + (" …" if done.turns > 20 else "")
    lines = [
        f"{drawing.many(done.turns, 'turn')} {'would go' if dry_run else 'out of every answer'}: {steps}"
    ]
    if done.records or done.changed:
        records = drawing.many(done.records, "record")
        lines.append(
            f"with them {records} of long-term memory; {done.changed:,} lose evidence or stand again"
        )
    if not dry_run:
        name = done.retraction.retraction_id
        lines.append(
            f"bring them back with `memorybank conversation release … {name}`, or erase them for good"
        )
    return "\n".join(lines)
