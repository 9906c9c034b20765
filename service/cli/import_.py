"""`memorybank import`: a bank from a file that `memorybank export` wrote, or memory of another system."""

import sys
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from gzip import BadGzipFile
from pathlib import Path
from zipfile import is_zipfile

import click
from google.protobuf.json_format import Parse, ParseError
from rich.text import Text

from memorybank.v1 import memory_bank_pb2 as memory
from memorybank_client import AlreadyExists
from service.cli import drawing
from service.cli.errand import CommandContext, errand_of_any
from service.cli.exits import Exit, Failure
from service.cli.export import STANDARD, text_file
from service.cli.importing.bringing import bring, report_of
from service.cli.importing.reports import lines_of
from service.cli.importing.sources import SOURCES, nameless, read
from service.cli.messages import say

UNPACKED = (EOFError, BadGzipFile, zlib.error)
"""What gzip raises for a file that was cut or changed."""


@click.command("import")
@click.argument("file", type=click.Path(exists=True, allow_dash=True, dir_okay=False, path_type=Path))
@errand_of_any
@click.option("--bank", "into", metavar="ID", default="", help="A bank's id here.  [default: the one it had]")
@click.option(
    "--from",
    "source",
    type=click.Choice(sorted(SOURCES)),
    help="The system that wrote FILE, if not this one.",
)
@click.option(
    "--user",
    metavar="NAME",
    default="",
    help="With --from: whose memory it becomes.  [default: as FILE says]",
)
@click.option(
    "--collection",
    metavar="NAME",
    default="",
    help="With --from: where facts go.  [default: the one without a name]",
)
@click.option("--allow-sensitive", is_flag=True, help="With --from: keep facts though they hold secrets.")
@click.option("--dry-run", is_flag=True, help="With --from: say what would come, and send nothing.")
def import_(
    errand: CommandContext,
    file: Path,
    into: str,
    source: str | None,
    user: str,
    collection: str,
    allow_sensitive: bool,
    dry_run: bool,
) -> None:
    """Make a bank from FILE, all of it or none; or bring memory of another system. - is standard input.

    A second import from the same file of another system adds nothing. A bank that is there already is never replaced.

    \b
    Examples:
      memorybank import trip.jsonl.gz
      memorybank import trip.jsonl --bank trip-copy
      memorybank import --from mem0 memories.json --dry-run
      memorybank import --from chatgpt conversations.json --user ada
    """
    if source is not None:
        found = read(source, _text(file))
        if not user and (nobodys := nameless(found)):
            raise Failure(
                f"{file} does not say whose {nobodys} are", say("name the user: --user NAME"), Exit.USAGE
            )
        if dry_run:
            report = report_of(found)
        else:
            owner = {"user": user, "collection": collection}
            report = bring(errand.client, found, source=source, **owner, allow_sensitive=allow_sensitive)
        errand.answer(asdict(report), *lines_of(report, dry_run=dry_run))
        return
    if file != STANDARD and is_zipfile(file):
        raise Failure(f"{file} is an archive of a user", f"memorybank user import {file}", Exit.USAGE)
    if file == STANDARD:
        made = _import(errand, sys.stdin, into)
    else:
        with text_file(file, "rt", compressed=file.suffix == ".gz") as lines:
            made = _import(errand, lines, into)
    found_bank = memory.GetBankResponse(bank=made.bank, counts=made.counts, revision=made.revision)
    errand.answer(made, Text("imported", drawing.STRONG), drawing.bank(found_bank))


def _text(file: Path) -> str:
    try:
        return sys.stdin.read() if file == STANDARD else file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as problem:
        raise Failure(f"{file} is no text in UTF-8: {problem.reason} at byte {problem.start:,}") from None


def _import(errand: CommandContext, lines: Iterable[str], into: str) -> memory.ImportBankResponse:
    try:
        return errand.client.import_bank(_records(lines), bank_id=into)
    except AlreadyExists as error:
        bank = error.metadata.get("bank_id", into)
        raise Failure(
            say("there is a bank {bank!r} already, and it stays as it is", bank=bank),
            say(
                "name another id with --bank, or remove it first: `memorybank purge --bank {bank}`", bank=bank
            ),
            Exit.REFUSED,
        ) from None


def _records(lines: Iterable[str]) -> Iterator[memory.ExportRecord]:
    number = 1
    try:
        for line in lines:
            if line.strip():
                yield Parse(line, memory.ExportRecord())
            number += 1
    except (ParseError, UnicodeDecodeError, *UNPACKED) as malformed:
        raise Failure(f"line {number} is no record of an export: {malformed}") from None
