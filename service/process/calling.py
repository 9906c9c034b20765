"""The caller at work and its deadline: known to all code that works for a call, however deep.

Law: set once, by the gate. Work that goes on after its call has ended has no caller, and no deadline.
"""

from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class Caller:
    """`name` is the connection that the call came by; `deadline` is on the loop's clock. `stores_last`: nothing of the
    call is stored before all of it has been embedded, so that it may be refused until then."""

    name: str
    deadline: float | None
    stores_last: bool = False
    has_ended: bool = False


NO_CALLER = Caller(name="", deadline=None)
"""The service itself: upkeep, chores, what goes on in the background."""

_CALLER: ContextVar[Caller] = ContextVar("caller", default=NO_CALLER)


def caller() -> Caller:
    """Returns the caller of the work at hand."""
    at_work = _CALLER.get()
    return NO_CALLER if at_work.has_ended else at_work


def works_for(one: Caller) -> None:
    """Sets the caller of this task."""
    _CALLER.set(one)
