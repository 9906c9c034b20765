"""`memorybank console`: pages in a browser that look into the memory."""

import asyncio
from functools import partial

import click

from memorybank_client import MemoryBankClient
from memorybank_client.credentials import AUTHORIZATION
from service.cli.errand import SERVER, access, client_of, ending
from service.cli.exits import Exit, Failure
from service.settings.process import host_and_port

PARTS = ("jinja2", "starlette", "uvicorn")  # what the extra brings


def _address(listen: str) -> str:
    """Returns HOST:PORT. Raises BadParameter."""
    try:
        return host_and_port(listen)
    except ValueError as wrong:
        raise click.BadParameter(str(wrong)) from None


@click.command()
@SERVER
@access
@click.option(
    "--listen",
    metavar="HOST:PORT",
    default="127.0.0.1:7780",
    show_default=True,
    callback=lambda ctx, param, value: _address(value),
    help="Where the browser finds it, on this machine; port 0 takes a free one.",
)
def console(server: str, listen: str) -> None:
    """Look into the memory in a browser: what a prompt holds and what it left out, conflicts, records.

    Prints an address that opens it, once. Calls go out with the API key of --key-file, as far as that reaches; looking
    changes nothing. It takes `pip install 'agentic-memory-bank[console]'`.

    \b
    Examples:
      memorybank console
      memorybank console --server 10.0.0.1:7700 --key-file ada.key --tls-ca ca.pem
    """
    require_extra()
    with ending(as_json=False, server=server):
        serve(server, listen)


def require_extra() -> None:
    """Raises ClickException, which says what to install, where the console's own packages are missing."""
    try:
        import console.serving  # noqa: F401  whether it is there is asked
    except ModuleNotFoundError as missing:
        if missing.name and missing.name.split(".")[0] in PARTS:
            remedy = "pip install 'agentic-memory-bank[console]'"
            raise click.ClickException(f"what the console is made of is not installed: {remedy}") from None
        raise


def serve(server: str, listen: str) -> None:
    """Serves the console before a memory bank until the process is told to stop. Raises Failure, OSError."""
    from console.serving import AT_ONCE, serve_console  # an extra

    async def serving() -> None:
        async with client_of(partial(MemoryBankClient, options=AT_ONCE), server) as client:
            has_key = any(name == AUTHORIZATION for name, _ in client.session.metadata)
            await serve_console(
                client, server, has_key=has_key, listen=listen, tell=lambda url: click.echo(f"open {url}")
            )

    try:
        asyncio.run(serving())
    except ValueError as wrong:
        raise Failure(str(wrong), exit_code=Exit.USAGE) from None
