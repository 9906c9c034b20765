"""Cutting a verbatim text into segments, and segments into chunks.

Law: spans are ordered, do not overlap, hold no surrounding white space and leave out nothing but
white space: the text can be read off them. The work grows linearly with the text.

A segment is a paragraph, a message of a transcript or of a list in JSON, or as many list items,
table rows or lines of code as fit. Headings, and lines that announce a list, stay with what
follows them: alone they would be found and say nothing.
"""

import re
from collections.abc import Iterator, Sequence

from core.model.interaction import Span
from core.text import message_lists, outline, sentences
from core.text.tokens import TokenCounter, estimate

SEGMENT_LIMIT = 400  # code points; about a paragraph, and well inside every embedder's window
WHOLE_MESSAGE = 1_000  # code points; a message up to this is one segment, a longer one is cut like a document
LEAD_LENGTH = 200  # code points; a longer piece stands for itself, whatever it ends with
CUT_WINDOW = 80  # how far before the limit a space is looked for in a sentence that must be cut

WORDY = re.compile(r"[^\W_]")

Place = tuple[int, int]


def message_pieces(text: str) -> tuple[Span, ...]:
    """Returns the segments of one message: the whole, or, of a long one, as `segment` cuts a document; none for a
    blank one."""
    if not text.strip():
        return ()
    return (Span(start=0, end=len(text)),) if len(text) <= WHOLE_MESSAGE else segment(text)


def segment(text: str, limit: int = SEGMENT_LIMIT) -> tuple[Span, ...]:
    """Returns the places of the text's segments, each of at most `limit` code points; none for a blank text."""
    return tuple(Span(start=start, end=end) for start, end in _segments(text, limit))


def _segments(text: str, limit: int) -> Iterator[Place]:
    """Paragraphs cut to size, with what leads up to them where both fit together."""
    if listed := message_lists.messages(text):
        yield from _listed(text, [message.start for message in listed], limit)
        return
    names = outline.speakers(text)
    lead: Place | None = None
    for paragraph in outline.paragraphs(text):
        for start, end in _pieces(text, paragraph, limit, names):
            if lead is not None and end - lead[0] <= limit:
                start = lead[0]
            elif lead is not None:
                yield lead
            lead = (start, end) if _leads_up(text, start, end) else None
            if lead is None:
                yield start, end
    if lead is not None:
        yield lead


def _listed(text: str, starts: Sequence[int], limit: int) -> Iterator[Place]:
    """Yields a list of chat messages by message; the brackets and commas between them go with the one before."""
    for begin, finish in zip([0, *starts[1:]], [*starts[1:], len(text)], strict=True):
        start, end = _trim(text, begin, finish)
        if end - start <= limit:
            yield start, end
        else:
            yield from _packed(list(_units(text, start, end, limit, False)), limit)


def _pieces(text: str, paragraph: outline.Paragraph, limit: int, names: frozenset[str]) -> Iterator[Place]:
    """Yields one paragraph as segments: whole, by message, or packed from lines, sentences, parts of sentences."""
    start, end = _trim(text, paragraph.start, paragraph.end)
    opened = [] if paragraph.fenced else _openings(text, start, end, names)
    for begin, finish in zip([start, *opened], [*opened, end], strict=True):
        begin, finish = _trim(text, begin, finish)
        if finish - begin <= limit:
            yield begin, finish
        else:
            yield from _packed(list(_units(text, begin, finish, limit, paragraph.fenced)), limit)


def _openings(text: str, start: int, end: int, names: frozenset[str]) -> list[int]:
    """Returns where inside a paragraph a message or a heading's section begins."""
    found = []
    for line in outline.LINE.finditer(text, start, end):
        if line.start() == start:
            continue
        words = line.group()
        if outline.speaker_of(words) in names or outline.heading(words) is not None:
            found.append(line.start())
    return found


def _units(text: str, start: int, end: int, limit: int, fenced: bool) -> Iterator[Place]:
    """Yields the smallest parts wanted: lines of code, or sentences; those over the limit in parts."""
    inside = outline.LINE.finditer(text, start, end) if fenced else ()
    places = [_trim(text, *line.span()) for line in inside] if fenced else _sentences(text, start, end)
    for begin, finish in places:
        while finish - begin > limit:
            cut = _cut(text, begin, begin + limit)
            yield _trim(text, begin, cut)
            begin = _trim(text, cut, finish)[0]
        if begin < finish:
            yield begin, finish


def _sentences(text: str, start: int, end: int) -> list[Place]:
    return [
        (start + begin, start + finish)
        for begin, finish in sentences.spans(text[start:end], sentences.END_OF_STORED)
    ]


def _cut(text: str, start: int, end: int) -> int:
    """Returns where to cut a sentence that is too long: after the last space near the end, else at the end."""
    for position in range(end, max(start, end - CUT_WINDOW), -1):
        if text[position - 1].isspace() or text[position - 1] in ",，、;；|":
            return position
    return end


def _packed(units: Sequence[Place], limit: int) -> Iterator[Place]:
    """Joins neighbouring units into about equal segments within the limit."""
    whole = units[-1][1] - units[0][0]
    target = whole / -(-whole // limit)
    start, end = units[0]
    for begin, finish in units[1:]:
        if end - start >= target or finish - start > limit:
            yield start, end
            start = begin
        end = finish
    yield start, end


def _leads_up(text: str, start: int, end: int) -> bool:
    """Whether something must follow: a short place whose last words are a heading or end with a colon."""
    if end - start > LEAD_LENGTH:
        return False
    lines = text[start:end].splitlines()
    while lines and not WORDY.search(lines[-1]):
        lines.pop()
    if not lines:
        return True
    alone = len(lines) < 2 or not lines[-2].strip()
    heading = outline.lone_heading(lines[-1]) if alone else outline.heading(lines[-1])
    return heading is not None or lines[-1].rstrip("*_ ").endswith((":", "："))


def _trim(text: str, start: int, end: int) -> Place:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def chunks(texts: Sequence[str], limit: int, count: TokenCounter = estimate) -> Iterator[range]:
    """Groups consecutive segments into chunks of at most `limit` tokens, as ranges of their indexes.

    A chunk ends before the highest heading in its second half, else where it is full. A segment
    over the limit is a chunk of its own. Chunks are made as they are asked for.
    """
    start = 0
    while start < len(texts):
        end = _section_before(texts, start, _full(texts, start, limit, count))
        yield range(start, end)
        start = end


def _full(texts: Sequence[str], start: int, limit: int, count: TokenCounter) -> int:
    """Returns the index behind the last segment that fits a chunk from `start`, which holds one at least."""
    filled = 0
    for index in range(start, len(texts)):
        filled += count(texts[index])
        if filled > limit and index > start:
            return index
    return len(texts)


def _level(text: str) -> int:
    """Returns the level of the first heading that a segment opens with, 0 if it opens with none."""
    first = outline.LINE.search(text)
    found = outline.heading(first.group()) if first else None
    return found.level if found else 0


def _section_before(texts: Sequence[str], start: int, full: int) -> int:
    """Returns the best end for a chunk that is full before index `full`."""
    if full == len(texts):
        return full
    levels = {index: _level(texts[index]) for index in range(start + (full - start) // 2 + 1, full + 1)}
    sections = [index for index, level in levels.items() if level]
    return min(sections, key=lambda index: (levels[index], -index), default=full)
