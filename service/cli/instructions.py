"""`memorybank instructions`: the documents that agents are told before every run."""

import functools
from collections.abc import Callable, Iterable
from typing import TextIO

import click
from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from memorybank.v1 import instructions_pb2 as pb
from service.cli import drawing, paging
from service.cli.confirming import YES, ask
from service.cli.errand import INT32, INT64, CommandContext, errand_of_any
from service.cli.exits import Exit, Failure
from service.cli.messages import say

PAGE = 1_000
LEVELS: dict[str, Callable[[str], pb.Owner]] = {
    "user": lambda name: pb.Owner(user=name),
    "agent": lambda name: pb.Owner(agent=name),
    "project": lambda name: pb.Owner(project=name),
}
UPDATE_BY = click.option("--by", "update_by", default="", help="Who makes this version.")
IF_VERSION = click.option(
    "--if-version", type=click.IntRange(0, INT64), help="Only if the newest version is this one."
)


def owner_of(text: str) -> pb.Owner:
    """`user:NAME`, `agent:NAME`, `project:NAME` or `tenant`. Raises BadParameter."""
    level, _, name = text.partition(":")
    if level == "tenant" and not name:
        return pb.Owner(tenant=True)
    if level not in LEVELS or not name:
        raise click.BadParameter(f"{text!r} is none of user:NAME, agent:NAME, project:NAME, tenant")
    return LEVELS[level](name)


def ref_of(text: str) -> pb.SourceRef:
    """Reads an owner, or `OWNER=PATH` for one of its documents. Raises BadParameter."""
    owner, _, path = text.partition("=")
    return pb.SourceRef(owner=owner_of(owner), path=path)


OWNER = click.argument("owner", callback=lambda ctx, param, value: owner_of(value))
REFS = click.argument(
    "refs",
    metavar="REF...",
    nargs=-1,
    required=True,
    callback=lambda ctx, param, values: tuple(map(ref_of, values)),
)
PATH = click.argument("path")


@click.group()
def instructions() -> None:
    """Keep the documents that agents are told before every run, in the form of AGENTS.md.

    OWNER is user:NAME, agent:NAME, project:NAME or tenant. PATH is a name; no file is opened by it.

    \b
    Examples:
      memorybank instructions put user:ada AGENTS.md preferences.md
      memorybank instructions edit user:ada AGENTS.md "in English" "in Chinese"
      memorybank instructions load user:ada project:web=web/AGENTS.md --run r-17
    """


@instructions.command()
@OWNER
@PATH
@click.argument("file", type=click.File(encoding="utf-8"), default="-")
@errand_of_any
@UPDATE_BY
@IF_VERSION
def put(
    errand: CommandContext, owner: pb.Owner, path: str, file: TextIO, update_by: str, if_version: int | None
) -> None:
    """Make the words of FILE (standard input without one) the newest version of a document; 0 in --if-version: only
    if there is none yet."""
    try:
        text = file.read()
    except UnicodeDecodeError:
        raise Failure(f"{file.name} is not UTF-8 text", exit_code=Exit.FAILED) from None
    done = errand.client.put_source(
        owner=owner, path=path, text=text, if_version=if_version, update_by=update_by
    )
    errand.answer(done, _told(done.source))


@instructions.command()
@OWNER
@PATH
@click.argument("old_text")
@click.argument("new_text")
@errand_of_any
@UPDATE_BY
@IF_VERSION
def edit(
    errand: CommandContext,
    owner: pb.Owner,
    path: str,
    old_text: str,
    new_text: str,
    update_by: str,
    if_version: int | None,
) -> None:
    """Replace OLD_TEXT, which must stand in the document exactly once, by NEW_TEXT."""
    done = errand.client.edit_source(
        owner=owner,
        path=path,
        old_text=old_text,
        new_text=new_text,
        if_version=if_version,
        update_by=update_by,
    )
    errand.answer(done, _told(done.source))


