"""Groups of commands.

Law: a command that there is not is answered with the one that was probably meant.
"""

import os
from importlib import import_module

import click
from click.exceptions import NoSuchCommand


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called: `places` by name, each `module:attribute`."""

    def __init__(self, *args: object, places: dict[str, str], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]  # click's own, passed on
        self.places = places

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        return list(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  likewise
        if cmd_name not in self.places:
            return None
        # Before numpy is first imported: its threads spin, and small products are slower by them than alone.
        for library in ("OPENBLAS", "OMP", "MKL"):
            os.environ.setdefault(f"{library}_NUM_THREADS", "1")
        module, _, name = self.places[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except NoSuchCommand as missing:
            raise NoSuchCommand(missing.command_name, possibilities=self.places, ctx=ctx) from None
