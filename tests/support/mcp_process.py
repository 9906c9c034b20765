"""`memorybank mcp --http` in a process of its own. Law: it ends with its context."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.support.process import CHECKOUT

PLACES = os.pathsep.join((".", "protos", "clients/python"))


def mcp_command(server: str, user: str, *words: str) -> list[str]:
    """The command that serves the user's memory, to be run in CHECKOUT with `mcp_environment`."""
    return [sys.executable, "-m", "service", "mcp", "--server", server, "--user", user, *words]


def mcp_environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": PLACES}


@asynccontextmanager
async def mcp_over_http(
    folder: Path, server: str, user: str, *words: str, listen: str = "127.0.0.1:0"
) -> AsyncIterator[str]:
    """The URL of a server that listens. What it logs is kept in the folder."""
    with (folder / "mcp.log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            *mcp_command(server, user, "--http", listen, *words),
            cwd=CHECKOUT,
            env=mcp_environment(),
            stdout=PIPE,
            stderr=log,
        )
    assert process.stdout is not None
    try:
        said = (await process.stdout.readline()).decode().strip()
        assert said.startswith("listening on "), f"not ready; see {folder / 'mcp.log'}"
        yield said.removeprefix("listening on ")
        assert process.returncode is None, f"it has ended; see {folder / 'mcp.log'}"
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()
