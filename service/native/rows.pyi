"""Values out of rows that were read together."""

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

AS_IT_IS: int
"""What stands in the column is the value."""
SHARED: int
"""The same, and a short text or a whole number that comes again in these rows is one object."""
LIST: int
"""A list, as `lists` reads it, or else the reader."""
TOGETHER: int
"""The reader makes the values of all that stands in the column in one call, given it and the texts; equal ones once."""

Column = tuple[Any, int, int, Callable[..., Any] | None]
"""A class's slot, a number that only columns of one kind share, one of the ways, and the reader if it wants one."""

def made(
    class_: type[T], columns: tuple[Column, ...], texts: dict[str, str], rows: list[tuple[Any, ...]]
) -> list[T]:
    """A value of a class with slots for each row, in which `columns` come first, in their order. None is None.

    What stands twice in a row, in columns of one kind, is one object. `texts` are known, each under itself, and those
    that come again in lists the same object as there; new ones join them.

    Raises ValueError for a row that is too short.
    """

def lists(cells: list[str], texts: dict[str, str], otherwise: Callable[[str], Any]) -> list[Any]:
    """Lists in JSON as tuples, their texts as `made` has them.

    Lists of texts without escapes, of whole numbers and of lists of these, written without spaces; of others the
    value is what `otherwise` makes of the text.
    """
