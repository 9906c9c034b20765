"""`memorybank console`, the real program: it prints an address that opens it, and listens on this machine alone."""

import asyncio
import sys

import httpx2

from tests.support.process import CHECKOUT
from tests.support.shell import Shell

NOWHERE = "127.0.0.1:1"


async def test_the_command_prints_an_address_that_opens_it_and_logs_no_token() -> None:
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "service", "console", "--server", NOWHERE, "--listen", "127.0.0.1:0"),
        cwd=CHECKOUT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert program.stdout is not None
    try:
        said = (await program.stdout.readline()).decode()
        async with httpx2.AsyncClient() as client:
            entered = await client.get(said.removeprefix("open ").strip())
            away = await client.get(str(entered.url.join("/")))
    finally:
        program.terminate()
        out, err = await program.communicate()

    assert entered.status_code == 200
    assert away.status_code == 503
    assert f"No memory bank answers at {NOWHERE}." in away.text
    assert (out, err) == (b"", b"")


def test_it_listens_on_this_machine_alone() -> None:
    refused = [
        Shell(server=NOWHERE)("console", "--listen", listen)
        for listen in ("0.0.0.0:0", "192.0.2.7:7780", "[::]:0")
    ]

    assert [ended.exit_code for ended in refused] == [2, 2, 2]
    assert all("listen on 127.0.0.1" in ended.err for ended in refused)
