"""`memorybank import`: a bank from a file that `memorybank export` wrote."""

import sys
import zlib
from collections.abc import Iterable, Iterator
from gzip import BadGzipFile
from pathlib import Path

import click
from google.protobuf.json_format import Parse, ParseError
from rich.text import Text

from memorybank.v1 import memory_bank_pb2 as memory
from service.cli import drawing
from service.cli.errand import Errand, errand_of_any
from service.cli.exits import Failure
from service.cli.export import STANDARD, text_file

UNPACKED = (EOFError, BadGzipFile, zlib.error)
"""What gzip raises for a file that was cut or changed."""


@click.command("import")
@click.argument("file", type=click.Path(exists=True, allow_dash=True, dir_okay=False, path_type=Path))
@errand_of_any
@click.option("--bank", "into", metavar="ID", default="", help="Its id here.  [default: the one it had]")
def import_(errand: Errand, file: Path, into: str) -> None:
    """Make a bank from FILE, all of it or none. - is standard input.

    \b
    Examples:
      memorybank import trip.jsonl.gz
      memorybank import trip.jsonl --bank trip-copy
    """
    if file == STANDARD:
        made = _import(errand, sys.stdin, into)
    else:
        with text_file(file, "rt", compressed=file.suffix == ".gz") as lines:
            made = _import(errand, lines, into)
    found = memory.GetBankResponse(bank=made.bank, counts=made.counts, revision=made.revision)
    errand.answer(made, Text("imported", drawing.STRONG), drawing.bank(found))


def _import(errand: Errand, lines: Iterable[str], into: str) -> memory.ImportBankResponse:
    return errand.client.import_bank(_records(lines), bank_id=into)


def _records(lines: Iterable[str]) -> Iterator[memory.ExportRecord]:
    number = 1
    try:
        for line in lines:
            if line.strip():
                yield Parse(line, memory.ExportRecord())
            number += 1
    except (ParseError, UnicodeDecodeError, *UNPACKED) as malformed:
        raise Failure(f"line {number} is no record of an export: {malformed}") from None
