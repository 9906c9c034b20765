"""`memorybank backup`, `restore` and `repeat-erasures`: a data folder kept elsewhere, and brought back."""

import asyncio
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.errors import MemoryBankError
from service.cli import drawing
from service.config import ConfigurationError, Settings, load_settings

if TYPE_CHECKING:
    from service.backups import Gone

FOLDER = click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
DATA = click.option("--data", metavar="DIR", type=click.Path(path_type=Path), help="Where banks are kept.")
CONFIG = click.option(
    "--config", metavar="FILE", type=click.Path(path_type=Path), help="Settings over the packaged ones."
)
LOGS = click.Path(exists=True, dir_okay=False, path_type=Path)
UNKNOWN = (
    "What was erased or taken back after the backup is known from the given logs alone. Whatever they do not tell of "
    "is here again: erase it again."
)


@click.command()
@FOLDER
@DATA
@CONFIG
def backup(folder: Path, data: Path | None, config: Path | None) -> None:
    """Write a backup into FOLDER, new or empty, while a server may run.

    It holds the database as it stood at one moment, the files of its banks, and a manifest with their digests. Of a
    PostgreSQL database: see docs/backup.md.

    \b
    Example:
      memorybank backup /backups/monday --data data
    """
    with _problems_told():
        from service.backups import make_backup

        made = asyncio.run(make_backup(_settings(data, config), folder))
        manifest = made.manifest
        size = sum(entry.bytes for entry in manifest.files.values())
        click.echo(
            f"wrote {folder}: {drawing.many(sum(manifest.memories.values()), 'memory')} and "
            f"{drawing.many(len(manifest.files) - 1, 'file')}, {size:,} bytes, as of {_shown(manifest.create_time)}"
        )
        for uri in made.missing:
            click.echo(f"damaged before: a file is missing, or is not what was written: {uri}", err=True)
        sys.exit(1 if made.missing else 0)


@click.command()
@FOLDER
@DATA
@CONFIG
@click.option(
    "--erasures",
    metavar="LOG",
    type=LOGS,
    multiple=True,
    help="A log of the server since the backup, in JSON: what it erased is erased again. May be repeated.",
)
def restore(folder: Path, data: Path | None, config: Path | None, erasures: Sequence[Path]) -> None:
    """Make a data folder, new or empty, of the backup in FOLDER.

    Every byte of the backup is compared with its digest first; a damaged one is refused, and nothing is written.

    \b
    Example:
      memorybank restore /backups/monday --data data --erasures server.log
    """
    with _problems_told():
        from service.backups import gone_by, restore_backup

        settings = _settings(data, config)
        gone = gone_by(erasures)
        manifest = restore_backup(settings, folder)
        click.echo(
            f"restored {settings.data_dir}: "
            f"{drawing.many(sum(manifest.memories.values()), 'memory')} as of {_shown(manifest.create_time)}"
        )
        _tell_erased(gone.count, _repeated(settings, gone) if gone.count else 0)


@click.command("repeat-erasures")
@click.argument("logs", metavar="LOG...", nargs=-1, required=True, type=LOGS)
@DATA
@CONFIG
def repeat_erasures(logs: Sequence[Path], data: Path | None, config: Path | None) -> None:
    """Erase what the server's LOGs, in JSON, say was erased, in a store that was set back, of either kind.

    For a PostgreSQL database that was restored by its own tools. No server may run meanwhile.
    """
    with _problems_told():
        from service.backups import gone_by

        gone = gone_by(logs)
        _tell_erased(gone.count, _repeated(_settings(data, config), gone))


def _repeated(settings: Settings, gone: "Gone") -> int:
    from service.backups import repeat

    with redirect_stdout(sys.stderr):  # the log's lines of it
        return asyncio.run(repeat(settings, gone))


def _tell_erased(told: int, erased: int) -> None:
    click.echo(f"{drawing.many(told, 'erasure')} in the logs, {erased:,} of them made again")
    click.echo(UNKNOWN)


def _settings(data: Path | None, config: Path | None) -> Settings:
    return load_settings(config, **({} if data is None else {"data_dir": data}))


def _shown(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="seconds")


@contextmanager
def _problems_told() -> Iterator[None]:
    from service.backups import BackupRefused

    try:
        yield
    except (BackupRefused, ConfigurationError, MemoryBankError, OSError) as problem:
        click.echo(f"memorybank: {problem}", err=True)
        sys.exit(1)
