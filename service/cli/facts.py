"""`memorybank facts`: what is remembered of a user."""

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import click
from google.protobuf.field_mask_pb2 import FieldMask
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from memorybank.v1 import long_term_pb2 as pb
from memorybank_client.quoting import day, quoted
from service.cli import drawing, paging
from service.cli.bundle import lies_outside
from service.cli.confirming import YES, ask
from service.cli.errand import CommandContext
from service.cli.exits import Failure
from service.cli.messages import say
from service.cli.owners import whose
from service.cli.retracting import erase, release, retract, retractions

PAGE = 1_000
PIECE = 262_144  # bytes of a file
STATES = {pb.RECORD_STATE_CONTESTED: "CONTESTED", pb.RECORD_STATE_SUPERSEDED: "SUPERSEDED"}
EARLIER = pb.SUPERSEDED_REASON_EARLIER
KINDS = {
    "fact": pb.RECORD_KIND_FACT,
    "episode": pb.RECORD_KIND_EPISODE,
    "memory": pb.RECORD_KIND_MEMORY,
}


@click.group()
def facts() -> None:
    """What is remembered of a user, beyond any task or conversation.

    \b
    Examples:
      memorybank facts add "The project's database is PostgreSQL." --user ada
      memorybank facts search "which database?" --user ada
      memorybank facts forget r-01j9 --user ada --yes
    """


for command in (retract, release, erase, retractions):
    facts.add_command(command)


@facts.command()
@click.argument("content")
@whose
@click.option(
    "--category", default="", help="work, life, preference, emotion, strategy, or a word of your own."
)
@click.option("--source", default="", help="Where it comes from.")
@click.option(
    "--supersedes", metavar="RECORD", multiple=True, help="A fact whose place it takes; may be given again."
)
@click.option("--allow-sensitive", is_flag=True, help="Keep it though it holds a secret.")
def add(errand: CommandContext, owner: dict[str, Any], content: str, **options: Any) -> None:
    """Remember CONTENT, and judge it against what is known."""
    stored = errand.client.store_fact(**owner, content=content, wait=True, **options)
    if stored.forgotten:
        errand.answer(stored, "not remembered: the same words of this source were rejected")
        return
    became = (
        "waits for a review" if stored.record.awaits_review else "known" if stored.known else "remembered"
    )
    lines = [f"{became}: {stored.record.record_id}"]
    if not stored.record.judged and not stored.record.awaits_review:
        lines.append("not judged yet: what it contradicts, or repeats, is found later")
    lines += [f"supersedes {record_id}" for record_id in stored.superseded_ids]
    lines += [f"contested with {record_id}" for record_id in stored.contested_ids]
    errand.answer(stored, "\n".join(lines))


@facts.command()
@click.argument("query")
@whose
@click.option(
    "-k", "--top-k", type=click.IntRange(1, 1000), help="How many at most.  [default: as configured]"
)
@click.option("--superseded", is_flag=True, help="Show what no longer holds, too.")
def search(
    errand: CommandContext, owner: dict[str, Any], query: str, top_k: int | None, superseded: bool
) -> None:
    """Find facts that bear on QUERY, best first."""
    found = errand.client.retrieve_facts(**owner, query=query, top_k=top_k, include_superseded=superseded)
    rows = ((f"{one.score:.2f}", one.record) for one in found.facts)
    errand.answer(found, _table(rows))


@facts.command(name="list")
@whose
@click.option("--kind", type=click.Choice(list(KINDS)), help="Of which kind.  [default: all]")
@click.option("--category", default="", help="Of which category.")
def list_(errand: CommandContext, owner: dict[str, Any], kind: str | None, category: str) -> None:
    """List records by id, with their confidence."""
    chosen = pb.RecordFilter(kinds=[KINDS[kind]] if kind else [], category=category)
    records = _records(errand, owner, chosen)
    table = _table((f"{r.confidence:.2f}", r) for r in records)
    errand.answer({"records": records}, table, *_without_room(errand, owner))


@facts.command()
@click.argument("record_ids", metavar="RECORD...", nargs=-1, required=True)
@whose
@YES
def forget(errand: CommandContext, owner: dict[str, Any], record_ids: tuple[str, ...], yes: bool) -> None:
    """Erase records for good: they do not come back out of older text."""
    if not yes:
        ask(f"Erase {drawing.many(len(record_ids), 'record')} of {owner['user']} for good?")
    gone = errand.client.delete_records(**owner, record_ids=record_ids)
    lines = [f"erased {gone.records:,}", *(f"stands again: {record_id}" for record_id in gone.revived_ids)]
    errand.answer(gone, "\n".join(lines))


@facts.command()
@click.argument("record_ids", metavar="RECORD...", nargs=-1, required=True)
@whose
@click.option("--up", "thumb", flag_value="up", help="It was good.")
@click.option("--down", "thumb", flag_value="down", help="It was bad.")
@click.option("--stars", type=click.IntRange(1, 5), help="Or 1 to 5.")
@click.option("--reason", default="", help="Why.")
def rate(
    errand: CommandContext,
    owner: dict[str, Any],
    record_ids: tuple[str, ...],
    thumb: str | None,
    stars: int | None,
    reason: str,
) -> None:
    """Give an opinion on records: it moves what they are worth."""
    if (thumb is None) is (stars is None):
        raise click.UsageError("give --up, --down or --stars, one of them")
    given = {"up": pb.THUMB_UP, "down": pb.THUMB_DOWN}.get(thumb or "", pb.THUMB_UNSPECIFIED)
    rated = errand.client.give_feedback(
        **owner, record_ids=record_ids, thumb=given, stars=stars, reason=reason
    )
    errand.answer(rated, _table((f"{r.confidence:.2f}", r) for r in rated.records))


