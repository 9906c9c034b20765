"""The HTTP side of `memorybank mcp`: where it listens, and under which names it is asked.

Law: no request is answered before its Host and Origin were checked against an exact list. A web page can have its own
name resolve to 127.0.0.1, and reach a server there by the browser in which it is read; these headers it cannot choose.
"""

import re
import socket
from collections.abc import Sequence

import click
import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from service.cli.exits import Failure
from service.cli.messages import say
from service.process.listening import is_local

HTTP_PORT = 80
LOCAL = ("127.0.0.1", "localhost", "[::1]")


def require_loopback(http: str) -> None:
    """Raises Failure for an address that others can reach: there is no authentication."""
    if not is_local(http.rpartition(":")[0]):
        raise Failure(
            f"will not serve MCP on {http}: anyone who reaches it could read and change the user's memory",
            say("listen on 127.0.0.1, or allow it with --insecure where the network keeps others out"),
        )


async def serve_http(server: MCPServer, http: str, hosts: Sequence[str]) -> None:
    """Serves on the address until the process is told to stop. `hosts`: further names that it is asked under."""
    host = http.rpartition(":")[0]
    with _listener(http) as listener:
        port = listener.getsockname()[1]
        checks = allowed((host, *LOCAL), hosts, port)
        app = RequestGuard(server.streamable_http_app(transport_security=checks), checks)
        click.echo(f"listening on http://{host}:{port}/mcp")
        # uvicorn would log each request, to standard output
        config = uvicorn.Config(app, log_level=server.settings.log_level.lower(), access_log=False)
        await uvicorn.Server(config).serve(sockets=[listener])


class RequestGuard:
    """An application behind the checks, which the SDK's own makes only of what it has a route and a session for."""

    def __init__(self, app: ASGIApp, checks: TransportSecuritySettings) -> None:
        self._app = app
        self._checks = TransportSecurityMiddleware(checks)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = await self._checks.validate_request(Request(scope)) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)


def allowed(own: Sequence[str], further: Sequence[str], port: int) -> TransportSecuritySettings:
    """Returns the values that Host and Origin may have: the port stands in them unless it is HTTP's own."""
    hosts = {f"{host.lower()}:{port}" for host in own}
    if port == HTTP_PORT:
        hosts |= {host.lower() for host in own}
    for host in further:
        hosts |= {host} if re.search(r":\d+$", host) else {host, f"{host}:{port}"}
    origins = {f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")}
    return TransportSecuritySettings(allowed_hosts=sorted(hosts), allowed_origins=sorted(origins))


def _listener(http: str) -> socket.socket:
    """Binds the address; port 0 takes a free one. Raises Failure."""
    host, _, port = http.rpartition(":")
    family = socket.AF_INET6 if host.startswith("[") else socket.AF_INET
    try:
        return socket.create_server((host.strip("[]"), int(port)), family=family)
    except OSError as problem:
        raise Failure(f"cannot listen on {http}: {problem.strerror}") from None
