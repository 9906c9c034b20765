"""`memorybank ingest`: files into a bank.

Law: every file is read before anything is sent. What is sent carries a request id made from its content: the same
command again changes nothing, and after an interruption it goes on.
"""

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
from google.protobuf.duration_pb2 import Duration
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.timestamp_pb2 import Timestamp
from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from memorybank.v1 import memory_bank_pb2 as memory
from memorybank.v1 import types_pb2 as types
from memorybank_client import InvalidArgument, timestamp
from service.cli import conflicts, drawing, paging, progress
from service.cli.documents import Document, DocumentUnreadable, File, named, read_file, shown
from service.cli.errand import CommandContext, errand
from service.cli.exits import Exit, Failure
from service.cli.messages import say
from service.cli.ttl import Ttl

MOST_SHOWN = 5  # conflicts; the others are counted
GOES_ON = "the same command again goes on from there, and doubles nothing"
PIECE = 65_536  # code points; so that the bar moves while a large text is sent
EVENT_TIME = click.option(
    "--event-time",
    metavar="DATE",
    type=click.DateTime(),
    help="When it happened (UTC): 2024-05-01, or 2024-05-01T09:30:00.  [default: now]",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestedText:
    """One text taken in: from which file, in how many seconds, and what the service made of it."""

    document: Document
    seconds: float
    result: memory.MemorizeResponse

    @property
    def plain(self) -> dict[str, Any]:
        return {
            "file": shown(str(self.document.path)),
            "characters": len(self.document.text),
            "pages": self.document.pages,
            "seconds": round(self.seconds, 3),
            "result": self.result,
        }


@click.command()
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, allow_dash=True, path_type=Path),
)
@errand
@click.option("--goal", default="", help="What the bank is for; used when it is made.")
@click.option(
    "--ttl",
    type=Ttl(),
    help="How long the bank is kept once its task has finished: 90s, 30m, 24h, 7d, or never.",
)
@click.option("--source", default="", help="Where the texts came from.  [default: each file's name]")
@EVENT_TIME
@click.option(
    "--no-judging",
    is_flag=True,
    help="For reference documents (a licence, a manual, code): look for no conflicts and merges.",
)
@click.option(
    "--encoding", help="How texts are encoded.  [default: as it says itself, Unicode, or the one that fits]"
)
def ingest(
    errand: CommandContext,
    files: tuple[Path, ...],
    goal: str,
    ttl: timedelta | None,
    source: str,
    event_time: datetime | None,
    no_judging: bool,
    encoding: str | None,
) -> None:
    """Remember files: text, Markdown, HTML, PDF and Word (.docx) by their words, anything else as attachments.

    - is standard input. The bank is made if it is missing. An attachment belongs to the texts that name it (by its
    file name, as in ![](figure.png)); one that no text names is remembered by a line of its own.

    \b
    Examples:
      memorybank ingest notes.md report.pdf --bank trip
      memorybank ingest trip.md map.png --bank trip
      memorybank ingest minutes.txt --event-time 2024-05-01 --json
      memorybank ingest licence.txt manual.pdf --no-judging --bank trip
      git log -20 | memorybank ingest - --source "git log" --bank trip
    """
    documents, attached = _read(files, encoding)
    _make_bank(errand, goal, ttl)
    uploads = [_upload(errand, file) for file in attached]
    texts = [*documents, *_notes(attached, documents)]
    _take_in(errand, texts, attached, uploads, source, event_time, no_judging)


@click.command()
@click.argument("text")
@errand
@click.option("--goal", default="", help="What the bank is for; used when it is made.")
@click.option("--source", default="the command line", show_default=True, help="Where it came from.")
@EVENT_TIME
def remember(errand: CommandContext, text: str, goal: str, source: str, event_time: datetime | None) -> None:
    """Remember TEXT, word for word. The bank is made if it is missing.

    \b
    Examples:
      memorybank remember "The ferry leaves at nine." --bank trip
      memorybank remember 渡轮九点开 --bank trip --event-time 2024-05-01
    """
    if not text.strip():
        raise click.UsageError("there is nothing to remember in an empty text")
    _make_bank(errand, goal, None)
    _take_in(errand, [Document(path=Path("text"), text=text)], [], [], source, event_time, drawn=_in_a_line)


