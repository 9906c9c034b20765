"""What a change has done to containers in memory, so that it can be undone: the store in memory changes them in place.

Law: whatever a change touches it touches through here; undone, everything is as it was.
"""

from collections.abc import Callable, Hashable, MutableMapping
from typing import Any, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_NOTHING: Any = object()


class Undo:
    """The ways back. What is raised within goes all of them, the last one first."""

    def __init__(self) -> None:
        self._ways: list[Callable[[], object]] = []

    def __enter__(self) -> "Undo":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        while kind is not None and self._ways:
            self._ways.pop()()

    def put(self, mapping: MutableMapping[K, V], key: K, value: V) -> None:
        before = mapping.get(key, _NOTHING)
        if before is _NOTHING:
            self._ways.append(lambda: mapping.pop(key))
        else:
            self._ways.append(lambda: mapping.__setitem__(key, before))
        mapping[key] = value

    def drop(self, mapping: MutableMapping[K, V], key: K) -> None:
        """Nothing where it is not there."""
        if key in mapping:
            before = mapping.pop(key)
            self._ways.append(lambda: mapping.__setitem__(key, before))

    def add(self, values: set[K], value: K) -> None:
        if value not in values:
            values.add(value)
            self._ways.append(lambda: values.discard(value))

    def discard(self, values: set[K], value: K) -> None:
        if value in values:
            values.discard(value)
            self._ways.append(lambda: values.add(value))

    def append(self, values: list[V], value: V) -> None:
        values.append(value)
        self._ways.append(values.pop)

    def set(self, owner: object, field: str, value: object) -> None:
        before = getattr(owner, field)
        self._ways.append(lambda: setattr(owner, field, before))
        setattr(owner, field, value)
