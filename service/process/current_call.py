"""The call that the code works for: named in every line of the log, looked up only when a line is written.

Law: a context variable, so work that a call begins, and that outlasts it, is logged with it too.
"""

import re
import secrets
from collections.abc import Callable, Iterable, MutableMapping
from contextvars import ContextVar
from typing import Any

from core.caller import EVERYONE
from core.ids import is_id

TRACE = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}.*", re.ASCII | re.DOTALL)
"""A `traceparent` (W3C Trace Context): version, trace id, span id, flags."""


class CurrentCall:
    """`metadata` gives what came with it; `request_id` is set once the request is read, as it came. `caller`: who
    calls, once that is known. `is_audited`: `named` is to tell what the request names, for the audit."""

    __slots__ = ("_trace_id", "caller", "is_audited", "metadata", "named", "request_id")

    def __init__(self, metadata: Callable[[], Iterable[tuple[str, str | bytes]] | None]) -> None:
        self.metadata = metadata
        self.request_id = ""
        self.caller = EVERYONE
        self.is_audited = False
        self.named: dict[str, str] = {}
        self._trace_id = ""

    @property
    def trace_id(self) -> str:
        """The caller's, else one of its own: it groups the lines of one call."""
        if not self._trace_id:
            sent = next((value for key, value in self.metadata() or () if key == "traceparent"), "")
            found = TRACE.fullmatch(sent) if isinstance(sent, str) else None
            self._trace_id = found[1] if found else secrets.token_hex(16)
        return self._trace_id


CURRENT: ContextVar[CurrentCall | None] = ContextVar("memorybank.current_call", default=None)


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
