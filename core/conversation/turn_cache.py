"""Turns that prompts show, cached as they were read: what is made of a turn for one prompt is there for the next.

Law: bounded, and what was read first goes first. A turn that would push out many others is not cached. One that is
replaced or deleted is dropped at once.
"""

from sys import getsizeof

from core.aggregate.parts import numbered
from core.conversation.turn_rows import TurnRows
from core.model.conversation import Turn

MOST_BYTES = 1_000_000
LARGEST = MOST_BYTES // 20  # that one turn may take
TURN_BYTES = 600  # about what a cached turn takes beside its text
COPIES = 6
"""Of the text: as it is, behind its speakers, and where it has several lines, indented and on one line; its sentences,
as they are and as they compare with others."""


class TurnCache:
    """Turns of some rows, by step."""

    def __init__(self, rows: TurnRows) -> None:
        self._rows = rows
        self._turns: dict[int, Turn] = {}
        self.size = 0  # approximate bytes in memory

    def turn(self, step: int) -> Turn:
        """Raises KeyError."""
        found = self._turns.get(step)
        return self._read(step) if found is None else found

    def drop(self, step: int) -> None:
        gone = self._turns.pop(step, None)
        if gone is not None:
            self.size -= _size(gone)

    def clear(self) -> None:
        self._turns, self.size = {}, 0

    def _read(self, step: int) -> Turn:
        turn = self._rows[numbered(step)]
        size = _size(turn)
        if size > LARGEST:
            return turn
        self._turns[step] = turn
        self.size += size
        while self.size > MOST_BYTES:
            self.drop(next(iter(self._turns)))
        return turn


def _size(turn: Turn) -> int:
    return TURN_BYTES + COPIES * (getsizeof(turn.input) + getsizeof(turn.reply))
