"""An undo log of containers in memory: the store in memory changes them in place.

Law: a change edits containers only through here; undone, everything is as it was.
"""

from collections.abc import Callable, Hashable, MutableMapping
from typing import Any, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_NOTHING: Any = object()


class Undo:
    """The inverse of each edit. An exception within runs all of them, the last one first."""

    def __init__(self) -> None:
        self._inverses: list[Callable[[], object]] = []

    def __enter__(self) -> "Undo":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        while kind is not None and self._inverses:
            self._inverses.pop()()

    def put(self, mapping: MutableMapping[K, V], key: K, value: V) -> None:
        before = mapping.get(key, _NOTHING)
        if before is _NOTHING:
            self._inverses.append(lambda: mapping.pop(key))
        else:
            self._inverses.append(lambda: mapping.__setitem__(key, before))
        mapping[key] = value

    def drop(self, mapping: MutableMapping[K, V], key: K) -> None:
        """Removes the key, if it is there."""
        if key in mapping:
            before = mapping.pop(key)
            self._inverses.append(lambda: mapping.__setitem__(key, before))

    def add(self, values: set[K], value: K) -> None:
        if value not in values:
            values.add(value)
            self._inverses.append(lambda: values.discard(value))

    def discard(self, values: set[K], value: K) -> None:
        if value in values:
            values.discard(value)
            self._inverses.append(lambda: values.add(value))

    def append(self, values: list[V], value: V) -> None:
        values.append(value)
        self._inverses.append(values.pop)

    def set(self, owner: object, field: str, value: object) -> None:
        before = getattr(owner, field)
        self._inverses.append(lambda: setattr(owner, field, before))
        setattr(owner, field, value)
