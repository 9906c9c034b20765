"""A real HTTP server on the loopback that speaks OpenAI's embeddings API, or misbehaves as told."""

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.hashing_embedder import HashingEmbedder

DIMENSION = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What one request gets. `hangs`: nothing, until the server is closed."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    hangs: bool = False


def failing(status: int) -> Reply:
    """An error that asks to be tried again at once."""
    return Reply(status=status, headers={"retry-after-ms": "1"}, body=b'{"error": {"message": "no"}}')


def answering(*vectors: list[float]) -> Reply:
    items = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)]
    return Reply(body=json.dumps({"object": "list", "data": items, "model": "m"}).encode())


class EmbeddingEndpoint:
    """Gives the scripted replies, then hashed vectors, not normalised and the last input first."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []  # what each request came with as its authorization
        self.script: list[Reply] = []
        self.closing = threading.Event()
        self._embedder = HashingEmbedder(DIMENSION)

    def reply(self, body: dict[str, Any]) -> Reply:
        self.requests.append(body)
        if self.script:
            return self.script.pop(0)
        vectors = [(3 * self._embedder.vector(text)).tolist() for text in body["input"]]
        items = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)]
        return Reply(
            body=json.dumps({"object": "list", "data": items[::-1], "model": body["model"]}).encode()
        )


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that gave up is what some tests are about; anything else is a mistake in here."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


@contextmanager
def serving() -> Iterator[EmbeddingEndpoint]:
    """An endpoint on a free port, gone with the context."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            announced = int(self.headers["content-length"])
            received = self.rfile.read(announced)
            if len(received) < announced:  # the client gave up while it spoke
                return
            endpoint.keys.append(self.headers["authorization"])
            reply = endpoint.reply(json.loads(received))
            if reply.hangs:
                endpoint.closing.wait()
                return
            self.send_response(reply.status)
            for name, content in {"content-type": "application/json", **reply.headers}.items():
                self.send_header(name, content)
            self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the library calls it so
            """Tests print figures, not requests."""

    server = _Server(("127.0.0.1", 0), Handler)
    endpoint = EmbeddingEndpoint(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()
