"""The command line: `memorybank COMMAND`. A command's module is imported when it is called."""

import click

from service.cli.groups import LazyGroup

COMMANDS = {
    "serve": "service.cli.serve:serve",
    "migrate": "service.cli.migrate:migrate",
    "verify": "service.cli.verify:verify",
    "demo": "service.cli.demo:demo",
    "status": "service.cli.status:status",
    "ingest": "service.cli.ingest:ingest",
    "remember": "service.cli.ingest:remember",
    "search": "service.cli.search:search",
    "show": "service.cli.show:show",
    "deep": "service.cli.deep:deep",
    "resolve": "service.cli.resolve:resolve",
    "delete": "service.cli.delete:delete",
    "watch": "service.cli.watch:watch",
    "facts": "service.cli.facts:facts",
    "conversation": "service.cli.conversation:conversation",
    "user": "service.cli.user:user",
    "context": "service.cli.context:context",
    "mcp": "service.cli.mcp:mcp",
    "export": "service.cli.export:export",
    "import": "service.cli.import_:import_",
    "purge": "service.cli.purge:purge",
    "instructions": "service.cli.instructions:instructions",
    "completion": "service.cli.completion:completion",
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


@click.group(
    cls=LazyGroup,
    places=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXIT_CODES,
)
@click.version_option(package_name="agentic-memory-bank", prog_name="memorybank")
def main() -> None:
    """A memory bank for agents: the memory of a task, over gRPC.

    \b
    Start the service, and give it something to remember:
      memorybank serve
      memorybank ingest notes.md report.pdf
      memorybank remember "The ferry leaves at nine."
      memorybank search "what do we know of ...?"

    Every command that calls the service takes --json.
    """
