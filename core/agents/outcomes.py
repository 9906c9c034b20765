"""What must stay of an agent's steps when they are told in fewer words: decisions, what results state, errors.

Law: pure; every word of it stands in the items. English and Chinese alike.
"""

import re
from collections.abc import Mapping

from core.agents.results import NOTHING_ASKED, telling, tells_of_error
from core.model.invocation import Item, ItemType
from core.text import sentences
from core.text.tokens import estimate

READ = 20_000  # characters of an item that are looked at
ESSENCE = 50  # tokens of what must stay of a result
SHORTEST = 8  # tokens that a statement has at least, where another stands before it
MOST_STATEMENTS = 3  # of a result, behind its error
PIECE = 200  # characters of a decision, an error line, a sentence

FIGURE = re.compile(
    r"(?:[^\W\d_]{1,16}[ \t]?[:=：]?[ \t]?)?[$€£¥+-]?\d+(?:[.,:/-]\d+)*(?:[ \t]?(?:%|°|[^\W\d_]{1,8}))?"
)


def essence(item: Item) -> str:
    """Returns what must stay of an item: a decision's first sentence, the outcome of a call; empty where nothing
    must."""
    if item.type is ItemType.DECISION:
        return first_sentence(item.content)
    return gist(item, ESSENCE) if is_telling(item) else ""


def is_telling(item: Item) -> bool:
    """Whether anything of an item must stay: a decision, a failure, a result with a figure or an error."""
    if item.type is ItemType.DECISION:
        return bool(first_sentence(item.content))
    if item.type is ItemType.OBSERVATION:
        return bool(FIGURE.search(item.content) or error_line(item))
    return item.type is ItemType.ACTION and item.failed and bool(error_line(item))


def gist(
    item: Item,
    room: int,
    asked: Mapping[str, float] = NOTHING_ASKED,
    common: frozenset[str] = frozenset(),
) -> str:
    """Returns within `room` tokens what an item comes to: its first error line, and what else it states, the most
    telling first. `asked`, `common`: as of `telling`."""
    error = error_line(item)
    parts = [_within(error, room)] if error else []
    left = room - sum(map(estimate, parts))
    for statement in telling(item.content, asked, common) if left > SHORTEST else ():
        if error and (statement in error or error in statement):
            continue
        shown = statement if estimate(statement) <= left else "" if parts else _within(statement, left)
        if shown:
            parts.append(shown)
            left -= estimate(shown) + 1
        if left <= SHORTEST or len(parts) > MOST_STATEMENTS:
            break
    return "; ".join(parts)


def _within(text: str, room: int) -> str:
    """Returns a text, or its beginning, within `room` tokens; half a figure would be another one."""
    if estimate(text) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if estimate(text[:middle]) < room else (low, middle - 1)
    while low and text[low : low + 1].isdigit() and text[low - 1].isdigit():
        low -= 1
    return f"{text[:low].rstrip()}…" if low else ""


def error_line(item: Item) -> str:
    """Returns the first line of an item that reports an error, behind the error's type; empty where nothing failed."""
    lines = [" ".join(line.split()) for line in item.content.splitlines() if line.strip()]
    line = next(filter(tells_of_error, lines), "")
    if not item.failed:
        return clipped(line)
    line = line or (lines[0] if lines else "")
    known = item.error_type and item.error_type not in line
    return clipped(f"{item.error_type}: {line}" if known and line else line or item.error_type)


def first_sentence(text: str) -> str:
    first = next(iter(sentences.split(text[:READ])), "")
    return clipped(" ".join(first.split()))


def clipped(text: str) -> str:
    if len(text) <= PIECE:
        return text
    end = PIECE
    while end and text[end].isdigit() and text[end - 1].isdigit():
        end -= 1  # half a figure would be another one
    return text[:end].rstrip() + "…"
