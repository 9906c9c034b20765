"""The API key of the host that asks over HTTP: it goes with the calls that its question makes, and with no others.

Law: a server over HTTP has no key of its own. A question without one makes its calls without one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError

from memorybank_client import MemoryBankClient

BEARER = "bearer"

_HOSTS_KEY: ContextVar[str | None] = ContextVar("memorybank_client.hosts_key", default=None)
"""Empty: the host sent none. None: it does not ask over HTTP."""


@contextmanager
def passing_on(context: Any) -> Iterator[None]:
    """Has calls made with the bearer token of the HTTP request that is at work, if one is."""
    try:
        headers = context.request_context.request.headers
    except (AttributeError, ValueError):  # there is no HTTP request
        yield
        return
    scheme, _, key = headers.get("authorization", "").partition(" ")
    before = _HOSTS_KEY.set(key.strip() if scheme.lower() == BEARER else "")
    try:
        yield
    finally:
        _HOSTS_KEY.reset(before)


def with_hosts_key(client: MemoryBankClient) -> MemoryBankClient:
    """Returns the client with the key that came with the question. Raises ToolError for one that cannot be sent on."""
    key = _HOSTS_KEY.get()
    try:
        return client if key is None else client.with_key(key)
    except ValueError as unfit:
        raise ToolError(str(unfit)) from None
