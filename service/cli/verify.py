"""`memorybank verify`: everything that is kept, read and compared with its checksums."""

import asyncio
import sys
from pathlib import Path

import click

from core.errors import MemoryBankError
from core.usecases.verify import Damage, VerifyProgress
from service.cli import drawing
from service.config import ConfigurationError, Settings, load_settings


@click.command()
@click.option("--data", metavar="DIR", type=click.Path(path_type=Path), help="Where banks are kept.")
@click.option(
    "--config", metavar="FILE", type=click.Path(path_type=Path), help="Settings over the packaged ones."
)
def verify(data: Path | None, config: Path | None) -> None:
    """Read all rows and files, and say which memories are damaged.

    Needs no server, and may run beside one. Ends with 1 where anything is not what was written.
    """
    try:
        settings = load_settings(config, **({} if data is None else {"data_dir": data}))
        damages = asyncio.run(_verified(settings))
    except (ConfigurationError, MemoryBankError) as problem:
        click.echo(f"memorybank: {problem}", err=True)
        sys.exit(1)
    sys.exit(1 if damages else 0)


async def _verified(settings: Settings) -> int:
    """Says what is damaged, as it is found; returns how much of it there is."""
    from service.assembly.stores import verified

    read, damages = VerifyProgress(), 0
    async for damage in verified(settings, read):
        damages += 1
        click.echo(_line(damage))
    found = f"{damages:,} damaged" if damages else "all as written"
    click.echo(
        f"{drawing.many(read.memories, 'memory')} and {drawing.many(read.files, 'file')} read: {found}"
    )
    return damages


def _line(damage: Damage) -> str:
    if damage.key is None:
        return f"damaged: the database: {damage.what}"
    return f"damaged: {damage.key.kind} {damage.key.name} of tenant {damage.key.tenant}: {damage.what}"
