"""Debian's pgbouncer in transaction mode before the tests' PostgreSQL: each transaction has another connection."""

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from service.adapters.store.postgres_link import Server
from tests.support.postgres import USER, cluster, free_port

FETCHED = Path(sys.prefix) / "pgbouncer"  # Debian's package and its libraries, unpacked (`make pooler`)
INSTALLED = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
IS_THERE = INSTALLED is not None or (FETCHED / ".ready").exists()
CONNECTIONS = 3  # of the pooler to the server: fewer than a store has
CONFIGURATION = """
[databases]
* = host={sockets} port={port} user={user}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {connections}
"""


@asynccontextmanager
async def pooled(server: Server) -> AsyncIterator[Server]:
    """The same database by a pooler that tracks no prepared statements."""
    listen = free_port()
    folder = _configured(listen)
    program, libraries = (INSTALLED, "") if INSTALLED else _unpacked(folder)
    process = await asyncio.create_subprocess_exec(
        program,
        str(folder / "pgbouncer.ini"),
        env={"LD_LIBRARY_PATH": libraries},
        stderr=asyncio.subprocess.PIPE,
        user="nobody" if os.geteuid() == 0 else None,
    )
    try:
        assert process.stderr is not None
        while b"process up" not in (line := await process.stderr.readline()):
            assert line, "pgbouncer did not start"
        through = cluster().over_tcp(server, listen)
        yield replace(through, password="", prepared=False)
    finally:
        process.terminate()
        await process.communicate()
        shutil.rmtree(folder)


def _configured(listen: int) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="memorybank-pgbouncer-"))
    folder.chmod(0o755)
    where = {"sockets": cluster().sockets, "port": cluster().port, "user": USER}
    text = CONFIGURATION.format(**where, listen=listen, connections=CONNECTIONS)
    (folder / "pgbouncer.ini").write_text(text)
    return folder


def _unpacked(folder: Path) -> tuple[str, str]:
    """The program and its libraries in a folder that `nobody` can read."""
    copy = folder / "pgbouncer"
    shutil.copytree(FETCHED / "usr", copy, symlinks=True)
    (libraries,) = copy.glob("lib/*-linux-gnu")
    return str(copy / "sbin" / "pgbouncer"), str(libraries)
