"""What each segment of a record says, and in which place: two segments with one fingerprint say the same.

Law: pure. Of a transcript the words count that it tells, without labels, thoughts and calls. Headings are no words of
what stands under them, they are its place. A heading, a thought or a call says nothing by itself.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from itertools import groupby, islice, takewhile
from typing import NamedTuple

from core.model.interaction import Interaction, Span
from core.text import outline, transcript
from core.text.outline import Heading
from core.text.times import depends_on_the_day
from core.text.wording import words_of
from core.verbatim.segment_order import ANSWERER, voice

Place = tuple[int, int]


class Fingerprint(NamedTuple):
    """The words of a segment (`words_of`), the headings above them, the speaker and their voice, and, where the words
    mean another day on another day ("tomorrow"), the day that the caller stated. A heading alone has no words."""

    words: str
    headings: tuple[str, ...]
    speaker: str
    voice: int
    day: date | None

    @property
    def says_nothing(self) -> bool:
        """Whether it is a thought, a call or the like."""
        return not self.words and not self.headings


class _Stretch(NamedTuple):
    """A stretch that tells something, from `start` to `end` of a text: whose voice it is, and the headings in it."""

    start: int
    end: int
    voice: int
    titles: "Sequence[_Title]"


class _Title(NamedTuple):
    """A heading's line, and the words of the headings above it and of its own, the highest first."""

    start: int
    end: int
    path: tuple[str, ...]


def fingerprints(record: Interaction) -> list[Fingerprint]:
    """Returns that of each segment, in order."""
    made: list[Fingerprint] = []
    for _, spans in groupby(record.spans, _message):
        message = list(spans)
        told = list(_told(record.text, message))
        made += (_fingerprint(record, span, told) for span in message)
    return made


def stated_time(record: Interaction, span: Span) -> datetime | None:
    """Returns when a segment's event took place, if the caller said so."""
    return span.event_time or (record.event_time if record.event_time != record.create_time else None)


def _message(span: Span) -> tuple[object, ...]:
    return span.message_id, span.role, span.speaker, span.event_time


def _told(text: str, message: Sequence[Span]) -> Iterator[_Stretch]:
    """Yields the stretches of a message that tell something: the whole of what is no transcript."""
    begin, stop = message[0].start, message[-1].end
    own = voice(message[0].role)
    parts = transcript.parts(text[begin:stop])
    if not parts or any(part.whole for part in parts):
        yield _Stretch(begin, stop, own, _titles(text, begin, stop))
        return
    for part in parts:
        end = begin + part.end
        start = end - len(part.text)
        if part.kind in transcript.TOLD and text[start:end] == part.text:
            yield _Stretch(start, end, _voice_of(part, own), _titles(text, start, end))


def _voice_of(part: transcript.Part, own: int) -> int:
    """Returns the voice of a part: answers are the agent's, what it found is not."""
    if part.kind is transcript.Kind.ANSWER:
        return ANSWERER
    return 0 if part.kind is transcript.Kind.OBSERVATION else own


def _titles(text: str, start: int, end: int) -> list[_Title]:
    found: list[_Title] = []
    above: list[tuple[int, str]] = []
    stretch = text[start:end]
    for line, heading in _headings(stretch):
        above = [each for each in above if each[0] < heading.level]
        above.append((heading.level, words_of(heading.title)))
        found.append(_Title(start + line[0], start + line[1], tuple(words for _, words in above)))
    return found


def _headings(text: str) -> Iterator[tuple[Place, Heading]]:
    """Yields the headings of a text with their lines."""
    for paragraph in outline.paragraphs(text):
        if paragraph.fenced:
            continue
        inside = outline.LINE.finditer(text, paragraph.start, paragraph.end)
        lines = [line for line in inside if not line.group().isspace()]
        read = outline.lone_heading if len(lines) == 1 else outline.heading
        for line in lines:
            if heading := read(line.group()):
                yield line.span(), heading


def _fingerprint(record: Interaction, span: Span, stretches: Sequence[_Stretch]) -> Fingerprint:
    bodies: list[str] = []
    above: tuple[str, ...] = ()
    spoken = 0
    first = bisect_right(stretches, span.start, key=lambda told: told.end)
    for told in takewhile(lambda told: told.start < span.end, islice(stretches, first, None)):
        start, end = max(told.start, span.start), min(told.end, span.end)
        if start < end:
            bodies += (record.text[slice(*place)] for place in _bodies(told.titles, start, end))
            above += _path(told.titles, end)
            spoken = max(spoken, told.voice)
    said = " ".join(bodies)
    stated = stated_time(record, span) if depends_on_the_day(said) else None
    return Fingerprint(words_of(said), above, span.speaker, spoken, stated.date() if stated else None)


def _bodies(titles: Sequence[_Title], start: int, end: int) -> Iterator[Place]:
    """Yields what stands from `start` to `end` beside headings."""
    for title in titles[_before(titles, start) : _before(titles, end)]:
        yield start, title.start
        start = title.end
    yield start, end


def _path(titles: Sequence[_Title], end: int) -> tuple[str, ...]:
    """Returns the headings that hold just before `end`, the highest first."""
    count = _before(titles, end)
    return titles[count - 1].path if count else ()


def _before(titles: Sequence[_Title], place: int) -> int:
    """Returns how many headings begin before a place."""
    return bisect_left(titles, place, key=lambda title: title.start)
