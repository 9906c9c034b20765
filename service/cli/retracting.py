"""`memorybank facts retract`, `release`, `erase` and `retractions`: taking back what a source taught."""

from typing import Any

import click

from memorybank.v1 import long_term_pb2 as pb
from memorybank.v1 import types_pb2 as types
from service.cli import drawing, paging
from service.cli.confirming import YES, ask
from service.cli.errand import CommandContext
from service.cli.owners import whose
from service.cli.taking_back import PAGE, by_time, table_of


@click.command()
@click.argument("record_ids", metavar="[RECORD...]", nargs=-1)
@whose
@click.option("--source", default="", help="What came from this source.")
@click.option(
    "--conversation",
    "conversation_id",
    metavar="ID",
    default="",
    help="What this conversation taught.",
)
@click.option("--writer", default="", help="What API keys of this subject wrote.")
@by_time
def retract(
    errand: CommandContext,
    owner: dict[str, Any],
    record_ids: tuple[str, ...],
    source: str,
    conversation_id: str,
    writer: str,
    written: types.TimeRange | None,
    **how: Any,
) -> None:
    """Take back RECORDs, or what a source taught: out of every answer at once, and kept for `release`.

    \b
    Examples:
      memorybank facts retract --source web-search --user ada --dry-run
      memorybank facts retract --conversation c1 --since 2026-11-01 --user ada
    """
    chosen = pb.RetractionFilter(
        source=source, conversation_id=conversation_id, writer=writer, written=written
    )
    has_filter = bool(source or conversation_id or writer or written)
    done = errand.client.retract_records(
        **owner, record_ids=record_ids, filter=chosen if has_filter else None, **how
    )
    errand.answer(done, _told(done, dry_run=how["dry_run"]))


@click.command()
@click.argument("retraction_id", metavar="RETRACTION")
@whose
def release(errand: CommandContext, owner: dict[str, Any], retraction_id: str) -> None:
    """Bring back what a retraction took."""
    done = errand.client.release_retraction(**owner, retraction_id=retraction_id)
    errand.answer(done, f"{drawing.many(done.records, 'record')} stand again")


@click.command()
@click.argument("retraction_id", metavar="RETRACTION")
@whose
@YES
def erase(errand: CommandContext, owner: dict[str, Any], retraction_id: str, yes: bool) -> None:
    """Erase what a retraction took, for good."""
    if not yes:
        ask(f"Erase what {retraction_id} of {owner['user']} took, for good?")
    done = errand.client.erase_retraction(**owner, retraction_id=retraction_id)
    errand.answer(done, f"erased {drawing.many(done.records, 'record')}")


@click.command()
@whose
def retractions(errand: CommandContext, owner: dict[str, Any]) -> None:
    """List what was taken back."""

    def read(token: str) -> pb.ListRetractionsResponse:
        return errand.client.list_retractions(**owner, page_size=PAGE, page_token=token)

    listed = [each for page in paging.pages(read) for each in page.retractions]
    rows = (
        (
            each,
            drawing.many(each.records, "record"),
            (each.filter.source, each.filter.conversation_id, each.filter.writer),
        )
        for each in listed
    )
    errand.answer({"retractions": listed}, table_of(rows))


def _told(done: pb.RetractRecordsResponse, *, dry_run: bool) -> str:
    if not (done.record_ids or done.changed_ids):
        return "nothing to take back"
    verb = "would go" if dry_run else "out of every answer"
    lines = [f"{drawing.many(len(done.record_ids), 'record')} {verb}: {', '.join(done.record_ids[:20])}"]
    if done.changed_ids:
        lines.append(f"{drawing.many(len(done.changed_ids), 'record')} lose evidence or stand again")
    if not dry_run:
        name = done.retraction.retraction_id
        lines.append(f"bring it back with `memorybank facts release {name}`, or erase it for good")
    return "\n".join(lines)
