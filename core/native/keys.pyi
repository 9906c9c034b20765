from collections.abc import Hashable, Iterable
from typing import Any

class RowTable:
    """In which row of a list each key stands: some eight bytes a key, where a dict and its numbers take seventy.

    The list is its owner's, and is where the keys are looked up: a key is written there before its row is added, and is
    not overwritten before it is popped. None is no key. Belongs to one thread.
    """

    def __init__(self, keys: list[Any]) -> None:
        """Of all keys in the list. ValueError for one that is there twice. Other threads may run now and then."""

    def __len__(self) -> int: ...
    def __contains__(self, key: Hashable) -> bool: ...
    def get(self, key: Hashable) -> int:
        """The key's row; −1 for a key that has none."""

    def rows(self, keys: Iterable[Hashable]) -> list[int]:
        """`get` of each."""

    def add(self, row: int) -> None:
        """The list has a key in this row that was in none. ValueError else."""

    def pop(self, key: Hashable) -> int:
        """The row that the key has no longer; −1 if it had none."""
