"""Serves the console on this machine: where it listens, and the address that opens it.

Law: it listens on this machine alone. The address is printed, and written nowhere else.
"""

import ipaddress
import socket
from collections.abc import Callable

import uvicorn

from console.app import console_app
from console.door import ENTRANCE, names_of
from console.sessions import Sessions
from memorybank_client import MemoryBankClient

AT_ONCE = (("grpc.enable_retries", 0),)
"""Options of the channel: a person looks again sooner than one that is away would give up."""


def require_loopback(listen: str) -> None:
    """Raises ValueError, which says what to do instead, for an address that other machines reach."""
    host = listen.rpartition(":")[0].strip("[]")
    try:
        is_own = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_own = host == "localhost"
    if not is_own:
        raise ValueError(
            f"the console shows all that its key may read, and {host or listen} is reached by others: listen on "
            "127.0.0.1, and reach it from elsewhere through `ssh -L`"
        )


async def serve_console(
    client: MemoryBankClient, server: str, *, has_key: bool, listen: str, tell: Callable[[str], None]
) -> None:
    """Serves until the process is told to stop; tells the address that opens the console once it listens. Raises
    ValueError, OSError."""
    require_loopback(listen)
    host, _, port = listen.rpartition(":")
    family = socket.AF_INET6 if host.startswith("[") else socket.AF_INET
    with socket.create_server((host.strip("[]"), int(port)), family=family) as listener:
        at = listener.getsockname()[1]
        sessions = Sessions()
        app = console_app(client, server, has_key=has_key, names=names_of((host,), at), sessions=sessions)
        # it would log each address that is asked for, with the names of memories in it, and the token
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, ws="none", lifespan="off"
        )
        tell(f"http://{host}:{at}{ENTRANCE}?token={sessions.entry_token}")
        await uvicorn.Server(config).serve(sockets=[listener])
