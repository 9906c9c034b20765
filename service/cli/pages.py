"""From the lines that a PDF draws to the text that was written: wrapped lines joined, paragraphs parted.

Law: pure. Words stay in their order; what goes is line breaks inside paragraphs, hyphens at them, the lines that head
or foot many pages, and the entries of a table of contents. Pages are joined by a form feed each: the page of any place
is the number of those before it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeVar

from core.text.scripts import display_width

Line = TypeVar("Line", int, str)

PAGE_BREAK = "\f"
FULL_LINE = 0.7  # of the page's width; a shorter line was ended, not wrapped
USUAL = 0.9  # the quantile of line widths that counts as the page's width
RUNNING = (
    0.3  # of all pages; lines at the edge of so many belong to the page: left and right pages may differ
)
FEWEST_PAGES = 3  # with fewer, a line that comes twice may well be text
TALL = 8  # lines; of a page of so many two at its top and foot may be the page's, else one
FEWEST_ENTRIES = 3  # of a table of contents

ENDED = re.compile(r"[.!?:;。！？：；…][\"'”’」』）)\]]*$")
ITEM = re.compile(r"\s*(?:[-*•▪◦–]\s|\(?\d{1,3}[.)、]\s?|[（(]?[一二三四五六七八九十]{1,3}[、）)])")
HYPHENATED = re.compile(r"[^\W\d_][-\u2010\u00ad]$")
ENTRY = re.compile(r".*[^\W\d_].*?(?:\.{4,}|(?: ?\. ){3,}\.?|…{2,}|·{4,}|_{4,})\s*(?:\d{1,4}|[ivxlc]{1,6})$")
"""An entry of a table of contents: dots lead to a page number."""
NUMBERED = re.compile(r".*[^\W\d_].*\s\d{1,4}$")
CONTENTS = re.compile(r"(?:table of )?contents|目\s*[录錄次]", re.IGNORECASE)
CJK = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
OWN_LINE = re.compile(r"\s|$|[#>|]|```|~~~|(?:[-*+•–]|\d{1,3}[.)、])\s?")
"""A line that does not go on with the sentence before it."""
STANDS_ALONE = re.compile(r"\s*(?:[#|]|```|~~~)|\s{4}")
"""A line that no other goes on with."""
SOFT_HYPHEN = re.compile("\u00ad(?!$)")
DIGITS = re.compile(r"\d+")


def text_of(pages: Sequence[str]) -> str:
    """Joins the pages to one text. A sentence that runs over a page break stays one."""
    running = _running_lines(pages)
    text = ""
    for number, page in enumerate(pages):
        written = _written(_lines(page, running))
        if number:
            wrapped = text and written and not ENDED.search(text) and not text[-1].isspace()
            text += PAGE_BREAK if wrapped else f"\n\n{PAGE_BREAK}"
        text += written
    return text


def page_of(text: str, offset: int) -> int:
    """Counts the page, from 1, that the code point at `offset` stands on."""
    return text.count(PAGE_BREAK, 0, offset) + 1


def rejoined(text: str, width: int) -> str:
    """Joins the lines of paragraphs, to be wrapped anew; a text that fits `width` columns stays as it is.

    Headings, items, tables, quotations and what is indented or fenced stay lines of their own; so does a short line.
    """
    lines = text.splitlines()
    if all(display_width(line) <= width for line in lines):
        return text
    widths = sorted(display_width(line) for line in lines if line.strip())
    full = FULL_LINE * widths[int(USUAL * (len(widths) - 1))]
    said: list[str] = []
    goes_on = fenced = False
    for line in lines:
        if goes_on and not OWN_LINE.match(line):
            between = "" if CJK.match(said[-1][-1]) and CJK.match(line[0]) else " "
            said[-1] += between + line
        else:
            said.append(line)
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        goes_on = not fenced and display_width(line) >= full and not STANDS_ALONE.match(line)
    return "\n".join(said)


def _lines(page: str, running: frozenset[str]) -> list[str]:
    """Tidies the page's lines, and leaves out those that many pages have at their edge."""
    lines = [" ".join(SOFT_HYPHEN.sub("", line).split()) for line in page.splitlines()]
    kept = [number for number, line in enumerate(lines) if line]
    edge = set(_edges(kept))
    own = [line for number, line in enumerate(lines) if number not in edge or _form(line) not in running]
    return _without_contents(own)


def _without_contents(lines: list[str]) -> list[str]:
    """Leaves out the entries of a table of contents, which say where things are, not what they are."""
    named = [line for line in lines if CONTENTS.fullmatch(line)]
    entries = {line for line in lines if ENTRY.fullmatch(line) or (named and NUMBERED.fullmatch(line))}
    if len(entries) < FEWEST_ENTRIES or (named and 2 * len(entries) < sum(map(bool, lines))):
        return lines
    return [line for line in lines if line not in entries and line not in named]


def _running_lines(pages: Sequence[str]) -> frozenset[str]:
    if len(pages) < FEWEST_PAGES:
        return frozenset()
    seen: Counter[str] = Counter()
    for page in pages:
        lines = [" ".join(line.split()) for line in page.splitlines() if line.strip()]
        seen.update({_form(line) for line in _edges(lines)})
    least = max(FEWEST_PAGES, RUNNING * len(pages))
    return frozenset(form for form, times in seen.items() if times >= least)


def _edges(lines: list[Line]) -> list[Line]:
    """Takes the lines that may head or foot a page."""
    depth = 2 if len(lines) >= TALL else 1
    return lines[:depth] + lines[-depth:]


def _form(line: str) -> str:
    """Takes the page number out of a line."""
    return DIGITS.sub("#", line)


def _written(lines: Sequence[str]) -> str:
    widths = sorted(display_width(line) for line in lines if line)
    full = FULL_LINE * widths[int(USUAL * (len(widths) - 1))] if widths else 0.0
    text = ""
    for paragraph in _paragraphs(lines, full):
        text += ("\n" if ITEM.match(paragraph) else "\n\n") * bool(text) + paragraph
    return text


def _paragraphs(lines: Sequence[str], full: float) -> Iterator[str]:
    paragraph, wrapped = "", False
    for line in lines:
        if paragraph and (not line or not wrapped or ITEM.match(line)):
            yield paragraph
            paragraph = ""
        if line:
            paragraph = _joined(paragraph, line)
            wrapped = display_width(line) >= full
    if paragraph:
        yield paragraph


def _joined(before: str, line: str) -> str:
    if not before:
        return line
    if HYPHENATED.search(before) and line[0].islower():
        return before[:-1] + line
    between = "" if CJK.match(before[-1]) and CJK.match(line[0]) else " "
    return f"{before}{between}{line}"
