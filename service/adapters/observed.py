"""Ports whose calls are measured: which, how long, how they ended.

Law: made only where something listens; without, calls go to the port itself. All of a port's calls that wait are
measured, whichever they are.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, TypeVar, cast

P = TypeVar("P")

SIZED = {"append": 2, "embed_queries": 0, "embed_passages": 0}
"""Calls of several things at once, and which argument these are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PortCall:
    """A call that has ended. `size`: how many things it was about, if it may be several; else 0."""

    operation: str
    seconds: float
    failure: BaseException | None = None
    size: int = 0


PortObserver = Callable[[PortCall], None]
"""Is quick, and raises nothing."""


class _Observer:
    """What is observed, its calls measured."""

    def __init__(self, inner: object, port: type, observers: Sequence[PortObserver]) -> None:
        self._inner = inner
        for name, method in vars(port).items():
            if iscoroutinefunction(method):
                setattr(self, name, _measured(name, getattr(inner, name), observers))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def observed(inner: P, port: type, observers: Sequence[PortObserver]) -> P:
    """Returns what implements the port, its calls measured if there is an observer."""
    return cast(P, _Observer(inner, port, observers)) if observers else inner


def _measured(
    operation: str, act: Callable[..., Awaitable[Any]], observers: Sequence[PortObserver]
) -> Callable[..., Awaitable[Any]]:
    place = SIZED.get(operation)

    @wraps(act)
    async def call(*given: Any, **named: Any) -> Any:
        start, failure = time.perf_counter(), None
        try:
            return await act(*given, **named)
        except BaseException as raised:
            failure = raised
            raise
        finally:
            ended = PortCall(
                operation=operation,
                seconds=time.perf_counter() - start,
                failure=failure,
                size=0 if place is None else len(given[place]),
            )
            for observer in observers:
                observer(ended)

    return call
