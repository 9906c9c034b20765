"""What fits into a model's window, and what becomes of what does not.

Law: pure. Sizes are estimated (`core.text.tokens`), erring high. A text that is too long is
shortened in one way only: its first and last sentences stay, a line says that something is left out.
"""

from collections.abc import Sequence
from typing import TypeVar

from core.text.segmenting import SEGMENT_LIMIT, chunks, segment
from core.text.tokens import estimate

REPLY_ROOM = 4_096  # tokens kept for a reply, of a large window
SHAPE_ROOM = 512  # tokens kept for the form of a reply: endpoints count it in
LEFT_OUT = "[… left out …]"
HEAD_SHARE = 2 / 3  # of a shortened text: beginnings say more, but conclusions stand at the end
CODE_POINTS_PER_TOKEN = 8  # more than any text but blanks has

Item = TypeVar("Item")


def reply_room(window: int) -> int:
    """Returns the tokens kept for a reply."""
    return min(REPLY_ROOM, window // 4)


def room(window: int, system: str) -> int:
    """Returns the tokens a user's message may take beside the system message, the form of the reply, and the reply."""
    return max(window - reply_room(window) - SHAPE_ROOM - estimate(system), window // 4, 1)


def shortened(text: str, limit: int) -> str:
    """Returns the text, or its beginning and end with a line between, within `limit` tokens."""
    if len(text) <= CODE_POINTS_PER_TOKEN * limit and estimate(text) <= limit:
        return text
    limit = max(limit - estimate(LEFT_OUT), 1)
    reach = CODE_POINTS_PER_TOKEN * limit
    head = _filled(text[:reach], int(limit * HEAD_SHARE), backwards=False)
    tail = _filled(text[-reach:], limit - int(limit * HEAD_SHARE), backwards=True)
    return "\n".join(filter(None, (head, LEFT_OUT, tail)))


def _filled(text: str, limit: int, *, backwards: bool) -> str:
    """Returns as many pieces of the text from one of its ends as fit."""
    spans = segment(text, max(1, min(SEGMENT_LIMIT // 2, limit // 4)))
    if not spans:
        return ""
    begin = end = spans[-1].end if backwards else spans[0].start
    for span in reversed(spans) if backwards else spans:
        limit -= estimate(text[span.start : begin] if backwards else text[end : span.end])
        if limit < 0:
            break
        begin, end = (span.start, end) if backwards else (begin, span.end)
    return text[begin:end]


def parts(text: str, limit: int) -> list[str]:
    """Returns the whole text in consecutive parts of at most `limit` tokens, cut where sections or paragraphs end."""
    if estimate(text) <= limit:
        return [text]
    spans = segment(text, max(1, min(SEGMENT_LIMIT, limit // 3)))
    starts = [span.start for span in spans]
    texts = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    return [text[spans[chunk[0]].start : spans[chunk[-1]].end] for chunk in chunks(texts, limit)]


def batches(items: Sequence[Item], sizes: Sequence[int], limit: int) -> list[list[Item]]:
    """Returns the items in order, in as few calls as their sizes allow; one over the limit goes alone."""
    made: list[list[Item]] = []
    filled = 0
    for item, size in zip(items, sizes, strict=True):
        if not made or filled + size > limit:
            made.append([])
            filled = 0
        made[-1].append(item)
        filled += size
    return made


def shares(sizes: Sequence[int], limit: int) -> list[int]:
    """Returns how much of each size is granted so that all fit: small ones in full, the others alike."""
    granted = [0] * len(sizes)
    left, waiting = limit, sorted(range(len(sizes)), key=lambda index: sizes[index])
    while waiting:
        index = waiting.pop(0)
        granted[index] = min(sizes[index], left // (len(waiting) + 1))
        left -= granted[index]
    return granted
