"""The point at issue of two contradicting sentences, in one line: subject and attribute, then both values.

Law: pure and extractive. The values come with their units, whole words of them; what stands around the new one in
its sentence names the matter.
"""

import re

from core.text.chinese import tagged
from core.text.scripts import is_chinese

LONGEST_MATTER = (
    120  # code points of what names the matter: its beginning has the subject, its end the attribute
)
HEAD_SHARE = 2 / 3
ELLIPSIS = "…"
WORD = re.compile(r"[ \u00a0]?[^\W\d_]+|%|[ ]?[°€$£¥]\w?")
EDGES = " \t\n,;:，；：、-–—*_`#>|"
ENDS = " \t\n.。!！?？;；,，"
UNIT_KINDS = ("q", "n", "m", "x", "eng")


def at_issue(ours: str, value: str, theirs: str, other: str) -> str:
    """Returns what two sentences contradict each other in, given the words of each that differ."""
    chinese = is_chinese(ours)
    value, other = _with_units(ours, value, theirs, other, chinese)
    matter = _matter(ours, value)
    if chinese:
        return f"{matter}：“{value}”与“{other}”矛盾" if matter else f"“{value}”与“{other}”矛盾"
    return f"{matter}: “{value}” contradicts “{other}”" if matter else f"“{value}” contradicts “{other}”"


def _with_units(ours: str, value: str, theirs: str, other: str, chinese: bool) -> tuple[str, str]:
    """Extends both values to the ends of their words; figures with the unit that both sentences have after them."""
    a, b = _whole(ours, value, chinese), _whole(theirs, other, chinese)
    if not (a[-1:].isdigit() and b[-1:].isdigit()):
        return a, b
    unit, same = _next_word(ours, a, chinese), _next_word(theirs, b, chinese)
    return (a + unit, b + unit) if unit.strip() and unit == same else (a, b)


def _whole(sentence: str, value: str, chinese: bool) -> str:
    start = sentence.find(value)
    if start < 0 or not value:
        return value
    end = start + len(value)
    if chinese:
        place = 0
        for word in tagged(sentence):
            place += len(word.text)
            if place >= end:
                return sentence[start:place] if place - len(word.text) < end else value
        return value
    while end < len(sentence) and sentence[end].isalnum():
        end += 1
    return sentence[start:end]


def _next_word(sentence: str, value: str, chinese: bool) -> str:
    """Returns the word behind a value; of Chinese only what can be a unit."""
    place = sentence.find(value)
    rest = sentence[place + len(value) :] if place >= 0 else ""
    if not chinese or (rest[:1].isascii() and rest[:1].strip()):
        found = WORD.match(rest)
        return found.group() if found else ""
    first = next(iter(tagged(rest)), None) if rest else None
    return (
        first.text if first is not None and first.kind.startswith(UNIT_KINDS) and first.text.isalpha() else ""
    )


def _matter(sentence: str, value: str) -> str:
    """Returns the sentence up to its value, or where it begins with that what follows."""
    line = " ".join(sentence.split())
    start = line.find(" ".join(value.split()))
    if start < 0:
        return _clipped(line.rstrip(ENDS))
    before = line[:start].strip(EDGES).rstrip("“\"'「『（(")
    if any(map(str.isalnum, before)):
        return _clipped(before.rstrip(EDGES))
    after = line[start + len(value) :].strip(EDGES).rstrip(ENDS)
    return _clipped(f"{ELLIPSIS} {after}") if after else ""


def _clipped(text: str) -> str:
    if len(text) <= LONGEST_MATTER:
        return text
    head = int(LONGEST_MATTER * HEAD_SHARE)
    return f"{text[:head].rstrip()} {ELLIPSIS} {text[head - LONGEST_MATTER :].lstrip()}"