@facts.command()
@click.argument("record_ids", metavar="[RECORD...]", nargs=-1)
@whose
@click.option("--all", "everything", is_flag=True, help="Bring back all that is listed.")
def rejudge(
    errand: CommandContext, owner: dict[str, Any], record_ids: tuple[str, ...], everything: bool
) -> None:
    """List facts that were superseded before reasons were kept, each with what took its place; or bring some back.

    RECORDs that are named, or all with --all, are shown again, CONTESTED with what took their place. Then decide with
    `memorybank facts add … --supersedes`, or leave both.
    """
    if record_ids and everything:
        raise click.UsageError("name records, or give --all, not both")
    superseded = pb.RecordFilter(kinds=[pb.RECORD_KIND_FACT], states=[pb.RECORD_STATE_SUPERSEDED])
    past = [r for r in _records(errand, owner, superseded) if r.superseded_reason == EARLIER]
    if not (record_ids or everything):
        errand.answer({"records": past}, _replaced(errand, owner, past))
        return
    chosen = [record.record_id for record in past] if everything else list(record_ids)
    for record_id in chosen:
        errand.client.update_record(
            **owner,
            record=pb.Record(record_id=record_id, state=pb.RECORD_STATE_CONTESTED),
            update_mask=FieldMask(paths=["state"]),
        )
    errand.answer({"revived_ids": chosen}, f"shown again: {drawing.many(len(chosen), 'fact')}")


@facts.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@whose
def export(errand: CommandContext, owner: dict[str, Any], folder: Path) -> None:
    """Write all of a collection into FOLDER, which must be new or empty: memory.json and reflections/*.md."""
    if folder.exists() and any(folder.iterdir()):
        raise Failure(say("{path} is not empty", path=folder))
    with closing(errand.client.export_collection(**owner)) as parts:
        files = written(folder, parts)
    errand.answer({"folder": str(folder), "files": len(files)}, f"wrote {len(files):,} files to {folder}")


@facts.command(name="import")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@whose
@click.option("--allow-sensitive", is_flag=True, help="Keep records though they hold secrets.")
def import_(errand: CommandContext, owner: dict[str, Any], folder: Path, allow_sensitive: bool) -> None:
    """Add the records and reflections of FOLDER, which holds memory.json; what is there stays as it is."""
    files = sorted(folder.glob("reflections/*.md"))
    parts = (
        pb.ExportCollectionResponse(path=path.relative_to(folder).as_posix(), content=piece)
        for path in (folder / "memory.json", *files)
        for piece in _pieces(path)
    )
    done = errand.client.import_collection(parts, **owner, allow_sensitive=allow_sensitive)
    lines = [f"imported {done.records:,} records, {done.reflections:,} reflections"]
    lines += [f"{len(done.known_ids):,} were there"] if done.known_ids else []
    lines += [f"refused as sensitive: {record_id}" for record_id in done.refused_ids]
    errand.answer(done, "\n".join(lines))


def _records(errand: CommandContext, owner: dict[str, Any], chosen: pb.RecordFilter) -> list[pb.Record]:
    def read(token: str) -> pb.ListRecordsResponse:
        return errand.client.list_records(**owner, filter=chosen, page_size=PAGE, page_token=token)

    return [record for page in paging.pages(read) for record in page.records]


def _replaced(errand: CommandContext, owner: dict[str, Any], past: list[pb.Record]) -> RenderableType:
    """Draws facts, each above the one that took its place."""
    if not past:
        return Text("nothing was superseded without a reason", drawing.FAINT)
    facts_now = {
        r.record_id: r for r in _records(errand, owner, pb.RecordFilter(kinds=[pb.RECORD_KIND_FACT]))
    }
    rows = []
    for record in past:
        rows.append(("", record))
        if record.superseded_by in facts_now:
            rows.append(("  by", facts_now[record.superseded_by]))
    return _table(rows)


def _without_room(errand: CommandContext, owner: dict[str, Any]) -> Iterable[str]:
    """Yields what to say of a collection that is full."""
    if count := errand.client.get_collection(**owner).counts.without_room:
        yield say(
            "the collection is full: {records} learned lately found no room; `memorybank facts forget` makes some",
            records=drawing.many(count, "record"),
        )


def written(folder: Path, parts: Iterable[pb.ExportCollectionResponse]) -> set[str]:
    """Writes files that come part by part into a folder; returns their paths. Raises Failure for one that would lie
    elsewhere: the server that names them may be another's."""
    files: set[str] = set()
    for part in parts:
        if lies_outside(part.path):
            raise Failure(f"the server names a file that lies outside of {folder}: {part.path}")
        path = folder / part.path
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as out:
            out.write(part.content)
        files.add(part.path)
    return files


def _pieces(path: Path) -> Iterable[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece


def _table(rows: Iterable[tuple[str, pb.Record]]) -> RenderableType:
    """Draws a number, the record's id, its day, and what it says."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style=drawing.FAINT)
    table.add_column(no_wrap=True, style=drawing.FAINT)
    table.add_column(no_wrap=True, style=drawing.FAINT)
    table.add_column(overflow="fold", ratio=1)
    for number, record in rows:
        mark = STATES.get(record.state, "")
        said = drawing.words(f"{mark} {quoted(record)}".strip())
        if by := drawing.written_by(record.writer):
            said.append(f" · {drawing.harmless(by)}", drawing.FAINT)
        table.add_row(number, record.record_id, day(record), said)
    return table if table.row_count else Text("nothing found", drawing.FAINT)
