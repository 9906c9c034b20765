"""The turns of a conversation as packed rows: of each some forty bytes beside its text.

Law: a turn reads as it was put. Its text stands in one buffer, in UTF-8, where deleting it overwrites it at once; what
the deleted leave is given back when it is more than what is left.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from core.aggregate.parts import numbered
from core.model.conversation import Turn

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
SURELY, UNREAD = 254, 255
"""The byte of a turn that is surely worth something, and that of one that was not read."""

LITTLE = 100_000
"""Bytes of text that are looked through, rather than turn by turn, in some ten microseconds."""


class TurnRows(MutableMapping[str, Turn]):
    """Turns by the names of their steps, in step order. A turn is made anew by each read of it."""

    def __init__(self) -> None:
        self._steps = array("q")  # ascending
        self._starts = array("q")  # where its text begins
        self._inputs = array("I")  # bytes of its input
        self._replies = array("I")  # bytes of its reply, which follows
        self._said = array("q")  # event time, in microseconds since 1970
        self._made = array("q")  # create time, likewise
        self._input_speakers = array("I")
        self._reply_speakers = array("I")
        self._writers = array("I")
        self._worths = array("B")  # UNREAD, or what it is worth in parts of SURELY
        # labels, invocation, whether it is the user's statement, bytes of metadata: of those that are not as most are
        self._more: dict[int, tuple[Mapping[str, str], str, bool, int]] = {}
        self._speakers: dict[str, int] = {}
        self._names: list[str] = []  # of speakers and writers, by number
        self._text = bytearray()
        self._dead = 0  # bytes of the text that no turn has any more

    # ---- by name ----

    def __len__(self) -> int:
        return len(self._steps)

    def __iter__(self) -> Iterator[str]:
        return map(numbered, self._steps)

    def __getitem__(self, name: str) -> Turn:
        return self._at(self._row(int(name)))

    def __setitem__(self, name: str, turn: Turn) -> None:
        if self.has(turn.step):
            del self[name]
        self._insert(bisect_left(self._steps, turn.step), turn)

    def __delitem__(self, name: str) -> None:
        self._remove(self._row(int(name)))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.has(int(name))

    def time_of(self, name: str) -> datetime:
        """Returns the time of a turn; its words are not decoded for it."""
        return _time(self._said[self._row(int(name))])

    # ---- by step ----

    @property
    def steps(self) -> Sequence[int]:
        """Of the turns that are there, ascending. To be read before the next edit."""
        return self._steps

    def has(self, step: int) -> bool:
        row = bisect_left(self._steps, step)
        return row < len(self._steps) and self._steps[row] == step

    def rate(self, step: int, worth: int) -> None:
        """Sets what a turn is worth, if it is there: a byte."""
        if self.has(step):
            self._worths[bisect_left(self._steps, step)] = worth

    @property
    def worths(self) -> NDArray[np.float64]:
        """What the turns are worth, in step order, 0 to 1; NaN for those that were not read."""
        found = np.frombuffer(self._worths, np.uint8)
        return np.where(found == UNREAD, np.nan, found / SURELY)

    def saying(self, text: str, names: Sequence[str]) -> list[bool]:
        """Returns of each of these turns whether a text may stand in it: what stands in its input or its reply does,
        and rarely what only stands across both. No turn is made for it."""
        said = text.encode()
        if len(self._text) <= LITTLE and said not in self._text:  # as a rule
            return [False] * len(names)
        found = []
        for row in (self._row(int(name)) for name in names):
            start = self._starts[row]
            end = start + self._inputs[row] + self._replies[row]
            found.append(self._text.find(said, start, end) >= 0)
        return found

    def rows(self, first: int, last: int) -> list[Turn]:
        """Returns the turns of rows [first, last): the first turn that is there has row 0."""
        return [self._at(row) for row in range(first, last)]

    def each(self, rows: Iterable[int]) -> Iterator[Turn]:
        """Yields the turns of some rows, each made when it is asked for."""
        return map(self._at, rows)

    def written_by(self, writer: str, first: int, last: int) -> Sequence[int]:
        """Returns those of the rows [first, last) that API keys of this subject wrote, ascending; all where none is
        named."""
        if not writer:
            return range(first, last)
        number = self._speakers.get(writer)
        if number is None:
            return ()
        found: list[int] = np.flatnonzero(
            np.frombuffer(self._writers, np.uintc)[first:last] == number
        ).tolist()
        return [first + row for row in found]

    def trim(self) -> None:
        """Gives back the room that is left to grow, and what the deleted leave."""
        self._close_up()
        for name, column in vars(self).items():
            if isinstance(column, array):
                setattr(self, name, array(column.typecode, column))

    # ---- rows ----

    def _row(self, step: int) -> int:
        if not self.has(step):
            raise KeyError(numbered(step))
        return bisect_left(self._steps, step)

    def _at(self, row: int) -> Turn:
        step, start = self._steps[row], self._starts[row]
        middle = start + self._inputs[row]
        labels, invocation_id, stated, metadata_bytes = self._more.get(step, _NOTHING_MORE)
        return Turn(
            step=step,
            input=self._text[start:middle].decode(),
            reply=self._text[middle : middle + self._replies[row]].decode(),
            event_time=_time(self._said[row]),
            create_time=_time(self._made[row]),
            input_speaker=self._names[self._input_speakers[row]],
            reply_speaker=self._names[self._reply_speakers[row]],
            labels=labels,
            invocation_id=invocation_id,
            stated=stated,
            writer=self._names[self._writers[row]],
            metadata_bytes=metadata_bytes,
        )

    def _insert(self, row: int, turn: Turn) -> None:
        input_, reply = turn.input.encode(), turn.reply.encode()
        values = (
            turn.step,
            len(self._text),
            len(input_),
            len(reply),
            (turn.event_time - EPOCH) // MICROSECOND,
            (turn.create_time - EPOCH) // MICROSECOND,
            self._number_of(turn.input_speaker),
            self._number_of(turn.reply_speaker),
            self._number_of(turn.writer),
            UNREAD,
        )
        for column, value in zip(self._columns, values, strict=True):
            column.insert(row, value)
        self._text += input_
        self._text += reply
        if turn.labels or turn.invocation_id or not turn.stated or turn.metadata_bytes:
            self._more[turn.step] = (turn.labels, turn.invocation_id, turn.stated, turn.metadata_bytes)

    def _remove(self, row: int) -> None:
        step, start, length = self._steps[row], self._starts[row], self._inputs[row] + self._replies[row]
        self._text[start : start + length] = bytes(length)
        self._dead += length
        self._more.pop(step, None)
        for column in self._columns:
            del column[row]
        if self._dead > len(self._text) // 2:
            self._close_up()

    def _close_up(self) -> None:
        """Moves the text together."""
        said, end = list[bytearray](), 0
        for row, start in enumerate(self._starts):
            said.append(self._text[start : start + self._inputs[row] + self._replies[row]])
            self._starts[row], end = end, end + len(said[-1])
        self._text, self._dead = bytearray(b"".join(said)), 0

    @property
    def _columns(self) -> tuple["array[int]", ...]:
        times = (self._said, self._made)
        names = (self._input_speakers, self._reply_speakers, self._writers)
        return (self._steps, self._starts, self._inputs, self._replies, *times, *names, self._worths)

    def _number_of(self, speaker: str) -> int:
        number = self._speakers.setdefault(speaker, len(self._names))
        if number == len(self._names):
            self._names.append(speaker)
        return number


_NOTHING_MORE: tuple[Mapping[str, str], str, bool, int] = ({}, "", True, 0)


def _time(micros: int) -> datetime:
    return EPOCH + timedelta(microseconds=micros)
