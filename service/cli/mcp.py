"""`memorybank mcp`: the memory as tools of the Model Context Protocol."""

import asyncio

import click

from memorybank_client import MemoryBankClient
from service.cli.errand import SERVER
from service.cli.exits import Exit, Failure


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
    "--http", metavar="HOST:PORT", help="Serve streamable HTTP there, under /mcp.  [default: stdio]"
)
def mcp(
    server: str, user: str, collection: str, bank_id: str, conversation_id: str, http: str | None
) -> None:
    """Offer a user's memory as MCP tools: facts, episodes, instructions, a bank's and a conversation's.

    Over standard input and output, as hosts start it; or over HTTP. It takes `pip install 'agentic-memory-bank[mcp]'`.

    \b
    Examples:
      memorybank mcp --user ada
      memorybank mcp --user ada --bank trip --http 127.0.0.1:7800
    """
    try:
        from memorybank_client.adapters.mcp import MemoryTools, memory_server
    except ModuleNotFoundError as missing:
        if missing.name and missing.name.split(".")[0] == "mcp":
            remedy = "pip install 'agentic-memory-bank[mcp]'"
            raise click.ClickException(f"the SDK of MCP is not installed: {remedy}") from None
        raise

    async def serve() -> None:
        async with MemoryBankClient(server) as client:
            tools = MemoryTools(
                client, user=user, collection=collection, bank_id=bank_id, conversation_id=conversation_id
            )
            made = memory_server(tools)
            if http is None:
                await made.run_stdio_async()
            else:
                host, port = _address(http)
                await made.run_streamable_http_async(host=host, port=port)

    try:
        asyncio.run(serve())
    except KeyboardInterrupt:
        raise SystemExit(int(Exit.INTERRUPTED)) from None


def _address(http: str) -> tuple[str, int]:
    host, _, port = http.rpartition(":")
    if not host or not port.isdecimal():
        raise Failure(f"{http} is no HOST:PORT", exit_code=Exit.USAGE)
    return host, int(port)
