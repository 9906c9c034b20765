"""Handles: the shortest ends of ids that tell them apart, for prompts, where whole ids take a third of the room.

Law: a handle has LEAST characters or more and is the end of one id alone among all that were ever added; an id of
LONGEST_WHOLE characters or fewer is its own. Who was merged into another keeps its end, so that a handle shown before
never comes to mean another id.
"""

from collections.abc import Callable, Iterable

from core.errors import InvalidField

LEAST = 5
LONGEST_WHOLE = 8


class Handles:
    """The ids of an aggregate by their ends."""

    def __init__(self) -> None:
        self._by_end: dict[str, str | list[str]] = {}  # one id as a rule, and no list of it then

    def add(self, name: str) -> None:
        """Adds an id; one that is there already changes nothing."""
        end = name[-LEAST:]
        there = self._by_end.setdefault(end, name)
        if isinstance(there, list):
            if name not in there:
                there.append(name)
        elif there != name:
            self._by_end[end] = [there, name]

    def of(self, name: str) -> str:
        """Returns the handle of an id that was added."""
        if len(name) <= LONGEST_WHOLE:
            return name
        others = [other for other in self._with(name[-LEAST:]) if other != name]
        for length in range(LEAST, len(name)):
            if not any(other.endswith(name[-length:]) for other in others):
                return name[-length:]
        return name

    def fitting(self, handle: str) -> list[str]:
        """Returns the ids that end so; none for what is shorter than a handle."""
        if len(handle) < LEAST:
            return []
        return [name for name in self._with(handle[-LEAST:]) if name.endswith(handle)]

    def _with(self, end: str) -> Iterable[str]:
        there = self._by_end.get(end, ())
        return (there,) if isinstance(there, str) else there

    def id_of(self, handle: str, field: str, admits: Callable[[str], bool]) -> str:
        """Returns the one id that a handle is the end of; empty for none. Raises InvalidField where two share it."""
        fitting = [name for name in self.fitting(handle) if admits(name)]
        if len(fitting) > 1:
            raise InvalidField(field, f"is the end of several: {', '.join(sorted(fitting))}")
        return fitting[0] if fitting else ""
