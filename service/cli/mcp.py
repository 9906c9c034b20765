"""`memorybank mcp`: the memory as tools of the Model Context Protocol."""

import asyncio
import re
import sys
from pathlib import Path

import click
from click.core import ParameterSource

from memorybank_client import MemoryBankClient
from service.cli.errand import SERVER, client_of, ending
from service.cli.mcp_hosts import HOSTS, snippet
from service.settings.process import host_and_port

OWN = ("host", "http", "hosts", "insecure")  # options that no host passes on
HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\s\[\]:/*@]+)(:\d{1,5})?")


def _address(http: str | None) -> str | None:
    """Returns HOST:PORT. Raises BadParameter."""
    try:
        return None if http is None else host_and_port(http)
    except ValueError as wrong:
        raise click.BadParameter(str(wrong)) from None


def _host(text: str) -> str:
    """Returns HOST or HOST:PORT as the header has it, in small letters. Raises BadParameter."""
    host = text.lower()
    if not HOST.fullmatch(host):
        raise click.BadParameter(f"must be HOST or HOST:PORT, as in a URL, not {text!r}")
    return host


def _config(host: str, http: str | None) -> str:
    """Returns what a host wants to read to start the command that was given. Raises UsageError."""
    given = click.get_current_context()
    words = [str(Path(sys.argv[0]).resolve()), "mcp"]
    for option in given.command.params:
        name = option.name or ""
        if name not in OWN and given.get_parameter_source(name) is not ParameterSource.DEFAULT:
            words += [option.opts[0], str(given.params[name])]
    try:
        return snippet(host, words, f"http://{http}/mcp" if http else "")
    except ValueError as wrong:
        raise click.UsageError(str(wrong)) from None


@click.command()
@SERVER
@click.option(
    "--user",
    metavar="NAME",
    envvar="MEMORYBANK_USER",
    required=True,
    help="Whose memory (or MEMORYBANK_USER).",
)
@click.option(
    "--collection", metavar="NAME", default="", help="Under which name.  [default: the unnamed one]"
)
@click.option(
    "--bank",
    "bank_id",
    metavar="ID",
    default="",
    help="A bank to search and to read deeply in.  [default: none]",
)
@click.option(
    "--conversation",
    "conversation_id",
    metavar="ID",
    default="",
    help="A conversation to search.  [default: none]",
)
@click.option(
    "--http",
    metavar="HOST:PORT",
    callback=lambda ctx, param, value: _address(value),
    help="Serve streamable HTTP there, under /mcp; port 0 takes a free one.  [default: stdio]",
)
@click.option(
    "--allow-host",
    "hosts",
    metavar="HOST[:PORT]",
    multiple=True,
    callback=lambda ctx, param, values: tuple(map(_host, values)),
    help="Another name under which --http is asked (a proxy's, say), beside its address and localhost. Repeatable.",
)
@click.option(
    "--insecure", is_flag=True, help="Let --http listen beyond this machine: there is no authentication."
)
@click.option(
    "--print-config",
    "host",
    type=click.Choice(sorted(HOSTS)),
    help="Print what this host wants to read to start this command, and where it goes; then end.",
)
def mcp(
    server: str,
    user: str,
    collection: str,
    bank_id: str,
    conversation_id: str,
    http: str | None,
    hosts: tuple[str, ...],
    insecure: bool,
    host: str | None,
) -> None:
    """Offer a user's memory as MCP tools: facts, episodes, instructions, a bank's and a conversation's.

    Over standard input and output, as hosts start it; or over HTTP, where it prints `listening on URL` when ready. It
    takes `pip install 'agentic-memory-bank[mcp]'`.

    \b
    Examples:
      memorybank mcp --user ada
      memorybank mcp --user ada --print-config cursor
      memorybank mcp --user ada --bank trip --http 127.0.0.1:7800
      memorybank mcp --user ada --http 0.0.0.0:7800 --insecure --allow-host memory.internal
    """
    if host is not None:
        click.echo(f"{HOSTS[host].place}:", err=True)
        click.echo(_config(host, http))
        return
    try:
        from memorybank_client.adapters.mcp import MemoryTools, memory_server
        from service.cli.mcp_http import require_loopback, serve_http
    except ModuleNotFoundError as missing:
        if missing.name and missing.name.split(".")[0] == "mcp":
            remedy = "pip install 'agentic-memory-bank[mcp]'"
            raise click.ClickException(f"the SDK of MCP is not installed: {remedy}") from None
        raise

    async def serve() -> None:
        async with client_of(MemoryBankClient, server) as client:
            tools = MemoryTools(
                client, user=user, collection=collection, bank_id=bank_id, conversation_id=conversation_id
            )
            made = memory_server(tools)
            if http is None:
                await made.run_stdio_async()
            else:
                await serve_http(made, http, hosts)

    with ending(as_json=False, server=server):
        if http is not None and not insecure:
            require_loopback(http)
        asyncio.run(serve())
