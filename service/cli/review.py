"""`memorybank review`: what waits for a person's review, and what becomes of it."""

import sys
from collections.abc import Iterator
from typing import Any

import click
from google.protobuf.field_mask_pb2 import FieldMask
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from memorybank.v1 import long_term_pb2 as pb
from memorybank_client import ErrorReason, MemoryBankError
from memorybank_client.quoting import quoted
from service.cli import drawing, paging
from service.cli.confirming import YES, ask
from service.cli.errand import INT32, CommandContext
from service.cli.exits import Failure
from service.cli.messages import say
from service.cli.owners import whose

PAGE = 20
MOST = 100  # ids of a call
WAITING = pb.RecordFilter(awaits_review=True)
KEYS = "a approve, c correct, r reject, s skip, q quit"
MODES = {
    "none": pb.REVIEW_NONE,
    "learned": pb.REVIEW_LEARNED,
    "all": pb.REVIEW_ALL,
}
Ids = tuple[str, ...]


@click.group()
def review() -> None:
    """What waits until a person approves it: it is in no answer before.

    \b
    Examples:
      memorybank review set learned --user ada
      memorybank review list --user ada
      memorybank review approve r-01j9 r-01ja --user ada
      memorybank review correct r-01jb "The budget is 40,000 euros." --user ada
      memorybank review walk --user ada
    """


@review.command(name="set")
@click.argument("mode", type=click.Choice(list(MODES)))
@whose
def set_(errand: CommandContext, owner: dict[str, Any], mode: str) -> None:
    """Say which new records of a collection wait: none, what was learned, or all."""
    changed = errand.client.update_collection(
        collection=pb.Collection(**owner, review=MODES[mode]), update_mask=FieldMask(paths=["review"])
    )
    errand.answer(changed, f"review: {mode}")


@review.command(name="list")
@whose
@click.option("--page", default=1, show_default=True, type=click.IntRange(1, INT32), help="Which twenty.")
def list_(errand: CommandContext, owner: dict[str, Any], page: int) -> None:
    """List what waits, twenty at a time, the oldest first."""
    pages = _pages(errand, owner)
    shown = next((records for number, records in enumerate(pages, 1) if number == page), [])
    errand.answer({"records": shown}, _table(shown))


@review.command()
@click.argument("record_ids", metavar="[RECORD...]", nargs=-1)
@whose
@click.option("--all", "everything", is_flag=True, help="All that waits now.")
def approve(errand: CommandContext, owner: dict[str, Any], record_ids: Ids, everything: bool) -> None:
    """Let records stand; facts are judged then."""
    _settle(errand, owner, record_ids, everything, pb.REVIEW_DECISION_APPROVE)


@review.command()
@click.argument("record_ids", metavar="[RECORD...]", nargs=-1)
@whose
@click.option("--all", "everything", is_flag=True, help="All that waits now.")
@YES
def reject(
    errand: CommandContext, owner: dict[str, Any], record_ids: Ids, everything: bool, yes: bool
) -> None:
    """Erase records; the same source does not bring the same words again."""
    if not yes:
        which = "all that waits" if everything else drawing.many(len(record_ids), "record")
        ask(f"Reject {which} of {owner['user']}, and erase the words for good?")
    _settle(errand, owner, record_ids, everything, pb.REVIEW_DECISION_REJECT)


@review.command()
@click.argument("record_id", metavar="RECORD")
@click.argument("content")
@whose
@click.option("--allow-sensitive", is_flag=True, help="Keep it though it holds a secret.")
def correct(
    errand: CommandContext, owner: dict[str, Any], record_id: str, content: str, **options: Any
) -> None:
    """Let a record stand with CONTENT in place of its words."""
    done = _decide(errand, owner, (record_id,), pb.REVIEW_DECISION_CORRECT, content=content, **options)
    errand.answer(done, f"stands: {done.records[0].record_id}")


@review.command()
@whose
def walk(errand: CommandContext, owner: dict[str, Any]) -> None:
    """Go through what waits, one by one, in a terminal."""
    if not sys.stdin.isatty():
        raise Failure(say("a walk needs a terminal: `review list` and `review approve` do without"))
    counts = {"approved": 0, "corrected": 0, "rejected": 0, "left": 0}
    waiting = [record for page in _pages(errand, owner) for record in page]
    for place, record in enumerate(waiting):
        errand.aside.print(_table([record]))
        became = _asked(errand, owner, record)
        if not became:
            counts["left"] += len(waiting) - place
            break
        counts[became] += 1
    errand.answer(counts, ", ".join(f"{count:,} {became}" for became, count in counts.items()))


def _asked(errand: CommandContext, owner: dict[str, Any], record: pb.Record) -> str:
    """Asks what becomes of a record, and does it; "" to go no further."""
    ids = (record.record_id,)
    answer = click.prompt(KEYS, type=click.Choice(list("acrsq")), show_choices=False, err=True)
    try:
        if answer == "a":
            _decide(errand, owner, ids, pb.REVIEW_DECISION_APPROVE)
        elif answer == "c":
            content = click.prompt("It says", default=record.content, err=True)
            _decide(errand, owner, ids, pb.REVIEW_DECISION_CORRECT, content=content)
        elif answer == "r":
            _decide(errand, owner, ids, pb.REVIEW_DECISION_REJECT)
    except MemoryBankError as error:
        if error.reason != ErrorReason.ERROR_REASON_RECORD_NOT_FOUND:  # settled elsewhere meanwhile
            raise
        return "left"
    return {"a": "approved", "c": "corrected", "r": "rejected", "s": "left", "q": ""}[answer]


def _settle(
    errand: CommandContext,
    owner: dict[str, Any],
    record_ids: Ids,
    everything: bool,
    decision: pb.ReviewDecision.ValueType,
) -> None:
    if bool(record_ids) is everything:
        raise click.UsageError("name records, or give --all, one of them")
    if everything:
        record_ids = tuple(record.record_id for page in _pages(errand, owner) for record in page)
    for start in range(0, len(record_ids), MOST):
        _decide(errand, owner, record_ids[start : start + MOST], decision)
    did = "approved" if decision == pb.REVIEW_DECISION_APPROVE else "rejected"
    errand.answer({did: list(record_ids)}, f"{did} {drawing.many(len(record_ids), 'record')}")


def _decide(
    errand: CommandContext,
    owner: dict[str, Any],
    record_ids: Ids,
    decision: pb.ReviewDecision.ValueType,
    **how: Any,
) -> pb.ReviewRecordsResponse:
    return errand.client.review_records(**owner, record_ids=record_ids, decision=decision, **how)


def _pages(errand: CommandContext, owner: dict[str, Any]) -> Iterator[list[pb.Record]]:
    """Yields what waits, twenty at a time, by id, which is by time."""

    def read(token: str) -> pb.ListRecordsResponse:
        return errand.client.list_records(**owner, filter=WAITING, page_size=PAGE, page_token=token)

    return (list(page.records) for page in paging.pages(read))


def _table(records: list[pb.Record]) -> RenderableType:
    table = Table.grid(padding=(0, 2, 0, 0))
    for record in records:
        origin = pb.RecordOrigin.Name(record.origin).removeprefix("RECORD_ORIGIN_").lower()
        of = " ".join(filter(None, (record.source, record.conversation_id, record.writer or record.agent)))
        of += "".join(f"; takes the place of {other}" for other in record.supersedes)
        since = drawing.moment(record.create_time)
        table.add_row(record.record_id, since, origin, drawing.words(quoted(record)), drawing.words(of))
    return table if table.row_count else Text("nothing waits for a review", drawing.FAINT)
