"""Segments in the order in which things were said, as arrays by position.

Law: interactions are added behind all others, so a segment keeps its position: its interaction's first one plus its
index. The positions of a dropped one stay, masked, and are never given again. Whatever scoring wants to know of a
segment's place is a number in an array, found without asking Python once per segment.
"""

import re
import unicodedata
from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.ids import InteractionId, SegmentRef
from core.model.interaction import Interaction
from core.text.acknowledgements import acknowledges
from core.text.analysis import STOP_WORDS
from core.text.persons import speaks_of_itself
from core.text.questions import asks
from core.text.scripts import WIDE
from core.text.times import names_time

Positions = NDArray[np.int64]

SITTING = 6 * 3600.0
"""Seconds without a word after which an interaction's next segment belongs to another sitting."""

MASKED = 0
"""The sitting of positions whose segments were dropped: nothing that is there belongs to it."""

ASKER, ANSWERER = 1, 2
"""The author of a message in a chat with an assistant: the user, or the assistant; 0 where no role names one."""

_VOICES = {"user": ASKER, "human": ASKER, "assistant": ANSWERER, "ai": ANSWERER, "model": ANSWERER}
_WORD = re.compile(r"\w+")


def voice(role: str) -> int:
    """Returns whose a message of this role is in a chat with an assistant."""
    return _VOICES.get(role.lower(), 0)


class SegmentMarks(NamedTuple):
    """What the texts of an interaction's segments tell by themselves: a number for each of them, in order."""

    acknowledges: "array[int]"
    asks: "array[int]"
    of_itself: "array[int]"
    dated: "array[int]"


def marks_of(interaction: Interaction) -> SegmentMarks:
    """Reads an interaction's segments: a millisecond for 2,000 characters. Pure: may run in another thread."""
    texts = [interaction.text[span.start : span.end] for span in interaction.spans]
    looks = (acknowledges, asks, speaks_of_itself, names_time)
    return SegmentMarks(*(array("b", map(look, texts)) for look in looks))


