"""What a call asks of whatever records its trace.

Law: nothing here imports a tracing library; without one, a call checks one None.
"""

from typing import Protocol

import grpc

from service.process.current_call import CurrentCall


class CallSpan(Protocol):
    """The record of one call."""

    def end(self, code: grpc.StatusCode) -> None:
        """Ends it, with the call's status."""
        ...


class Tracer(Protocol):
    """Records calls."""

    def begin(self, method: str, call: CurrentCall) -> CallSpan | None:
        """Begins the record of a call of `package.Service/Method`; None where this call is not recorded."""
        ...
