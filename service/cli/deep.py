"""`memorybank deep`: from a node down to the verbatim records it came from, with their places."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import click
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from service.cli import drawing, paging
from service.cli.errand import CommandContext, errand
from service.cli.pages import rejoined
from service.cli.records import Record, record_of_id, records_of_node

INDENTED = 4  # columns


@click.command()
@click.argument("node_id", metavar="NODE")
@errand
@click.option("--record", is_flag=True, help="NODE is the id of a verbatim record (as segments name it).")
@click.option("--whole", is_flag=True, help="Show whole records, not only the node's own segments.")
@click.option("--attachment", metavar="ID", help="Fetch a file that is kept beside the records.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write the file.  [default: ID, in this directory]",
)
def deep(
    errand: CommandContext, node_id: str, record: bool, whole: bool, attachment: str | None, out: Path | None
) -> None:
    """Show the verbatim record behind a node, where in it each piece stands, and what the node absorbed.

    \b
    Examples:
      memorybank deep n-01JD… --bank trip
      memorybank deep n-01JD… --whole --json
      memorybank deep n-01JD… --attachment map.png --out map.png
    """
    if record:
        living, found = "", [record_of_id(errand.client, errand.bank_id, node_id)]
    else:
        living, found = records_of_node(errand.client, errand.bank_id, node_id)
    if attachment:
        _fetch(errand, attachment, out or Path(attachment))
        return
    merges = list(paging.merges(errand.client, errand.bank_id, living)) if living else []
    plain = {"node_id": living, "interactions": [each.whole for each in found], "merges": merges}
    past = [Text("absorbed", drawing.STRONG), drawing.lineage(living, merges)] if merges else []
    errand.answer(
        plain, *(_drawn(each, "" if whole else living, errand.screen.width) for each in found), *past
    )


def _fetch(errand: CommandContext, attachment_id: str, out: Path) -> None:
    pieces = errand.client.read_attachment(bank_id=errand.bank_id, attachment_id=attachment_id)
    with closing(pieces):
        first = next(pieces)  # what is not there is said before a file is made
        with out.open("wb") as opened:
            size = opened.write(first.content)
            for piece in pieces:
                size += opened.write(piece.content)
    plain = {"attachment": first.attachment, "file": str(out), "bytes": size}
    errand.answer(plain, f"wrote {out}: {size:,} bytes")


def _drawn(record: Record, node_id: str, width: int) -> RenderableType:
    """Draws a record's heading, and the node's own segments with their places; for no node all of its text."""
    files = [
        drawing.words(f"with {each.attachment_id} ({each.media_type or each.type}, {each.size:,} bytes)")
        for each in record.interaction.attachments
    ]
    pieces = list(_evidence(record, node_id, width)) or [_verbatim(record.text, width)]
    heading = drawing.words(record.heading, drawing.STRONG)
    return Group(heading, *(Padding(each, drawing.MARGIN) for each in (*files, *pieces)), Text())


def _evidence(record: Record, node_id: str, width: int) -> Iterator[RenderableType]:
    for span in record.evidence(node_id):
        yield drawing.words(record.place(span), drawing.FAINT)
        yield Padding(_verbatim(record.cut(span), width), drawing.MARGIN)


def _verbatim(text: str, width: int) -> Text:
    """Fits verbatim words to the terminal; without one they stay line by line as they are."""
    return drawing.words(rejoined(text, width - INDENTED))
