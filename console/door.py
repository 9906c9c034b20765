"""The door before all pages: by which names it is asked, from which pages, by which browser, and what goes out.

Law: a request reaches a page only under an exact Host, from an exact Origin, with the session's cookie. Every answer
carries the headers that keep what a memory holds from acting in the page, and from being kept by the browser.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from console.sessions import Session, Sessions

HTTP_PORT = 80
LOCAL = ("127.0.0.1", "localhost", "[::1]")
READING = ("GET", "HEAD")
METHODS = (*READING, "POST")
ENTRANCE = "/enter"
STATIC = "/static/"
LARGEST_FORM = 2 * 1024 * 1024
SESSION = "console_session"
"""Where the session is among a request's state."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",  # with no-referrer a browser's forms name no origin
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Under which names the console is asked: `hosts` as the header Host has them, `origins` as Origin has them."""

    hosts: frozenset[str]
    origins: frozenset[str]


def names_of(hosts: Iterable[str], port: int) -> Names:
    """Returns the names for hosts and a port, which stands in them unless it is HTTP's own."""
    named = {f"{host.lower()}:{port}" for host in (*hosts, *LOCAL)}
    if port == HTTP_PORT:
        named |= {name.rpartition(":")[0] for name in named}
    return Names(hosts=frozenset(named), origins=frozenset(f"http://{name}" for name in named))


def cookie_name(host: str) -> str:
    """Returns the cookie's name: browsers tell cookies of one host apart by no port."""
    return f"memorybank-console-{host.rpartition(':')[2]}"


class Door:
    """An application behind its checks."""

    def __init__(self, app: ASGIApp, names: Names, sessions: Sessions, closed: Response) -> None:
        self._app = app
        self._names = names
        self._sessions = sessions
        self._closed = closed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers_out = MutableHeaders(scope=message)
                for name, value in HEADERS.items():  # a file's are stricter
                    headers_out.setdefault(name, value)
            await send(message)

        headers = Headers(scope=scope)
        answer = self._refusal(scope, headers) or self._app
        await answer(scope, _bounded(receive), sealed)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """Returns what a request is answered that is not let in."""
        if not _only(headers.getlist("host"), self._names.hosts):
            return _refused(HTTPStatus.MISDIRECTED_REQUEST, "this console has another name")
        if scope["method"] not in METHODS:
            return _refused(HTTPStatus.METHOD_NOT_ALLOWED, "no page answers this method")
        origins = headers.getlist("origin")
        if (origins or scope["method"] not in READING) and not _only(origins, self._names.origins):
            return _refused(HTTPStatus.FORBIDDEN, "this came from another page")
        if _length(headers) > LARGEST_FORM:
            return _refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "a form has at most 2 MiB")
        if scope["path"] == ENTRANCE or scope["path"].startswith(STATIC):
            return None
        session = self._session(scope, headers)
        if session is None:
            return self._closed
        scope.setdefault("state", {})[SESSION] = session
        return None

    def _session(self, scope: Scope, headers: Headers) -> Session | None:
        """Returns the session whose cookie came; others of this machine's programs come along, in any form."""
        found = HTTPConnection(scope).cookies.get(cookie_name(headers["host"]))
        return self._sessions.of(found) if found is not None else None


def _only(values: Collection[str], allowed: frozenset[str]) -> bool:
    return len(values) == 1 and next(iter(values)).lower() in allowed


def _length(headers: Headers) -> int:
    """Returns the length that a request announces; one that announces none is read as far as a form may go."""
    given = headers.get("content-length", "0")
    return int(given) if given.isascii() and given.isdigit() else LARGEST_FORM + 1


def _bounded(receive: Receive) -> Receive:
    """Passes a body on as far as a form may go; what is longer ends as if its sender had left."""
    read = 0

    async def next_part() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        return message if read <= LARGEST_FORM else {"type": "http.disconnect"}

    return next_part


def _refused(status: HTTPStatus, sentence: str) -> Response:
    return PlainTextResponse(f"{sentence}\n", status_code=status)
