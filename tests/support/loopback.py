"""A real HTTP server on the loopback for endpoints that tests script: JSON in, a written reply out."""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

Answer = Callable[[dict[str, Any], str], "Reply"]
"""Of a request's body and its authorization (empty: none)."""


Scripted = TypeVar("Scripted", bound="ScriptedEndpoint")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What one request gets. `hangs`: nothing, until the server is closed. `cut`: half of it, and the end."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    hangs: bool = False
    cut: bool = False


def failing(status: int) -> Reply:
    """An error that asks to be tried again at once."""
    return Reply(status=status, headers={"retry-after-ms": "1"}, body=b'{"error": {"message": "no"}}')


class ScriptedEndpoint:
    """Notes each request, and gives the scripted replies, then the `usual` one."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []  # what each request came with as its authorization
        self.traces: list[str] = []  # and as its traceparent
        self.script: list[Reply] = []

    def usual(self, body: dict[str, Any]) -> Reply:
        """Returns what a request gets that no script is for."""
        raise NotImplementedError

    def reply(self, body: dict[str, Any], key: str) -> Reply:
        self.requests.append(body)
        self.keys.append(key)
        return self.script.pop(0) if self.script else self.usual(body)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that gave up is what some tests are about; anything else is a mistake in here."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


@contextmanager
def listening(answer: Answer, port: int = 0, traces: list[str] | None = None) -> Iterator[str]:
    """The server's address (`http://127.0.0.1:PORT`), gone with the context. Port 0: any free one. `traces` gets the
    traceparent of each request."""
    closing = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else each body waits 40 ms for its headers to be acknowledged

        def do_POST(self) -> None:
            announced = int(self.headers["content-length"])
            received = self.rfile.read(announced)
            if len(received) < announced:  # the client gave up while it spoke
                return
            if traces is not None:
                traces.append(self.headers.get("traceparent", ""))
            reply = answer(json.loads(received), self.headers.get("authorization", ""))
            if reply.hangs:
                closing.wait()
                return
            self.send_response(reply.status)
            for name, content in {"content-type": "application/json", **reply.headers}.items():
                self.send_header(name, content)
            self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body[: len(reply.body) // 2] if reply.cut else reply.body)
            self.close_connection = self.close_connection or reply.cut

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the library calls it so
            """Tests print figures, not requests."""

    server = _Server(("127.0.0.1", port), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def scripted(endpoint: Scripted) -> Iterator[Scripted]:
    """The endpoint on a free port, gone with the context."""
    with listening(endpoint.reply, traces=endpoint.traces) as address:
        endpoint.url = f"{address}/v1"
        yield endpoint
