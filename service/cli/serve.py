"""`memorybank serve`: the service, until it is told to stop."""

import sys
from pathlib import Path

import click
import structlog

from core.errors import MemoryBankError
from service.assembly.embedders import loaded_ahead
from service.config import ConfigurationError, Settings, load_settings
from service.process.allocator import give_back_early
from service.process.collector import Collector
from service.process.logs import configure_logs, is_read_by_people
from service.process.turns import take_short_turns
from service.settings.agents import RoleModelsSection


@click.command()
@click.option("--listen", metavar="HOST:PORT", help="Where to listen; port 0 picks a free one.")
@click.option("--data", metavar="DIR", type=click.Path(path_type=Path), help="Where banks are kept.")
@click.option(
    "--config", metavar="FILE", type=click.Path(path_type=Path), help="Settings over the packaged ones."
)
@click.option(
    "--insecure",
    is_flag=True,
    help="Listen beyond this machine, though nobody need be asked for a key there.",
)
@click.option(
    "--until-eof", is_flag=True, help="Stop when standard input ends: with the program that started it."
)
def serve(
    listen: str | None, data: Path | None, config: Path | None, insecure: bool, until_eof: bool
) -> None:
    """Serve the memory bank over gRPC.

    Prints `listening on HOST:PORT` when ready; logs go to standard error. Settings come from the packaged
    configuration, then FILE, then MEMORYBANK_* in the environment, then the options here.
    """
    given = {"listen": listen, "data_dir": data}
    try:
        settings = load_settings(
            config, **{name: value for name, value in given.items() if value is not None}
        )
        take_short_turns()
        give_back_early()
        with loaded_ahead(settings.embedder):
            _run(settings, insecure=insecure, until_eof=until_eof)
    except (ConfigurationError, MemoryBankError) as problem:
        click.echo(f"memorybank: {problem}", err=True)
        sys.exit(1)


def _glimpse(settings: Settings) -> dict[str, str]:
    """Picks the settings that people want to see when they start the service."""
    players = {role: settings.player(role) for role in RoleModelsSection.model_fields}
    asked = [role for role, player in players.items() if player == "llm"]
    return {
        "data": str(settings.data_dir),
        "store": settings.store.kind,
        "embedder": settings.embedder.kind,
        "on a model": ", ".join(asked) or "no role: all agents are offline",
    }


def _run(settings: Settings, *, insecure: bool, until_eof: bool) -> None:
    with Collector().held_off():  # most of a start is imports
        import uvloop

        from service.assembly.server import require_protection
        from service.assembly.server import serve as run

    if not insecure:
        require_protection(settings)
    configure_logs(settings.log.level, settings.log.format)
    shown = _glimpse(settings) if is_read_by_people(settings.log.format) else settings.shown()
    structlog.get_logger("memorybank").info("settings", **shown)
    uvloop.run(run(settings, click.echo, until_eof=until_eof))
