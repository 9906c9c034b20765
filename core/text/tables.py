"""Rows that are cut off from the head of their table.

Law: pure; looks at forms only. A table is what `blocks` takes for one: rows on lines of their own, under a head and a
rule. It ends with its message.
"""

from collections.abc import Sequence

from core.model.interaction import Span
from core.text.blocks import SEPARATOR

Place = tuple[int, int]


def head_over(text: str, spans: Sequence[Span], number: int) -> str:
    """Returns the head, with the rule under it, of the table that a segment goes on with; "" where it goes on with
    none. `spans`: the segments of `text`."""
    own = spans[number]
    head = _head(text, own.start)
    if head is None:
        return ""
    while number and spans[number].start > head[0]:
        number -= 1
        if _voice(spans[number]) != _voice(own):
            return ""
    return text[head[0] : head[1]]


def _head(text: str, start: int) -> Place | None:
    """Returns where the head and the rule stand above a row that begins at `start`."""
    place = text.rfind("\n", 0, start) + 1
    if text[place:start].strip() or "|" not in _line(text, place):
        return None
    rule_end = -1
    while place > 0 and "|" in (line := _line(text, place := text.rfind("\n", 0, place - 1) + 1)):
        if rule_end >= 0:
            return place, rule_end
        if SEPARATOR.match(line.rstrip()):
            rule_end = place + len(line.rstrip())
    return None


def _line(text: str, start: int) -> str:
    end = text.find("\n", start)
    return text[start:] if end < 0 else text[start:end]


def _voice(span: Span) -> tuple[str, str, str]:
    return span.message_id, span.role, span.speaker
