"""A step: one thing that a change may do to an aggregate of its kind.

Law: a step is a frozen dataclass, complete in itself. The steps of a kind are the subclasses of one class; nothing
lists them again. Steps are versioned by name and additive: none is ever given another meaning, a new need gets a new
one. The name in the feed is STORED_NAME, and stays what it is when the class is renamed.
"""

from collections.abc import Iterable
from typing import ClassVar

from core.aggregate.parts import Effect


class Step:
    """What the steps of each kind have in common."""

    __slots__ = ()

    STORED_NAME: ClassVar[str] = ""
    """The name under which it is stored; empty: the class's."""

    def effects(self) -> Iterable[Effect]:
        """Returns what it does to the parts: none, if it puts the record, or if the kind has tables of its own."""
        return ()
