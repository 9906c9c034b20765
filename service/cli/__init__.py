"""The command line: `memorybank COMMAND`. A command's module is imported when it is called."""

from importlib import import_module

import click

COMMANDS = {
    "serve": "service.cli.serve",
}
"""Modules by command; each has the command under its name."""


class Commands(click.Group):
    """A group whose commands are found by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  likewise
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(COMMANDS[cmd_name]), cmd_name)
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="agentic-memory-bank", prog_name="memorybank")
def main() -> None:
    """A memory bank for agents: the memory of a task, over gRPC."""
