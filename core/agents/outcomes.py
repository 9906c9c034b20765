"""What must stay of an agent's steps when they are told in fewer words: decisions, results with figures, errors.

Law: pure; every word of it stands in the items. English and Chinese alike.
"""

import re

from core.model.invocation import Item, ItemType
from core.text import sentences

READ = 20_000  # characters of an item that are looked at
FIGURES = 24  # of a result
PIECE = 200  # characters of a decision, an error line, a sentence

FIGURE = re.compile(
    r"(?:[^\W\d_]{1,16}[ \t]?[:=：]?[ \t]?)?[$€£¥+-]?\d+(?:[.,:/-]\d+)*(?:[ \t]?(?:%|°|[^\W\d_]{1,8}))?"
)
ERROR_WORDS = (
    *("error", "exception", "fail", "denied", "refused", "invalid", "traceback", "unavailable"),
    *("timeout", "time out", "timed out", "timedout", "not found"),
    *("错误", "异常", "失败", "超时", "拒绝", "无效", "找不到", "不存在"),
)


def essence(item: Item) -> str:
    """Returns what must stay of an item: a decision's first sentence, the outcome of a call; empty where nothing
    must."""
    if item.type is ItemType.DECISION:
        return first_sentence(item.content)
    tells = item.type is ItemType.OBSERVATION or (item.type is ItemType.ACTION and item.failed)
    return outcome(item) if tells else ""


def is_telling(item: Item) -> bool:
    """Tells whether anything of an item must stay: `essence` is not empty, found out without all of it."""
    if item.type is ItemType.OBSERVATION and FIGURE.search(item.content, 0, READ):
        return True
    return bool(essence(item))


def outcome(item: Item) -> str:
    """Returns what must stay of a tool's result: its first error line, and its figures."""
    error = error_line(item)
    return "; ".join(filter(None, (error, ", ".join(figures(item.content, error)))))


def error_line(item: Item) -> str:
    """Returns the first line of an item that reports an error, behind the error's type; empty where nothing failed."""
    lines = [" ".join(line.split()) for line in item.content[:READ].splitlines() if line.strip()]
    line = next(filter(_tells_of_error, lines), "")
    if not item.failed:
        return clipped(line)
    line = line or (lines[0] if lines else "")
    known = item.error_type and item.error_type not in line
    return clipped(f"{item.error_type}: {line}" if known and line else line or item.error_type)


def _tells_of_error(line: str) -> bool:
    lowered = line.lower()  # and searched word by word: a pattern of them all takes ten times as long
    return any(word in lowered for word in ERROR_WORDS)


def figures(text: str, apart: str = "") -> list[str]:
    """Returns the figures of a text, each with the word before and the unit behind it, once; those of `apart` left
    out."""
    found: dict[str, None] = {}
    for match in FIGURE.finditer(text[:READ]):
        figure = " ".join(match[0].split())
        if figure not in apart:
            found[figure] = None
            if len(found) == FIGURES:
                break
    return list(found)


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
