"""Groups of commands.

Law: a command that there is not is answered with the one that was probably meant.
"""

import os
from importlib import import_module
from typing import NamedTuple

import click
from click.exceptions import NoSuchCommand

from service.cli.messages.helping import Context, spoken
from service.process.collector import Collector


class Place(NamedTuple):
    """Where a command is among these modules, as `module:name`, and what it is for, in a line."""

    found_at: str
    told: str

    def command(self) -> click.Command:
        module, _, name = self.found_at.partition(":")
        with Collector().held_off():
            command: click.Command = getattr(import_module(f"service.cli.{module}"), name)
        return command


class LazyGroup(click.Group):
    """A group whose commands, `places` by name, are imported when they are called."""

    context_class = Context

    def __init__(self, *args: object, places: dict[str, Place], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]  # click's own, passed on
        self.places = places

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        return list(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  likewise
        """Returns the command as it is listed and completed: its name, and what it is for."""
        place = self.places.get(cmd_name)
        return place and click.Command(cmd_name, short_help=place.told)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Returns the command itself."""
        try:
            name, listed, rest = super().resolve_command(ctx, args)
        except NoSuchCommand as missing:
            raise NoSuchCommand(missing.command_name, possibilities=self.places, ctx=ctx) from None
        if name is None or listed is None:
            return name, listed, rest
        # Before numpy is first imported: its threads spin, and small products are slower by them than alone.
        for library in ("OPENBLAS", "OMP", "MKL"):
            os.environ.setdefault(f"{library}_NUM_THREADS", "1")
        return name, spoken(self.places[name].command()), rest
