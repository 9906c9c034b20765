"""`memorybank migrate`: the schema of a PostgreSQL database, brought up to date."""

import asyncio
import sys
from pathlib import Path

import click

from core.errors import MemoryBankError
from service.config import ConfigurationError, load_settings


@click.command()
@click.option(
    "--config", metavar="FILE", type=click.Path(path_type=Path), help="Settings over the packaged ones."
)
def migrate(config: Path | None) -> None:
    """Bring the schema of the database at store.url up to date.

    Run it before the first start, and before a new version is rolled out: one that is running goes on working.
    A SQLite file is brought up to date whenever it is opened.
    """
    from service.assembly.stores import migrate_database

    try:
        settings = load_settings(config)
        before, now = asyncio.run(migrate_database(settings.store))
    except (ConfigurationError, MemoryBankError) as problem:
        click.echo(f"memorybank: {problem}", err=True)
        sys.exit(1)
    click.echo(f"the schema is {now}" if before == now else f"the schema was {before} and is {now}")
