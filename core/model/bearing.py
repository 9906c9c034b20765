"""Frozen values that keep what was derived from them: what a prompt shows of a value, its bytes on the wire.

Law: what is kept lives as long as the value. It is no part of it: equality ignores it, `replace` does not copy it.
Reading it before it was kept raises AttributeError.
"""

from typing import Any, TypeVar

Form = TypeVar("Form")


class PromptSlot:
    """A slot for what a prompt shows of the value, whatever the prompt's query."""

    __slots__ = ("shown",)
    shown: Any

    def keep_shown(self, shown: Form) -> Form:
        object.__setattr__(self, "shown", shown)
        return shown


class WireSlot(PromptSlot):
    """Also a slot for the bytes it was sent as."""

    __slots__ = ("encoding",)
    encoding: bytes

    def keep_encoding(self, encoding: bytes) -> bytes:
        object.__setattr__(self, "encoding", encoding)
        return encoding
