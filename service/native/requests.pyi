"""Requests read without a message of protobuf's, where each of their fields is what it may be."""

from collections.abc import Sequence
from typing import Any

ID: int
"""A text that is an id (`core.ids`)."""
TEXT: int
"""A text of at most `most` code points and without NUL; with `least`, not blank."""
IDS: int
"""Different ids, `least` to `most` of them."""
TEXTS: int
"""`least` to `most` texts without NUL, none blank, of at most `other` code points each."""
VECTOR: int
"""A message whose only field, `other`, packs float32 numbers: at most `most`, all finite and not all 0."""
MESSAGES: int
"""`least` to `most` messages of the shape `other`."""

Rule = tuple[int, int, int, int, Any]
"""A field: its number, 1 to 15, its kind, `least` (of a single one: whether it must be there), `most`, `other`."""

class Shape:
    """What a message of these fields, and no others, looks like. Raises ValueError for rules that contradict it."""

    def __init__(self, rules: Sequence[Rule]) -> None: ...
    def read(self, message: bytes) -> tuple[Any, ...] | None:
        """The fields' values in the order of the rules: texts, tuples of texts or of such tuples, the numbers' bytes.
        What is absent is an empty text or tuple, an id or a vector None.

        None for a message that is any different, or written in another way than protobuf's writers have: it is for
        others to decode, and to say what is wrong with it.
        """
