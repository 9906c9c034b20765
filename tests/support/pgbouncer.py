"""Debian's pgbouncer in transaction mode before the tests' PostgreSQL: each transaction has another connection."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from service.adapters.store.postgres_link import Server
from tests.support.postgres import USER, cluster, free_port

PROGRAM = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
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
    process = await asyncio.create_subprocess_exec(
        PROGRAM or "pgbouncer",
        str(folder / "pgbouncer.ini"),
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
