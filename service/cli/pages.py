"""From the lines that a PDF draws to the text that was written: wrapped lines joined, paragraphs parted.

Law: pure. Words stay in their order; what goes is line breaks inside paragraphs, hyphens at them, and the lines that
head or foot most pages. Pages are joined by a form feed each: the page of any place is the number of those before it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from core.text.scripts import display_width

PAGE_BREAK = "\f"
FULL_LINE = 0.7  # of the page's width; a shorter line was ended, not wrapped
USUAL = 0.9  # the quantile of line widths that counts as the page's width
RUNNING = 0.5  # of all pages; lines at the edge of so many belong to the page, not to the text
FEWEST_PAGES = 3  # with fewer, a line that comes twice may well be text

ENDED = re.compile(r"[.!?:;。！？：；…][\"'”’」』）)\]]*$")
ITEM = re.compile(r"\s*(?:[-*•▪◦–]\s|\(?\d{1,3}[.)、]\s?|[（(]?[一二三四五六七八九十]{1,3}[、）)])")
HYPHENATED = re.compile(r"[^\W\d_]-$")
CJK = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
DIGITS = re.compile(r"\d+")


def text_of(pages: Sequence[str]) -> str:
    """The pages as one text. A sentence that runs over a page break stays one."""
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
    """The number, from 1, of the page that the code point at `offset` stands on."""
    return text.count(PAGE_BREAK, 0, offset) + 1


def _lines(page: str, running: frozenset[str]) -> list[str]:
    """The page's lines, tidied, without those that most pages have at their edge."""
    lines = [" ".join(line.replace("\u00ad", "").split()) for line in page.splitlines()]
    kept = [number for number, line in enumerate(lines) if line]
    edge = {kept[0], kept[-1]} if kept else set()
    return [line for number, line in enumerate(lines) if number not in edge or _form(line) not in running]


def _running_lines(pages: Sequence[str]) -> frozenset[str]:
    if len(pages) < FEWEST_PAGES:
        return frozenset()
    seen: Counter[str] = Counter()
    for page in pages:
        lines = [" ".join(line.split()) for line in page.splitlines() if line.strip()]
        seen.update({_form(line) for line in (*lines[:1], *lines[-1:])})
    return frozenset(form for form, times in seen.items() if times > RUNNING * len(pages))


def _form(line: str) -> str:
    """A line without its page number."""
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
