"""A store whose calls are measured: which, how long, how they ended.

Law: it is made only where something listens; without, calls go to the store itself. All of the port's calls are
measured, whichever they are.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, cast

from core.ports.store import Store

OPERATIONS = tuple(name for name, method in vars(Store).items() if iscoroutinefunction(method))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreCall:
    """A call of the store that has ended. `size`: of an append, how many changes it had; else 0."""

    operation: str
    seconds: float
    failure: BaseException | None = None
    size: int = 0


StoreObserver = Callable[[StoreCall], None]
"""Is quick, and raises nothing."""


class _Observed:
    """The store's calls, each with its observers."""

    def __init__(self, store: Store, observers: Sequence[StoreObserver]) -> None:
        for name in OPERATIONS:
            setattr(self, name, _measured(name, getattr(store, name), observers))


def observed(store: Store, observers: Sequence[StoreObserver]) -> Store:
    """Returns the store, its calls measured if there is an observer."""
    return cast(Store, _Observed(store, observers)) if observers else store


def _measured(
    operation: str, act: Callable[..., Awaitable[Any]], observers: Sequence[StoreObserver]
) -> Callable[..., Awaitable[Any]]:
    @wraps(act)
    async def call(*given: Any, **named: Any) -> Any:
        start, failure = time.perf_counter(), None
        try:
            return await act(*given, **named)
        except BaseException as raised:
            failure = raised
            raise
        finally:
            size = len(given[2]) if operation == "append" else 0
            ended = StoreCall(
                operation=operation, seconds=time.perf_counter() - start, failure=failure, size=size
            )
            for observer in observers:
                observer(ended)

    return call
