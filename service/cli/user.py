"""`memorybank user`: whether memory of a user is kept, how much there is, and how it goes."""

from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import click
from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1 import long_term_pb2 as pb
from service.cli import paging
from service.cli.bundle import read_bundle, write_bundle
from service.cli.confirming import YES, ask
from service.cli.errand import CommandContext, errand_of_any
from service.cli.export import whole
from service.cli.readable import page

PAGE = 1_000


@click.group()
def user() -> None:
    """See what is kept of a user, switch memory off or on, write all of it out, bring it back, remove it.

    \b
    Examples:
      memorybank user list
      memorybank user show ada
      memorybank user off ada
      memorybank user export ada ada.mbz
      memorybank user export ada ada.md
      memorybank user import ada.mbz --dry-run
      memorybank user purge ada --banks --yes
    """


NAME = click.argument("name")


@user.command("list")
@errand_of_any
def list_(errand: CommandContext) -> None:
    """List the users for whom something was written."""
    read = paging.pages(lambda token: errand.client.list_users(page_size=PAGE, page_token=token))
    users = [one for page in read for one in page.users]
    errand.answer({"users": users}, *(f"{one.user}: {_state(one)}" for one in users))


@user.command()
@NAME
@errand_of_any
def show(errand: CommandContext, name: str) -> None:
    """Show the settings of user NAME, and how much is kept."""
    seen = errand.client.get_user(user=name)
    spent = f"; {seen.user.tokens_spent:,} tokens of language models" if seen.user.tokens_spent else ""
    errand.answer(seen, f"{name}: {_state(seen.user)}; {_counted(seen.counts) or 'nothing is kept'}{spent}")


@user.command()
@NAME
@errand_of_any
def off(errand: CommandContext, name: str) -> None:
    """Write nothing more for user NAME, and find nothing; what is kept stays."""
    _switch(errand, name, enabled=False)


@user.command()
@NAME
@errand_of_any
def on(errand: CommandContext, name: str) -> None:
    """Write and find memory of user NAME again."""
    _switch(errand, name, enabled=True)


@user.command()
@NAME
@errand_of_any
@click.option("--banks", is_flag=True, help="Banks that name the user go, too.")
@YES
def purge(errand: CommandContext, name: str, banks: bool, yes: bool) -> None:
    """Remove everything of user NAME."""
    if not yes:
        held = errand.client.get_user(user=name).counts
        ask(f"Purge all of {name} for good ({_counted(held) or 'settings alone'})?")
    gone = errand.client.purge_user(user=name, include_banks=banks)
    errand.answer(gone, f"purged {name}: {_counted(gone.aggregates) or 'nothing was kept'}")


@user.command()
@NAME
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@errand_of_any
@click.option("--omit-banks", is_flag=True, help="Leave out the banks that name the user.")
def export(errand: CommandContext, name: str, file: Path, omit_banks: bool) -> None:
    """Write everything of user NAME to FILE: a zip archive of JSON and Markdown, or a page for people, named *.md.

    `memorybank user import` brings the archive back; `memorybank facts import` takes a collection of it, `memorybank
    import` a bank.
    """
    if file.suffix == ".md":
        _write_page(errand, name, file, omit_banks=omit_banks)
        return
    with (
        closing(errand.client.export_user(user=name, omit_banks=omit_banks)) as parts,
        whole(file) as unfinished,
    ):
        paths = write_bundle(unfinished, name, parts)
    errand.answer({"user": name, "file": str(file), "files": paths}, f"wrote {file}: {len(paths):,} files")


@user.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@errand_of_any
@click.option(
    "--user", "name", metavar="NAME", default="", help="Whose memory it becomes.  [default: as FILE says]"
)
@click.option("--omit-banks", is_flag=True, help="Leave out the banks that name the user.")
@click.option(
    "--dry-run", is_flag=True, help="Let everything be checked, say what would come, and store nothing."
)
def import_(errand: CommandContext, file: Path, name: str, omit_banks: bool, dry_run: bool) -> None:
    """Make a user of FILE, an archive that `memorybank user export` wrote: all of it, or none.

    The user must not be there yet, nor a bank of the same name. The same import again adds nothing.

    \b
    Examples:
      memorybank user import ada.mbz --dry-run
      memorybank user import ada.mbz --user ada-too --omit-banks
    """
    bundle = read_bundle(file)
    whose = name or bundle.user
    asked = sha256(f"{bundle.digest}\n{whose}\n{omit_banks}".encode()).hexdigest()
    done = errand.client.import_user(
        bundle.parts(omit_banks=omit_banks),
        user=whose,
        dry_run=dry_run,
        request_id="" if dry_run else f"bundle-{asked}",
    )
    came = "would come" if dry_run else "was there already" if done.replayed else "came"
    held = _counted(done.rows)
    errand.answer(
        done,
        f"{whose} {came}: {_counted(done.aggregates) or 'settings alone'}" + (f" ({held})" if held else ""),
    )


def _write_page(errand: CommandContext, name: str, file: Path, *, omit_banks: bool) -> None:
    files: dict[str, bytes] = {}
    with closing(errand.client.export_user(user=name, omit_banks=omit_banks)) as parts:
        for part in parts:
            held = (
                b"" if part.path.startswith("banks/") else part.content
            )  # of a bank the page has the name alone
            files[part.path] = files.get(part.path, b"") + held
    with whole(file) as unfinished:
        text = "".join(page(name, {path: content.decode() for path, content in files.items()}))
        unfinished.write_text(text, encoding="utf-8")
    errand.answer({"user": name, "file": str(file)}, f"wrote {file}")


def _switch(errand: CommandContext, name: str, *, enabled: bool) -> None:
    changed = errand.client.update_user(
        user=pb.User(user=name, enabled=enabled), update_mask=FieldMask(paths=["enabled"])
    )
    errand.answer(changed, f"{name}: {_state(changed.user)}")


def _state(shown: pb.User) -> str:
    if shown.state == pb.USER_STATE_PURGING:
        return "being purged"
    if shown.state == pb.USER_STATE_IMPORTING:
        return "being imported"
    return "memory is on" if shown.enabled else "memory is off"


def _counted(counts: Any) -> str:
    return ", ".join(f"{number:,} {kind}" for kind, number in sorted(counts.items()) if number)
