"""`memorybank ingest`: files into a bank.

Law: every file is read before anything is sent. What is sent carries a request id made from its content: the same
command again changes nothing, and after an interruption it goes on.
"""

import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
from google.protobuf.duration_pb2 import Duration
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.timestamp_pb2 import Timestamp
from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from memorybank.v1 import memory_bank_pb2 as memory
from memorybank.v1 import types_pb2 as types
from memorybank_client import InvalidArgument, timestamp
from service.cli import drawing, paging
from service.cli.documents import Document, DocumentUnreadable, File, read_file
from service.cli.errand import Errand, errand
from service.cli.exits import Exit, Failure
from service.cli.ttl import Ttl

STAGES = {
    memory.PROGRESS_STAGE_RECEIVING: "sending",
    memory.PROGRESS_STAGE_STORED: "stored",
    memory.PROGRESS_STAGE_CLUSTERING: "finding topics",
    memory.PROGRESS_STAGE_STRUCTURING: "placing topics",
}
MOST_SHOWN = 5  # conflicts; the others are counted
PIECE = 65_536  # code points; so that the bar moves while a large text is sent


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """One text taken in: from which file, in how many seconds, and what the service made of it."""

    document: Document
    seconds: float
    result: memory.MemorizeResponse

    @property
    def plain(self) -> dict[str, Any]:
        return {
            "file": str(self.document.path),
            "characters": len(self.document.text),
            "pages": self.document.pages,
            "seconds": round(self.seconds, 3),
            "result": self.result,
        }


@click.command(short_help="Remember files: text, Markdown, PDF, attachments.")
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@errand
@click.option("--goal", default="", help="What the bank is for; used when it is made.")
@click.option(
    "--ttl",
    type=Ttl(),
    help="How long the bank is kept once its task has finished: 90s, 30m, 24h, 7d, or never.",
)
@click.option("--source", default="", help="Where the texts came from.  [default: each file's name]")
@click.option("--event-time", type=click.DateTime(), help="When it happened (UTC).  [default: now]")
@click.option("--encoding", help="Of texts.  [default: Unicode by its mark, UTF-8, GB 18030 where it fits]")
def ingest(
    errand: Errand,
    files: tuple[Path, ...],
    goal: str,
    ttl: timedelta | None,
    source: str,
    event_time: datetime | None,
    encoding: str | None,
) -> None:
    """Remember files: text, Markdown and PDF by their words, anything else as attachments.

    The bank is made if it is missing. An attachment belongs to the texts that name it (by its file name, as in
    ![](figure.png)); one that no text names is remembered by a line of its own.

    \b
    Examples:
      memorybank ingest notes.md report.pdf --bank trip
      memorybank ingest trip.md map.png --bank trip
      memorybank ingest minutes.txt --event-time 2024-05-01 --json
    """
    documents, attached = _read(files, encoding)
    _make_bank(errand, goal, ttl)
    uploads = [_upload(errand, file) for file in attached]
    happened = timestamp(event_time.replace(tzinfo=UTC)) if event_time else None
    texts = [*documents, *_notes(attached, documents)]
    with _progress(errand) as progress:
        done = [_memorize(errand, progress, text, attached, source, happened) for text in texts]
    found = _conflicts(errand, done)
    plain = {
        "bank_id": errand.bank_id,
        "documents": [each.plain for each in done],
        "attachments": uploads,
        "conflicts": found,
    }
    errand.answer(plain, _drawn(errand.bank_id, done, found))


def _read(files: Sequence[Path], encoding: str | None) -> tuple[list[Document], list[File]]:
    try:
        read = [read_file(path, encoding) for path in files]
    except DocumentUnreadable as problem:
        raise Failure(str(problem)) from None
    documents = [each for each in read if isinstance(each, Document)]
    if blank := next((each for each in documents if not each.text.strip()), None):
        raise Failure(f"{blank.path}: there is nothing in it")
    return documents, [each for each in read if isinstance(each, File)]


def _notes(attached: Sequence[File], documents: Sequence[Document]) -> list[Document]:
    """A line for each file that no text cites, so that it can be found by its name."""
    return [
        Document(path=file.path, text=f"Attached {file.type}: {file.path.name} [{file.attachment_id}]")
        for file in attached
        if not any(file.is_cited_in(each.text) for each in documents)
    ]


