"""The call that the code works for: named in every line of the log and to whatever is asked on its behalf, looked up
only when a line is written or something is asked.

Law: a context variable, so work that a call begins, and that outlasts it, is logged with it too.
"""

import re
import secrets
from collections.abc import Callable, Iterable, MutableMapping
from contextvars import ContextVar
from typing import Any

from core.caller import EVERYONE
from core.ids import is_id

TRACEPARENT = "traceparent"
TRACE = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?", re.ASCII
)
"""A `traceparent` (W3C Trace Context): version, trace id, span id, flags."""


class CurrentCall:
    """`metadata` gives what came with it; `request_id` is set once the request is read, as it came. `caller`: who
    calls, once that is known. `is_audited`: `named` is to tell what the request names, for the audit.

    `span`: the traceparent that goes on from here, where calls are traced. Of one that `is_recorded`, `request` is what
    was read first."""

    __slots__ = (
        "_sent",
        "_trace_id",
        "caller",
        "is_audited",
        "is_recorded",
        "metadata",
        "named",
        "request",
        "request_id",
        "span",
    )

    def __init__(self, metadata: Callable[[], Iterable[tuple[str, str | bytes]] | None]) -> None:
        self.metadata = metadata
        self.request_id = ""
        self.caller = EVERYONE
        self.is_audited = False
        self.named: dict[str, str] = {}
        self.request: object = None
        self.span = ""
        self.is_recorded = False
        self._sent: str | None = None
        self._trace_id = ""

    @property
    def sent(self) -> str:
        """The traceparent that its caller sent; empty where there is none, or it is malformed."""
        if self._sent is None:
            found = next((value for key, value in self.metadata() or () if key == TRACEPARENT), "")
            self._sent = found if isinstance(found, str) and TRACE.fullmatch(found) else ""
        return self._sent

    @property
    def trace_id(self) -> str:
        """The one that is recorded, the caller's, else one of its own: it groups the lines of one call."""
        if not self._trace_id:
            found = TRACE.fullmatch(self.span or self.sent)
            self._trace_id = found[1] if found else secrets.token_hex(16)
        return self._trace_id


CURRENT: ContextVar[CurrentCall | None] = ContextVar("memorybank.current_call", default=None)


def trace_headers() -> dict[str, str]:
    """Returns the header that goes with what is asked for the current call; none where it is in no trace."""
    call = CURRENT.get()
    parent = "" if call is None else call.span or call.sent
    return {TRACEPARENT: parent} if parent else {}


def add_current_call(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Adds the current call's trace id and request id, if any, to a line of structlog."""
    call = CURRENT.get()
    if call is not None:
        event["trace_id"] = call.trace_id
        if is_id(call.request_id):  # it is logged before it is checked
            event["request_id"] = call.request_id
        if call.caller.key_id:
            event["key_id"] = call.caller.key_id
    return event
