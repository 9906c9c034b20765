"""Values that bear what was made of them.

Law: what they bear is there as long as the value lives, and gone with it. It is no part of the value: it neither counts
when two are compared, nor passes on to what `replace` makes. Before it is kept, reading it raises AttributeError.
"""

from typing import Any, TypeVar

Form = TypeVar("Form")


class Shown:
    """Room in a frozen value for what a prompt shows of it, whatever is asked."""

    __slots__ = ("shown",)
    shown: Any

    def keep_shown(self, shown: Form) -> Form:
        object.__setattr__(self, "shown", shown)
        return shown


class Encoded(Shown):
    """Room for the bytes that it was sent as, too."""

    __slots__ = ("encoding",)
    encoding: bytes

    def keep_encoding(self, encoding: bytes) -> bytes:
        object.__setattr__(self, "encoding", encoding)
        return encoding