@instructions.command()
@REFS
@errand_of_any
@click.option("--user", metavar="NAME", default="", help="The user that the run is for.")
@click.option(
    "--run", "run_id", metavar="ID", default="", help="The agent's run: it sees the same versions every time."
)
@click.option("--refresh", is_flag=True, help="The run moves on to the newest versions.")
@click.option("--token-budget", type=click.IntRange(1, INT32), help="Refuse a larger block.")
def load(
    errand: CommandContext,
    refs: tuple[pb.SourceRef, ...],
    user: str,
    run_id: str,
    refresh: bool,
    token_budget: int | None,
) -> None:
    """Print documents as one block for an agent's system message, in the order given. REF is OWNER, for all of its
    documents, or OWNER=PATH."""
    loaded = errand.client.load_sources(
        refs=refs, user=user, run_id=run_id, refresh=refresh, token_budget=token_budget
    )
    for missing in loaded.missing:
        why = pb.MissingReason.Name(missing.reason).removeprefix("MISSING_REASON_").lower().replace("_", " ")
        errand.aside.print(drawing.words(f"{_named(missing.ref.owner)} {missing.ref.path}: {why}"))
    errand.answer(loaded, drawing.words(loaded.block.rstrip("\n")).plain)


@instructions.command("list")
@OWNER
@errand_of_any
@click.option("--prefix", default="", help="Only those whose path begins so.")
def list_(errand: CommandContext, owner: pb.Owner, prefix: str) -> None:
    """List the documents of an owner."""
    read = functools.partial(errand.client.list_sources, owner=owner, path_prefix=prefix, page_size=PAGE)
    found = [each for page in paging.pages(lambda token: read(page_token=token)) for each in page.sources]
    errand.answer({"sources": found}, _table(found, "path"))


@instructions.command()
@OWNER
@PATH
@errand_of_any
def history(errand: CommandContext, owner: pb.Owner, path: str) -> None:
    """List the versions of a document that are kept, newest first."""
    read = functools.partial(errand.client.list_versions, owner=owner, path=path, page_size=PAGE)
    found = [each for page in paging.pages(lambda token: read(page_token=token)) for each in page.versions]
    errand.answer({"versions": found}, _table(found, "version"))


@instructions.command()
@OWNER
@PATH
@errand_of_any
@click.option("--version", type=click.IntRange(1, INT64), help="Which.  [default: the newest]")
def show(errand: CommandContext, owner: pb.Owner, path: str, version: int | None) -> None:
    """Print the words of a document."""
    found = errand.client.get_source(owner=owner, path=path, version=version)
    errand.answer(found, drawing.words(found.source.text.rstrip("\n")).plain)


@instructions.command()
@OWNER
@PATH
@errand_of_any
@IF_VERSION
@YES
def delete(errand: CommandContext, owner: pb.Owner, path: str, if_version: int | None, yes: bool) -> None:
    """Erase a document with all its versions, for good."""
    if not yes:
        ask(f"Erase {path} of {_named(owner)} with all its versions for good?")
    done = errand.client.delete_source(owner=owner, path=path, if_version=if_version)
    errand.answer(done, drawing.words(f"erased {path}: {drawing.many(done.versions, 'version')}"))


def _told(source: pb.Source) -> Text:
    return drawing.words(
        f"{_named(source.owner)} {source.path}: version {source.version}, "
        f"{source.characters:,} characters, about {source.tokens:,} tokens"
    )


def _named(owner: pb.Owner) -> str:
    level = owner.WhichOneof("level") or ""
    return level if level == "tenant" else f"{level}:{getattr(owner, level)}"


def _table(sources: Iterable[pb.Source], first: str) -> RenderableType:
    rows = [(str(getattr(each, first)), f"{each.characters:,}", f"{each.tokens:,}", each) for each in sources]
    if not rows:
        return Text(say("no documents"), drawing.FAINT)
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column(say(first), overflow="fold")
    if first == "path":
        table.add_column(say("version"), justify="right")
    for name in ("characters", "tokens"):
        table.add_column(say(name), justify="right")
    table.add_column(say("changed"), no_wrap=True)
    table.add_column(say("by"))
    for name, characters, tokens, each in rows:
        version = [str(each.version)] if first == "path" else []
        changed = drawing.moment(each.update_time)
        cells = [name, *version, characters, tokens, changed, each.update_by]
        table.add_row(*map(drawing.words, cells))
    return table
