"""`memorybank retract` and `memorybank retractions`: records of a bank taken back with all that rests on them."""

from typing import Any

import click

from memorybank.v1 import memory_bank_pb2 as pb
from service.cli import drawing, paging
from service.cli.confirming import YES, ask
from service.cli.errand import CommandContext, errand
from service.cli.taking_back import PAGE, by_time, table_of


@click.command()
@click.argument("interaction_ids", metavar="[RECORD...]", nargs=-1)
@errand
@click.option("--source", help="What came from this source; '' is what came from none.")
@click.option("--writer", default="", help="What API keys of this subject stored.")
@by_time
def retract(errand: CommandContext, interaction_ids: tuple[str, ...], **how: Any) -> None:
    """Take back RECORDs (ids of interactions), or what a source told, with all that rests on them.

    Nodes, edges, conflicts, verdicts and words of the plan go with them, and are kept for `retractions release`.

    \b
    Examples:
      memorybank retract --source brief.md --bank aurora --dry-run
      memorybank retract --source brief.md --since 2026-11-01 --bank aurora
    """
    done = errand.client.retract_interactions(bank_id=errand.bank_id, interaction_ids=interaction_ids, **how)
    errand.answer(done, _told(done, dry_run=how["dry_run"]))


@click.group()
def retractions() -> None:
    """What was taken back of a bank: list it, bring it back, or erase it for good."""


@retractions.command(name="list")
@errand
def list_(errand: CommandContext) -> None:
    """List what was taken back."""

    def read(token: str) -> pb.ListInteractionRetractionsResponse:
        return errand.client.list_interaction_retractions(
            bank_id=errand.bank_id, page_size=PAGE, page_token=token
        )

    listed = [each for page in paging.pages(read) for each in page.retractions]
    rows = ((each, drawing.many(len(each.interaction_ids), "record"), (each.source,)) for each in listed)
    errand.answer({"retractions": listed}, table_of(rows))


@retractions.command()
@click.argument("retraction_id", metavar="RETRACTION")
@errand
def release(errand: CommandContext, retraction_id: str) -> None:
    """Bring back what a retraction took."""
    done = errand.client.release_interactions(bank_id=errand.bank_id, retraction_id=retraction_id)
    errand.answer(done, f"{drawing.many(len(done.retraction.interaction_ids), 'record')} stand again")


@retractions.command()
@click.argument("retraction_id", metavar="RETRACTION")
@errand
@YES
def erase(errand: CommandContext, retraction_id: str, yes: bool) -> None:
    """Erase what a retraction took, for good."""
    if not yes:
        ask(f"Erase what {retraction_id} took of the bank {errand.bank_id}, for good?")
    done = errand.client.erase_interactions(bank_id=errand.bank_id, retraction_id=retraction_id)
    errand.answer(done, *_erased(done))


def _told(done: pb.RetractInteractionsResponse, *, dry_run: bool) -> str:
    if not done.interaction_ids:
        return "nothing to take back"
    what: dict[str, Any] = {
        "record": len(done.interaction_ids),
        "node": done.nodes,
        "conflict": done.conflicts,
    }
    counted = ", ".join(drawing.many(count, noun) for noun, count in what.items())
    lines = [f"{counted} {'would go' if dry_run else 'are out of every answer'}"]
    if done.others:
        lines.append(f"{drawing.many(done.others, 'other record')} stood in these nodes: their words stay")
    if not dry_run:
        name = done.retraction.retraction_id
        lines.append(f"bring it back with `memorybank retractions release {name}`, or erase it for good")
    return "\n".join(lines)


def _erased(done: pb.EraseInteractionsResponse) -> list[str]:
    lines = [f"erased {drawing.many(len(done.retraction.interaction_ids), 'record')}"]
    if done.restructured_ids:
        lines.append(f"{drawing.many(len(done.restructured_ids), 'record')} are structured anew")
    return lines