class SegmentOrder:
    """Positions of segments, and by position: sitting, speaker, time, start, length, whether it asks, merely
    acknowledges, says "I" and names a time, and its author in a chat with an assistant.

    A *sitting* is a run of an interaction's segments without a long pause: what was said at a stretch.
    """

    def __init__(self) -> None:
        self._first: dict[InteractionId, int] = {}
        self._refs: list[SegmentRef] = []
        self._sitting = array("i")
        self._speaker = array("i")
        self._time = array("d")
        self._start = array("i")
        self._length = array("i")
        self._asks = array("b")
        self._acknowledges = array("b")
        self._of_itself = array("b")
        self._dated = array("b")
        self._voice = array("b")
        self._sittings = 0
        self._dropped = 0
        self._speakers: dict[str, int] = {"": 0}
        self._called: dict[str, set[int]] = {}  # a word of a name → the speakers who have it
        self._wide_names: dict[str, int] = {}  # names without spaces between words: looked for as they are
        self._earliest, self._latest = np.inf, -np.inf

    def __len__(self) -> int:
        return len(self._refs)

    def __contains__(self, ref: SegmentRef) -> bool:
        position = self._first.get(ref.interaction_id, len(self._refs)) + ref.index
        return position < len(self._refs) and self._refs[position] == ref

    @property
    def living(self) -> int:
        """How many segments there are; `len` counts the positions of dropped ones, too."""
        return len(self._refs) - self._dropped

    def add(
        self,
        interaction: Interaction,
        after: InteractionId | None = None,
        marks: SegmentMarks | None = None,
    ) -> None:
        """Puts a new interaction's segments behind all others. `after`: the interaction that this one goes on from, if
        that is there and the last one. `marks`: what `marks_of` it is, if that is known already."""
        marks = marks or marks_of(interaction)
        sitting, before = self._sittings, -np.inf
        if after is not None and after in self._first and self._refs[-1].interaction_id == after:
            sitting, before = self._sitting[-1], self._time[-1]
        self._first[interaction.interaction_id] = len(self._refs)
        for index, span in enumerate(interaction.spans):
            time = (span.event_time or interaction.event_time).timestamp()
            if abs(time - before) > SITTING:
                sitting = self._next_sitting()
            before = time
            self._refs.append(SegmentRef(interaction.interaction_id, index))
            self._sitting.append(sitting)
            self._speaker.append(self._number_of(span.speaker))
            self._time.append(time)
            self._start.append(span.start)
            self._length.append(span.end - span.start)
            self._voice.append(voice(span.role))
            self._earliest, self._latest = min(self._earliest, time), max(self._latest, time)
        self._acknowledges += marks.acknowledges
        self._asks += marks.asks
        self._of_itself += marks.of_itself
        self._dated += marks.dated

    def drop(self, interaction_id: InteractionId, count: int) -> None:
        """Masks the `count` segments of an interaction. What their sitting holds behind them becomes a sitting of its
        own: how much was said between is not known any more."""
        first = self._first.pop(interaction_id)
        end = first + count
        sittings, times = self.sittings, self.times
        for sitting in np.unique(sittings[first:end]).tolist():
            behind = sittings[end:] == sitting
            if behind.any():
                sittings[end:][behind] = self._next_sitting()
        sittings[first:end] = MASKED
        self._dropped += count
        dropped = times[first:end]
        if count and (dropped.min() <= self._earliest or dropped.max() >= self._latest):
            living = times[sittings != MASKED]
            self._earliest, self._latest = living.min(initial=np.inf), living.max(initial=-np.inf)

    def _next_sitting(self) -> int:
        self._sittings += 1
        return self._sittings

    def _number_of(self, speaker: str) -> int:
        number = self._speakers.get(speaker)
        if number is None:
            number = self._speakers[speaker] = len(self._speakers)
            name = _plain(speaker)
            if WIDE.search(name):
                self._wide_names[name] = number
            for word in _WORD.findall(name):
                if len(word) > 1 and word not in STOP_WORDS:
                    self._called.setdefault(word, set()).add(number)
        return number

    # ---- reads ----

    @property
    def period(self) -> tuple[float, float]:
        """The first and the last time of any segment, in seconds since 1970; the former larger if there is none."""
        return self._earliest, self._latest

    def position(self, ref: SegmentRef) -> int:
        return self._first[ref.interaction_id] + ref.index

    def bounds(self, ref: SegmentRef) -> tuple[int, int]:
        """Returns where a segment begins and ends in its interaction's text."""
        position = self.position(ref)
        start = self._start[position]
        return start, start + self._length[position]

    def known(self, ref: SegmentRef) -> SegmentRef:
        """Returns the one object that names a segment of this bank here; any other segment as it is."""
        return self._refs[self.position(ref)] if ref in self else ref

    def of(self, interaction_id: InteractionId, count: int) -> list[SegmentRef]:
        """Returns the `count` segments of an interaction, by the same objects."""
        first = self._first[interaction_id]
        return self._refs[first : first + count]

    def has(self, interaction_id: InteractionId) -> bool:
        return interaction_id in self._first

    def all_of(self, interaction_id: InteractionId) -> list[SegmentRef]:
        """Returns all segments of an interaction, by the same objects."""
        first = end = self._first[interaction_id]
        while end < len(self._refs) and self._refs[end].interaction_id == interaction_id:
            end += 1
        return self._refs[first:end]

    def positions(self, refs: Iterable[SegmentRef]) -> Positions:
        """Returns the positions of segments of this bank."""
        first = self._first
        return np.array([first[name] + index for name, index in refs], dtype=np.int64)

    @property
    def every_ref(self) -> Sequence[SegmentRef]:
        """By position, dropped ones among them. To be read before the next `add`."""
        return self._refs

    def refs(self, positions: Positions) -> list[SegmentRef]:
        return [self._refs[position] for position in positions.tolist()]

    def around(self, positions: Positions, reach: int) -> Positions:
        """Returns these positions and those at most `reach` away in the same sitting; ascending, each once."""
        near: Positions = positions[:, None] + np.arange(-reach, reach + 1)
        near.clip(0, len(self) - 1, out=near)
        sittings = self.sittings
        near = near[sittings[near] == sittings[positions][:, None]]
        near.sort()
        once = np.ones(len(near), np.bool_)
        np.not_equal(near[1:], near[:-1], out=once[1:])
        found: Positions = near[once]
        return found

    @property
    def sittings(self) -> NDArray[np.intc]:
        """By position. To be read before the next `add`, like the other arrays."""
        return np.frombuffer(self._sitting, np.intc)

    @property
    def times(self) -> NDArray[np.float64]:
        """Event times by position, in seconds since 1970."""
        return np.frombuffer(self._time, np.float64)

    @property
    def lengths(self) -> NDArray[np.intc]:
        """By position, in characters."""
        return np.frombuffer(self._length, np.intc)

    @property
    def asking(self) -> NDArray[np.int8]:
        """By position: 1 for what ends by asking."""
        return np.frombuffer(self._asks, np.int8)

    @property
    def dated(self) -> NDArray[np.int8]:
        """By position: 1 for what names a time."""
        return np.frombuffer(self._dated, np.int8)

    @property
    def voices(self) -> NDArray[np.int8]:
        """By position: ASKER, ANSWERER or 0."""
        return np.frombuffer(self._voice, np.int8)

    def acknowledging(self, positions: Positions) -> NDArray[np.bool_]:
        """Finds at which of the positions it is only said that something was heard. A mere "yes" behind a question
        answers it, as long as the question is there."""
        before = np.maximum(positions - 1, 0)
        sittings, merely = self.sittings, np.frombuffer(self._acknowledges, np.int8)[positions] > 0
        asked = (sittings[positions] == sittings[before]) & (self.asking[before] > 0) & (positions > 0)
        found: NDArray[np.bool_] = merely & ~asked
        return found

    def told_by(self, positions: Positions, speakers: Sequence[int]) -> NDArray[np.bool_]:
        """Finds at which of the positions one of these speakers speaks in the first person."""
        spoke = np.frombuffer(self._speaker, np.intc)[positions]
        found = np.zeros(len(positions), np.bool_)
        for speaker in speakers:
            found |= spoke == speaker
        return found & (np.frombuffer(self._of_itself, np.int8)[positions] > 0)

    def speakers_in(self, text: str) -> list[int]:
        """Returns the speakers whom a text calls by name, or by a word of their name."""
        if len(self._speakers) == 1:
            return []
        said = _plain(text)
        called: set[int] = set()
        for word in _WORD.findall(said):
            called |= self._called.get(word, set())
        called.update(number for name, number in self._wide_names.items() if name in said)
        return sorted(called)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
