"""The command line: `memorybank COMMAND`. A command's module is imported when it is called, not to be listed."""

import click

from service.cli.groups import LazyGroup, Place
from service.cli.messages import LANG

COMMANDS = {
    "serve": Place("serve:serve", "Serve the memory bank over gRPC."),
    "migrate": Place("migrate:migrate", "Bring the schema of the database at store.url up to date."),
    "keys": Place("keys:keys", "Make, list, rotate and revoke API keys."),
    "auth": Place("keys:auth", "Stop asking for API keys."),
    "certs": Place("certs:certs", "Make a certificate for trying TLS."),
    "verify": Place("verify:verify", "Read all rows and files, and say which memories are damaged."),
    "backup": Place("backup:backup", "Write a backup of a data folder, while a server may run."),
    "restore": Place("backup:restore", "Make a data folder of a backup."),
    "repeat-erasures": Place("backup:repeat_erasures", "Erase again what a server's log says was erased."),
    "demo": Place("demo:demo", "Show the main job on real input: no key, no network."),
    "doctor": Place("doctor:doctor", "Say what answers, what it holds, and what to look at."),
    "probe": Place("probe:probe", "Write at each endpoint, read it back at each, and print the times."),
    "status": Place("status:status", "Say whether a memory bank answers, and where a bank stands."),
    "ingest": Place("ingest:ingest", "Remember files: text, Markdown, HTML, PDF, Word, attachments."),
    "remember": Place("ingest:remember", "Remember a sentence."),
    "search": Place("search:search", "Find memories by words and meaning, best first."),
    "show": Place("show:show", "Show a bank, its plan, graph or conflicts, or one node."),
    "deep": Place("deep:deep", "Show the verbatim record behind a node, and its past."),
    "resolve": Place("resolve:resolve", "Settle conflicts: by a verdict, or by dismissing them."),
    "retract": Place("retractions:retract", "Take back what a source told, with all that rests on it."),
    "retractions": Place("retractions:retractions", "List, release or erase what was taken back."),
    "delete": Place("delete:delete", "Delete nodes. (A whole bank: purge.)"),
    "watch": Place("watch:watch", "Follow what changes in a bank."),
    "facts": Place("facts:facts", "Keep facts about a user, beyond any task or conversation."),
    "conversation": Place("conversation:conversation", "Keep what was said in conversations."),
    "erase-mentions": Place("mentions:erase_mentions", "Erase what a user's memory says of somebody."),
    "user": Place("user:user", "See a user, switch memory off or on, export or purge it."),
    "review": Place("review:review", "Approve, correct or reject memories that wait for it."),
    "context": Place("context:context", "Assemble the prompt that a model gets for an input."),
    "why": Place("why:why", "Tell why a memory stands in a prompt, or why not."),
    "check": Place("check:check", "Check that a memory answers as a file of expectations says."),
    "console": Place("console:console", "Look into the memory in a browser."),
    "mcp": Place("mcp:mcp", "Offer a user's memory to hosts that speak MCP."),
    "export": Place("export:export", "Write all of a bank to a file, or all banks to a folder."),
    "import": Place("import_:import_", "Make a bank from an exported file."),
    "purge": Place("purge:purge", "Remove a bank, and every trace of it."),
    "instructions": Place(
        "instructions:instructions", "Keep documents (AGENTS.md) that agents load before every run."
    ),
    "completion": Place("completion:completion", "Print what your shell needs to complete commands."),
    "eval": Place("eval:evaluate", "Measure retrieval on sets of questions with their evidence."),
}
"""Where each command is, and what it is for."""

EXIT_CODES = """\b
Exit codes:
  0    done
  1    failed, or a file could not be read or written
  2    wrong usage
  3    no memory bank there, or it could not answer now or in time
  4    no such bank, node, conflict, record, attachment, instruction document or conversation
  5    refused: an id is taken, a value or the bank's state does not allow it, or the API key does not
  130  interrupted (Ctrl-C)
"""


@click.group(
    cls=LazyGroup,
    places=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXIT_CODES,
)
@LANG
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
