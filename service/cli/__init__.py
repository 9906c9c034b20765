"""The command line: `memorybank COMMAND`. A command's module is imported when it is called."""

import os
from importlib import import_module

import click

COMMANDS = {
    "serve": "service.cli.serve:serve",
    "migrate": "service.cli.migrate:migrate",
    "verify": "service.cli.verify:verify",
    "demo": "service.cli.demo:demo",
    "ingest": "service.cli.ingest:ingest",
    "search": "service.cli.search:search",
    "show": "service.cli.show:show",
    "deep": "service.cli.deep:deep",
    "resolve": "service.cli.resolve:resolve",
    "facts": "service.cli.facts:facts",
    "conversation": "service.cli.conversation:conversation",
    "user": "service.cli.user:user",
    "context": "service.cli.context:context",
    "mcp": "service.cli.mcp:mcp",
    "export": "service.cli.export:export",
    "import": "service.cli.import_:import_",
    "purge": "service.cli.purge:purge",
    "instructions": "service.cli.instructions:instructions",
    "eval": "service.cli.eval:evaluate",
}
"""Where each command is: module and name."""

EXIT_CODES = """\b
Exit codes:
  0    done
  1    failed, or a file could not be read or written
  2    wrong usage
  3    no memory bank there, or it could not answer now or in time
  4    no such bank, node, conflict, record, attachment, instruction document or conversation
  5    refused: an id is taken, or a value or the bank's state does not allow it
  130  interrupted (Ctrl-C)
"""


class Commands(click.Group):
    """A group whose commands are found by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  likewise
        if cmd_name not in COMMANDS:
            return None
        # Before numpy is first imported: its threads spin, and small products are slower by them than alone.
        for library in ("OPENBLAS", "OMP", "MKL"):
            os.environ.setdefault(f"{library}_NUM_THREADS", "1")
        module, _, name = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXIT_CODES)
@click.version_option(package_name="agentic-memory-bank", prog_name="memorybank")
def main() -> None:
    """A memory bank for agents: the memory of a task, over gRPC.

    \b
    Start the service, and give it something to remember:
      memorybank serve
      memorybank ingest notes.md report.pdf
      memorybank search "what do we know of ...?"

    Every command that calls the service takes --json.
    """
