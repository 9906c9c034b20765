"""How a text is laid out: its lines, headings, speakers, and the paragraphs between blank lines.

Law: looks at the form of lines only; places are in code points.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from core.text.scripts import display_width

LINE = re.compile(r"[^\n\r\v\f\x85\u2028\u2029]+")
BREAK = re.compile(r"\r\n|[\n\r\v\f\x85\u2028\u2029]")
FENCE = re.compile(r"[ \t]{0,3}(```|~~~)")
FENCE_LINE = re.compile(r"^[ \t]{0,3}(?:```|~~~).*$", re.MULTILINE)

HEADING_MARKS = re.compile(r"[ \t\u3000]*[#*_\d第一二三四五六七八九十]")  # what every heading starts with
MARKDOWN_HEADING = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$")
NUMBERED_HEADING = re.compile(
    r"[ \t]*(\d{1,2}(?:\.\d{1,2}){0,3})(?:\.?[ \t]+|\.?(?=[\u4e00-\u9fff]))(\S.*?)[ \t]*$"
)
CHINESE_HEADING = re.compile(
    r"[ \t\u3000]*(第[一二三四五六七八九十百零\d]{1,4}[章节部篇]|[一二三四五六七八九十]{1,3}、)"
    r"[ \t\u3000]*(\S.*?)[ \t]*$"
)
BOLD_LINE = re.compile(r"[ \t]*(?:\*\*|__)(?P<bold>[^*_]+?)[:：]?(?:\*\*|__)[ \t]*[:：]?[ \t]*$")
SPEAKER = re.compile(
    r"^[ \t]*(?:[\[(（][^\])）\n]{1,40}[\])）][ \t]*)?"  # a time in brackets
    r"(?P<name>[^\W\d_][^\n:：|\[\](){}#*,，.。!?！？\"“”]{0,29})"
    r"(?:(?<!\d)[:：]|[:：](?!\d))(?!//)[ \t]*(?=\S)",  # not that of a time of day
    re.MULTILINE,
)

NUMBERED_TITLE = re.compile(r"[ \t]*(\d{1,2}(?:\.\d{1,2}){0,3})\.?[ \t]+([^\W\d_].*?)\.?[ \t]*$")
SMALL_WORD = 4  # letters up to which a word of a title may be written small

HEADING_WIDTH = 80  # columns; a wider line is no heading
BOLD_LEVEL = 7  # below Markdown's six


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading's level (1 is the highest) and its words, without the marks or the number before them."""

    level: int
    title: str


def heading(line: str) -> Heading | None:
    """Returns the heading that `line` is, or None: Markdown's, a bold line, a numbered title, 第一章 or 一、."""
    if not HEADING_MARKS.match(line):
        return None
    if marked := MARKDOWN_HEADING.match(line):
        title = marked[2].strip(" *_`")
        return Heading(level=len(marked[1]), title=_without_number(title)) if title else None
    shown = line.strip()
    if not shown or display_width(shown) > HEADING_WIDTH or shown[-1] in ".。!！?？;；,，":
        return None
    if bold := BOLD_LINE.match(line):
        return Heading(level=BOLD_LEVEL, title=bold["bold"].strip())
    if counted := CHINESE_HEADING.match(line):
        return Heading(level=1 if counted[1].startswith("第") else 2, title=counted[2])
    numbered = NUMBERED_HEADING.match(line)
    if numbered and "." in numbered[1] and not numbered[2][0].islower() and not numbered[2][0].isdigit():
        return Heading(level=numbered[1].count(".") + 1, title=numbered[2])
    return None


def _without_number(title: str) -> str:
    for form in (NUMBERED_HEADING, CHINESE_HEADING):
        if found := form.match(title):
            return found[2]
    return title


def lone_heading(line: str) -> Heading | None:
    """Returns the heading that a line with blank lines around it is: as `heading`, or a title in capitals or
    numbered."""
    found = heading(line)
    shown = line.strip()
    if found is not None or display_width(shown) > HEADING_WIDTH:
        return found
    if shown.isupper() and shown[-1].isalnum() and len(shown) > SMALL_WORD and shown.isascii():
        return Heading(level=1, title=shown)
    numbered = NUMBERED_TITLE.match(line)
    if numbered and all(word[0].isupper() or len(word) <= SMALL_WORD for word in numbered[2].split()):
        return Heading(level=numbered[1].count(".") + 2, title=numbered[2])
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedHeading(Heading):
    """A heading from `start` to `end` of its text. `line`: the whole of it without its marks, a number included."""

    start: int
    end: int
    line: str


def headings(text: str) -> list[PlacedHeading]:
    """Returns the headings of a text, in order; what looks like one in a fence is none."""
    found = []
    for paragraph in paragraphs(text):
        if paragraph.fenced:
            continue
        lines = [
            line for line in LINE.finditer(text, paragraph.start, paragraph.end) if not line.group().isspace()
        ]
        for line in lines:
            here = lone_heading(line.group()) if len(lines) == 1 else heading(line.group())
            if here is not None:
                shown = line.group().strip(" \t#*_")
                place = PlacedHeading(
                    level=here.level, title=here.title, start=line.start(), end=line.end(), line=shown
                )
                found.append(place)
    return found


def leading_heading(text: str) -> Heading | None:
    """Returns the lowest of the headings that `text` begins with, or None."""
    found = None
    for paragraph in paragraphs(text):
        lines = [line for line in text[paragraph.start : paragraph.end].splitlines() if line.strip()]
        for line in lines:
            here = lone_heading(line) if len(lines) == 1 else heading(line)
            if here is None:
                return found
            found = here
    return found


def speakers(text: str) -> frozenset[str]:
    """Returns names before a colon that open at least two lines of `text`: who speaks, in a transcript."""
    counted = Counter(found["name"].strip() for found in SPEAKER.finditer(text))
    return frozenset(name for name, times in counted.items() if times > 1)


def speaker_of(line: str) -> str:
    """Returns the name before the colon that `line` opens with, or nothing."""
    found = SPEAKER.match(line)
    return found["name"].strip() if found else ""


@dataclass(slots=True, kw_only=True)
class Paragraph:
    """Lines without a blank one between them: where they start and end, and whether they are code."""

    start: int
    end: int
    fenced: bool = False


def paragraphs(text: str) -> Iterator[Paragraph]:
    """Yields the paragraphs, in order; a fenced block is one, whatever blank lines it holds."""
    current: Paragraph | None = None
    fence = ""
    for line in LINE.finditer(text):
        shown = line.group()
        if shown.isspace():
            continue
        mark = FENCE.match(shown) if "`" in shown or "~" in shown else None
        parted = mark is not None or (current is not None and _parted(text, current, line.start()))
        apart = current is None or (parted and not fence)
        if apart:
            if current is not None:
                yield current
            current = Paragraph(start=line.start(), end=line.end(), fenced=mark is not None)
        elif current is not None:
            current.end = line.end()
        if mark is not None:
            fence = "" if fence == mark[1] else fence or mark[1]
    if current is not None:
        yield current


def _parted(text: str, before: Paragraph, start: int) -> bool:
    """Whether a paragraph ends before `start`: by a blank line, or because it is code."""
    return before.fenced or (start - before.end > 1 and len(BREAK.findall(text, before.end, start)) > 1)