def _make_bank(errand: Errand, goal: str, ttl: timedelta | None) -> None:
    kept = None if ttl is None else Duration(seconds=int(ttl.total_seconds()))
    made = errand.client.create_bank(bank_id=errand.bank_id, goal=goal, ttl=kept, allow_existing=True)
    if made.existed and kept is not None:
        mask = FieldMask(paths=["ttl"])
        errand.client.update_bank(bank_id=errand.bank_id, bank=types.Bank(ttl=kept), update_mask=mask)


def _upload(errand: Errand, file: File) -> memory.UploadAttachmentResponse:
    with file.path.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
        opened.seek(0)
        try:
            return errand.client.upload_attachment(
                opened,
                bank_id=errand.bank_id,
                attachment_id=file.attachment_id,
                type=file.type,
                media_type=file.media_type,
                request_id=_request_id("file", file.attachment_id, file.media_type, digest),
            )
        except InvalidArgument as taken:
            raise Failure(
                f"{file.path}: {taken.message}", "another file of that name? Rename this one", Exit.REFUSED
            ) from None


def _memorize(
    errand: Errand,
    progress: Progress,
    document: Document,
    attached: Sequence[File],
    source: str,
    happened: Timestamp | None,
) -> Ingested:
    cited = [file.attachment_id for file in attached if file.is_cited_in(document.text)]
    named = source or document.path.name
    said = [named, str(happened), *cited, document.text]
    bar = progress.add_task(document.path.name, total=None, stage="sending")
    started = time.monotonic()
    news = errand.client.memorize_stream(
        _pieces(document.text),
        bank_id=errand.bank_id,
        source=named,
        event_time=happened,
        attachments=[types.Attachment(attachment_id=each) for each in cited],
        request_id=_request_id("text", *said),
    )
    result = memory.MemorizeResponse()
    for one in news:
        if one.HasField("result"):
            result = one.result
        else:
            _move(progress, bar, one.progress, len(document.text))
    progress.update(bar, stage="done", total=1, completed=1)
    return Ingested(document=document, seconds=time.monotonic() - started, result=result)


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), PIECE):
        yield text[start : start + PIECE]


def _request_id(*said: str) -> str:
    """The same for the same content: what makes a repetition harmless."""
    digest = hashlib.sha256("\0".join(said).encode("utf-8", "surrogatepass"))
    return f"ingest-{digest.hexdigest()[:40]}"


@contextmanager
def _progress(errand: Errand) -> Iterator[Progress]:
    """A bar for each file, on standard error, where someone sees it."""
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[stage]}"),
        TimeElapsedColumn(),
        console=errand.aside,
        transient=True,
        disable=not errand.aside.is_terminal,
    ) as progress:
        yield progress


def _move(progress: Progress, bar: TaskID, news: memory.Progress, length: int) -> None:
    total = length if news.stage == memory.PROGRESS_STAGE_RECEIVING else news.total
    stage = STAGES.get(news.stage, "at work")
    counted = f" {news.done:,} of {total:,}" if total else ""
    progress.update(bar, completed=news.done, total=total or None, stage=f"{stage}{counted}")


def _conflicts(errand: Errand, done: Sequence[Ingested]) -> list[types.Conflict]:
    """The contradictions that came up, still open."""
    ids = {conflict_id for each in done for conflict_id in each.result.conflict_ids}
    if not ids:
        return []
    return [each for each in paging.conflicts(errand.client, errand.bank_id) if each.conflict_id in ids]


def _drawn(bank_id: str, done: Sequence[Ingested], found: Sequence[types.Conflict]) -> RenderableType:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.add_column("remembered", overflow="fold")
    for name in ("characters", "nodes", "merges", "related", "conflicts", "seconds"):
        table.add_column(name, justify="right")
    for each in done:
        result = each.result
        table.add_row(
            drawing.words(each.document.path.name + (" (again)" if result.replayed else "")),
            f"{len(each.document.text):,}",
            *(str(len(some)) for some in (result.node_ids, result.merges, result.related)),
            Text(str(len(result.conflict_ids)), drawing.WARNING if result.conflict_ids else ""),
            f"{each.seconds:.1f}",
        )
    parts: list[RenderableType] = [table, *(drawing.conflict(each) for each in found[:MOST_SHOWN])]
    if len(found) > MOST_SHOWN:
        parts.append(Text(f"and {len(found) - MOST_SHOWN} more: memorybank show conflicts --bank {bank_id}"))
    if found:
        parts.append(
            Text(
                f"\nsettle one with: memorybank resolve CONFLICT --verdict TEXT --bank {bank_id}",
                drawing.FAINT,
            )
        )
    return Group(*parts)
