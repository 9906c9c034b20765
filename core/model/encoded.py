"""Values that bear what they are sent as, and how a prompt shows them."""

from typing import Any, TypeVar

Shown = TypeVar("Shown")


class Encoded:
    """Room in a frozen value for the bytes it was sent as, and for what a prompt shows of it, whatever is asked: there
    as long as the value lives, and gone with it.

    No part of the value: it neither counts when two are compared, nor passes on to what `replace` makes.
    """

    __slots__ = ("encoding", "shown")
    encoding: bytes
    shown: Any

    def keep_encoding(self, encoding: bytes) -> bytes:
        """`encoding` can be read from now on; before, reading it raises AttributeError."""
        object.__setattr__(self, "encoding", encoding)
        return encoding

    def keep_shown(self, shown: Shown) -> Shown:
        """`shown` can be read from now on; before, reading it raises AttributeError."""
        object.__setattr__(self, "shown", shown)
        return shown
