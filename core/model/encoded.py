"""Values that bear their own encoding."""


class Encoded:
    """Room in a frozen value for the bytes it was sent as: there as long as the value lives, and gone with it.

    No part of the value: it neither counts when two are compared, nor passes on to what `replace` makes.
    """

    __slots__ = ("encoding",)
    encoding: bytes

    def keep_encoding(self, encoding: bytes) -> bytes:
        """`encoding` can be read from now on; before, reading it raises AttributeError."""
        object.__setattr__(self, "encoding", encoding)
        return encoding