def _take_in(
    errand: CommandContext,
    texts: Sequence[Document],
    attached: Sequence[File],
    uploads: Sequence[memory.UploadAttachmentResponse],
    source: str,
    event_time: datetime | None,
    skip_judging: bool = False,
    drawn: Callable[[str, Sequence[IngestedText]], RenderableType] | None = None,
) -> None:
    """Memorizes texts one after another, and tells what became of them, in a table or as `drawn`."""
    happened = timestamp(event_time.replace(tzinfo=UTC)) if event_time else None
    done: list[IngestedText] = []
    with progress.bar(errand.aside, [(each.name, len(each.text)) for each in texts]) as bar:
        for text in texts:
            errand.kept[:] = [f"{len(done)} of {drawing.many(len(texts), 'text')} remembered so far", GOES_ON]
            bar.begin()
            done.append(_memorize(errand, bar, text, attached, source, happened, skip_judging))
            bar.end()
    found = _conflicts(errand, done)
    plain = {
        "bank_id": errand.bank_id,
        "documents": [each.plain for each in done],
        "attachments": uploads,
        "conflicts": found,
    }
    outcome = (drawn or _in_a_table)(errand.bank_id, done)
    more = (*_uncompared(done), *_contradictions(errand, found), *map(_kept_as_it_is, attached))
    errand.answer(plain, outcome, *more)


def _read(files: Sequence[Path], encoding: str | None) -> tuple[list[Document], list[File]]:
    if folder := next((path for path in files if path.is_dir()), None):
        raise Failure(
            say("{path} is a folder", path=folder),
            say("name the files in it: {path}/*", path=folder),
            Exit.USAGE,
        )
    documents: list[Document] = []
    attached: list[File] = []
    problems: list[str] = []
    for path in files:
        try:
            found = read_file(path, encoding)
        except DocumentUnreadable as problem:
            problems.append(str(problem))
            continue
        if isinstance(found, File):
            attached.append(found)
        elif found.text.strip():
            documents.append(found)
        else:
            problems.append(f"{named(path)}: there is nothing in it")
    if problems:
        others = "the other files" if len(problems) < len(files) else ""
        raise Failure("\n  ".join(problems), f"nothing was sent, {others} neither" if others else "")
    return documents, attached


def _notes(attached: Sequence[File], documents: Sequence[Document]) -> list[Document]:
    """Makes a line for each file that no text cites, so that it can be found by its name."""
    return [
        Document(path=file.path, text=f"Attached {file.type}: {file.name} [{file.attachment_id}]")
        for file in attached
        if not any(file.is_cited_in(each.text) for each in documents)
    ]


def _make_bank(errand: CommandContext, goal: str, ttl: timedelta | None) -> None:
    kept = None if ttl is None else Duration(seconds=int(ttl.total_seconds()))
    made = errand.client.create_bank(bank_id=errand.bank_id, goal=goal, ttl=kept, allow_existing=True)
    if made.existed and kept is not None:
        mask = FieldMask(paths=["ttl"])
        errand.client.update_bank(bank_id=errand.bank_id, bank=types.Bank(ttl=kept), update_mask=mask)


def _upload(errand: CommandContext, file: File) -> memory.UploadAttachmentResponse:
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
                f"{named(file.path)}: {taken.message}",
                say("another file of that name? Rename this one"),
                Exit.REFUSED,
            ) from None


