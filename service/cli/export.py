"""`memorybank export`: a bank written to a file, one JSON record a line.

Law: a file is there whole or not at all.
"""

import gzip
import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO

import click
from google.protobuf.json_format import MessageToJson

from memorybank.v1 import memory_bank_pb2 as memory
from service.cli.errand import Errand, errand

STANDARD = Path("-")


@click.command(short_help="Write all of a bank to a file.")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@errand
@click.option("--omit-files", is_flag=True, help="Leave out the bytes of attachments.")
@click.option(
    "--omit-segment-vectors",
    is_flag=True,
    help="Leave out what an import can make anew: smaller, slower to import.",
)
def export(errand: Errand, file: Path, omit_files: bool, omit_segment_vectors: bool) -> None:
    """Write all of a bank to FILE, one JSON record a line; `memorybank import` gives the same bank again.

    A FILE that ends in .gz is compressed; - is standard output.

    \b
    Examples:
      memorybank export trip.jsonl.gz --bank trip
      memorybank export - --bank trip | jq -r 'select(.node).node.summary'
    """
    pieces = errand.client.export_bank(
        bank_id=errand.bank_id, omit_files=omit_files, omit_segment_vectors=omit_segment_vectors
    )
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
    if file != STANDARD:
        plain = {
            "bank_id": errand.bank_id,
            "file": str(file),
            "records": count,
            "revision": header.revision,
            "sha256": trailer.sha256,
        }
        errand.answer(
            plain, f"wrote {file}: {count:,} records of {errand.bank_id} at revision {header.revision}"
        )


@contextmanager
def _opened(file: Path) -> Iterator[IO[str]]:
    """The file to write, which takes its name when all is written; or standard output."""
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
    """Where to write a file, which takes its name when the context ends well."""
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        yield unfinished
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)


def text_file(path: Path, mode: str, compressed: bool) -> IO[str]:
    """A text file of records, compressed or not."""
    if compressed:
        return gzip.open(path, mode, compresslevel=6, encoding="utf-8", newline="\n")  # type: ignore[return-value]
    return path.open(mode, encoding="utf-8", newline="\n")
