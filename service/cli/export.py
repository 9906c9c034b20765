"""`memorybank export`: a bank written to a file, one JSON record a line; or all banks, a file each.

Law: a file is there whole or not at all.
"""

import gzip
import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TypedDict

import click
from google.protobuf.json_format import MessageToJson

from memorybank.v1 import memory_bank_pb2 as memory
from memorybank_client import NotFound
from service.cli import drawing, paging
from service.cli.errand import CommandContext, errand
from service.cli.exits import Exit, Failure
from service.cli.messages import say

STANDARD = Path("-")


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@errand
@click.option("--all", "every", is_flag=True, help="All banks, each to a file of its own in the folder FILE.")
@click.option("--omit-files", is_flag=True, help="Leave out the bytes of attachments.")
@click.option(
    "--omit-segment-vectors",
    is_flag=True,
    help="Leave out what an import can make anew: smaller, slower to import.",
)
def export(
    errand: CommandContext, file: Path, every: bool, omit_files: bool, omit_segment_vectors: bool
) -> None:
    """Write all of a bank to FILE, one JSON record a line; `memorybank import` gives the same bank again.

    A FILE that ends in .gz is compressed; - is standard output. With --all FILE is a folder, made if it is missing:
    each bank goes to BANK.jsonl.gz in it, and replaces the one of an earlier export.

    \b
    Examples:
      memorybank export trip.jsonl.gz --bank trip
      memorybank export - --bank trip | jq -r 'select(.node).node.summary'
      memorybank export backup --all
    """
    omitted = Omissions(omit_files=omit_files, omit_segment_vectors=omit_segment_vectors)
    if not every:
        if file.is_dir():
            raise Failure(
                say("{path} is a folder", path=file),
                say("name a file in it, or give --all for all banks"),
                Exit.USAGE,
            )
        written = _export(errand, errand.bank_id, file, omitted)
        if file != STANDARD:
            errand.answer(written, _told(written))
        return
    file.mkdir(parents=True, exist_ok=True)
    done: list[WrittenExport] = []
    gone: list[str] = []
    for bank_id in _bank_ids(errand):
        errand.kept[:] = [f"{drawing.many(len(done), 'bank')} written to {file}"]
        try:
            done.append(_export(errand, bank_id, file / f"{bank_id}.jsonl.gz", omitted))
        except NotFound:  # purged since it was listed: the others are exported all the same
            gone.append(bank_id)
    lines = [_told(each) for each in done] or ["there are no banks"]
    errand.answer({"exports": done, "gone": gone}, *lines, *(f"gone meanwhile: {each}" for each in gone))


class Omissions(TypedDict):
    """What an export leaves out."""

    omit_files: bool
    omit_segment_vectors: bool


class WrittenExport(TypedDict):
    """An export that was written."""

    bank_id: str
    file: str
    records: int
    revision: int
    sha256: str


def _told(written: WrittenExport) -> str:
    return (
        f"wrote {written['file']}: {written['records']:,} records of {written['bank_id']} "
        f"at revision {written['revision']}"
    )


def _bank_ids(errand: CommandContext) -> list[str]:
    """Lists the ids of all banks there are now."""
    read = partial(errand.client.list_banks, page_size=1_000)
    return [
        bank.bank_id for page in paging.pages(lambda token: read(page_token=token)) for bank in page.banks
    ]


def _export(errand: CommandContext, bank_id: str, file: Path, omitted: Omissions) -> WrittenExport:
    pieces = errand.client.export_bank(bank_id=bank_id, **omitted)
    trailer, header, count = memory.ExportTrailer(), memory.ExportHeader(), 0
    with closing(pieces), _opened(file) as out:
        for piece in pieces:
            record = piece.record
            out.write(
                MessageToJson(record, indent=None, preserving_proto_field_name=True, ensure_ascii=False)
            )
            out.write("\n")
            count += 1
            header = record.header if record.HasField("header") else header
            trailer = record.trailer if record.HasField("trailer") else trailer
    return WrittenExport(
        bank_id=bank_id, file=str(file), records=count, revision=header.revision, sha256=trailer.sha256
    )


@contextmanager
def _opened(file: Path) -> Iterator[IO[str]]:
    """Opens the file to write, which takes its name when all is written; or standard output."""
    if file == STANDARD:
        yield sys.stdout
        return
    with (
        whole(file) as unfinished,
        text_file(unfinished, "wt", compressed=file.suffix == ".gz") as out,
    ):
        yield out


@contextmanager
def whole(file: Path) -> Iterator[Path]:
    """Says where to write a file, which takes its name when the context ends well."""
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        yield unfinished
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)


def text_file(path: Path, mode: str, compressed: bool) -> IO[str]:
    """Opens a text file of records, compressed or not."""
    if compressed:
        return gzip.open(path, mode, compresslevel=6, encoding="utf-8", newline="\n")  # type: ignore[return-value]
    return path.open(mode, encoding="utf-8", newline="\n")