def _memorize(
    errand: CommandContext,
    bar: progress.Bar,
    document: Document,
    attached: Sequence[File],
    source: str,
    happened: Timestamp | None,
    skip_judging: bool,
) -> IngestedText:
    cited = [file.attachment_id for file in attached if file.is_cited_in(document.text)]
    origin = source or document.name
    parts = [origin, str(happened), *cited, document.text]
    started = time.monotonic()
    news = errand.client.memorize_stream(
        _pieces(document.text),
        bank_id=errand.bank_id,
        source=origin,
        event_time=happened,
        attachments=[types.Attachment(attachment_id=each) for each in cited],
        skip_judging=skip_judging,
        request_id=_request_id("reference" if skip_judging else "text", *parts),
    )
    result = memory.MemorizeResponse()
    for one in news:
        if one.HasField("result"):
            result = one.result
        else:
            bar.move(one.progress)
            if one.progress.interaction_id:
                stored = (
                    f"{document.name} is stored and searchable; the server goes on sorting it into topics"
                )
                errand.kept[1:] = [stored, GOES_ON]
    return IngestedText(document=document, seconds=time.monotonic() - started, result=result)


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), PIECE):
        yield text[start : start + PIECE]


def _request_id(*said: str) -> str:
    """Makes an id of the content: the same for the same, so that a repetition is harmless."""
    digest = hashlib.sha256("\0".join(said).encode("utf-8", "surrogatepass"))
    return f"ingest-{digest.hexdigest()[:40]}"


def _kept_as_it_is(file: File) -> str:
    """Says of a file that its words were not read."""
    kind = file.media_type or "of no known kind"
    return f"{file.name} ({kind}, {file.size:,} bytes) is kept as an attachment: its words are not read"


def _conflicts(errand: CommandContext, done: Sequence[IngestedText]) -> list[types.Conflict]:
    """Finds the contradictions that came up, still open."""
    ids = {conflict_id for each in done for conflict_id in each.result.conflict_ids}
    if not ids:
        return []
    return [each for each in paging.conflicts(errand.client, errand.bank_id) if each.conflict_id in ids]


def _in_a_line(bank_id: str, done: Sequence[IngestedText]) -> RenderableType:
    """Draws what became of one sentence: `remembered in bank trip, as n-…`."""
    result = done[0].result
    already = " already" if result.replayed else ""
    place = f", as {', '.join(result.node_ids)}" if result.node_ids else ", under no topic"
    merged = ", merged with what said the same" if result.merges else ""
    return Text(f"remembered in bank {bank_id}{already}{place}{merged}")


def _in_a_table(_bank_id: str, done: Sequence[IngestedText]) -> RenderableType:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.add_column(say("remembered"), overflow="fold")
    for name in ("characters", "nodes", "merges", "related", "conflicts", "seconds"):
        table.add_column(say(name), justify="right")
    for each in done:
        result = each.result
        table.add_row(
            drawing.words(each.document.name + (" (again)" if result.replayed else "")),
            f"{len(each.document.text):,}",
            *(str(len(some)) for some in (result.node_ids, result.merges, result.related)),
            Text(str(len(result.conflict_ids)), drawing.WARNING if result.conflict_ids else ""),
            f"{each.seconds:.1f}",
        )
    return table


def _uncompared(done: Sequence[IngestedText]) -> list[RenderableType]:
    """Says how much of long texts was not judged, if anything."""
    count = sum(each.result.uncompared_pairs for each in done)
    told = say("pairs of sentences not compared, more than a judgement takes: {count:,}", count=count)
    return [Text(told, drawing.FAINT)] if count else []


def _contradictions(errand: CommandContext, found: Sequence[types.Conflict]) -> list[RenderableType]:
    bank_id = errand.bank_id
    parts = conflicts.drawn(errand.client, bank_id, found[:MOST_SHOWN])
    if len(found) > MOST_SHOWN:
        parts.append(
            Text(
                say(
                    "and {count} more: memorybank show conflicts --bank {bank}",
                    count=len(found) - MOST_SHOWN,
                    bank=bank_id,
                )
            )
        )
    if found:
        settle = "\n" + say(
            "settle one with: memorybank resolve CONFLICT --verdict TEXT --bank {bank}", bank=bank_id
        )
        parts.append(Text(settle, drawing.FAINT))
    return parts
