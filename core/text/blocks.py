"""What the stretches of a document are, told by the form of their lines: prose, tables, code, entries, and what is
beside the text.

Law: pure; looks at forms only. Blocks are in order and leave out nothing but white space and, of an entry, its term.

An *entry* is a term with what it means: an option of a manual page, an error's value, a list item that opens with a
word in backticks. What one entry says is said of its term, and of no other. *Beside* the text are tables of contents,
page numbers and running heads.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from core.text.outline import BREAK, FENCE, LINE
from core.text.scripts import display_width
from core.text.words import words

SHORT_TERM = 30  # columns of a term that is no option
SHORT_TERM_WORDS = 3
CODE_LINES = 2  # that look like code, from which on neighbours are code
LEAST_PROSE = 0.2  # of a text beside code, below which a line that looks like code is more of it
CODE_SHARE = 0.6  # of the lines of such a stretch
WIDE_GAP = 3  # columns; a justified line has gaps of two
WIDEST_GAP = 4  # columns; from here on it is a gap between columns, whatever stands around
REPEATED = 3  # times that a line stands alone, to be a running head
WIDEST_HEAD = 100  # columns
CONTENTS_LINKS = 3  # lines that are links into the page, to be its contents

Line = re.Match[str]


class Form(StrEnum):
    PROSE = "prose"
    TABLE = "table"
    CODE = "code"
    ENTRY = "entry"
    BESIDE = "beside"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A stretch of a text from `start` to `end`; `term`: what an entry speaks of."""

    form: Form
    start: int
    end: int
    term: str = ""


# A line may be as long as a text. What is repeated gives nothing back (`*+`), and a run is looked at from its start
# alone: the work grows linearly with the line.
SEPARATOR = re.compile(r"[ \t]*+\|?[ \t]*+:?-{2,}+:?[ \t]*+(?:\|[ \t]*+:?-{2,}+:?[ \t]*+)*+\|?[ \t]*$")
LEADERS = re.compile(
    r"(?:[^\s.…·]|(?<!\.)(?<!\.[ \t])\.|(?<!…)…|(?<!·)·)[ \t]*+(?:(?:\.[ \t]?){4,}+|…{2,}+|·{4,}+)"
    r"[ \t]*+(?:\d{1,4}|[ivxlc]{1,6})[ \t]*$"
)
_CALLS = re.compile(r"\w\([^()\n]*\)\W*$")
LINK = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\[[^\]\n]+\]\(#[^)\n]*\)[ \t]*$")
PAGE_NUMBER = re.compile(
    r"[ \t]*(?:[-–—][ \t]*\d{1,4}[ \t]*[-–—]|\[?page \d{1,4}(?: of \d{1,4})?\]?"
    r"|第 ?\d{1,4} ?页|\d{1,4} ?/ ?\d{1,4})[ \t]*$",
    re.IGNORECASE,
)
THREE_COLUMNS = re.compile(r"[ \t]*\S+(?: \S+)*[ \t]{3,}\S+(?: \S+)*[ \t]{3,}\S+(?: \S+)*[ \t]*$")
DIGITS = re.compile(r"\d+")
END_MARKS = tuple(".。!！?？;；:：,，")

OPTION = r"(?>[-+]{1,2}[^\s,`]+(?:[ =][<\[{]?[\w.|/-]+[>\]}]?(?:\.\.\.)?)?)"
OPTIONS = re.compile(rf"[ \t]*(?P<term>{OPTION}(?:,[ \t]*{OPTION})*)[ \t]*$")
OPTION_BESIDE = re.compile(rf"[ \t]*(?P<term>{OPTION}(?:,[ \t]*{OPTION})*)(?:[ \t]{{2,}}|\t)(?P<said>\S)")
WORD_BESIDE = re.compile(r"[ \t]*(?P<term>[^\s`|]*[^\s`|.,;:!?。，；：])(?:[ \t]{2,}|\t)(?P<said>\S)")
TICKED = re.compile(
    r"[ \t]*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?(?:\*\*)?"
    r"(?P<term>`[^`\n]{1,60}`(?:(?:,|/| or|、|和|或)[ \t]*`[^`\n]{1,60}`)*)"
    r"(?:\*\*)?[ \t]*(?:[:：]|[-–—](?=[ \t]))(?:\*\*)?[ \t]*(?P<said>[^\s`])"
)
DEFINED = re.compile(
    r"(?:\d{1,2}(?:\.\d{1,2})*\.?[ \t]+)?[\"“「][^\"“”「」\n]{1,60}[\"”」]$"
)  # 1.2. "Covered Software"
CODE_LINE = re.compile(
    r"[ \t]*+(?:(?:(?:async|await|export|public|private|static)[ ])*"
    r"(?:def|class|fn|func|function|struct|enum|impl)[ ]\w.*[:({;]"
    r"|(?:import|from|using|package|use|#include|#define|#ifn?def|#endif)\b[ \w.\"'<>*{},:/@-]*;?$"
    r"|(?:if|elif|for|while|with|try|else|except|switch|case|return|catch)\b.*[:{;]$|return [\w.()\[\]\"']+$"
    r"|(?:const|let|var|final|auto|int|char|void|bool|string|float|double)[ ][\w*&<>\[\], ]+(?:=|;|\().*"
    r"|[\w.\[\]\"'*&>-]+[ ]?(?:[-+*/|:]?=|:=|<-)[ ]\S.*[\w)\]}\"';,({\[]$"
    r"|(?!\w+\(\d\w?\))[\w.>:-]+\(.*\)[;,]?$|.*[;{}]$|[\])}]+[;,)]*$|@\w+(?:\(.*\))?$"
    r"|(?:\$|>>>|\.\.\.|%)[ ]\S.*|//.*|/\*.*|</?\w[^>]*>$"
    r"|[\"'][\w.-]+[\"']:[ ].*,?$)"
)
PROSE_LINE = re.compile(r"(?<![A-Za-z])[A-Za-z]++(?: [A-Za-z,'’]+){5,}|[\u4e00-\u9fff]{6,}")


def blocks(text: str) -> list[Block]:
    """Returns the stretches of a text, in order."""
    return list(_Layout(text).read())


def prose(text: str) -> str:
    """Returns the text without code and what stands beside it; the whole where nothing else is there."""
    found = blocks(text)
    if all(block.form not in (Form.CODE, Form.BESIDE) for block in found):
        return text
    kept, place = [], 0
    for block in found:
        if block.form in (Form.CODE, Form.BESIDE):
            kept.append(text[place : block.start])
            place = block.end
    kept.append(text[place:])
    left = "".join(kept).strip()
    is_code_too = len(left) < LEAST_PROSE * len(text) and _CALLS.search(left) is not None
    return left if any(map(str.isalnum, left)) and not is_code_too else text


def is_code(text: str) -> bool:
    """Whether a text is code and nothing else."""
    found = blocks(text)
    return bool(found) and all(block.form is Form.CODE for block in found)


# ---- words at line ends ----

BROKEN = re.compile(
    r"(?<![^\W\d_])(?P<first>[^\W\d_]{2,}+)(?P<sign>[-\u2010\u00ad])[ \t]*\r?\n[ \t]*(?P<rest>[a-z]{2,})"
)
COMPOUNDS = words(
    "non self well long short high low re pre co multi cross half full semi anti ex all ever far first second third"
    " last left right half one two three four five six open read write user end top so up down"
)


def unbroken(text: str) -> str:
    """Returns the text with the words whole that were broken at line ends."""
    return BROKEN.sub(_whole, text)


def folded(text: str) -> str:
    """Returns the text on one line: white space as single spaces, and broken words whole."""
    return " ".join(unbroken(text).split())


def _whole(broken: re.Match[str]) -> str:
    keeps = broken["sign"] == "-" and broken["first"].lower() in COMPOUNDS
    return f"{broken['first']}{'-' if keeps else ''}{broken['rest']}"


# ---- reading ----


class _Layout:
    """A text's lines, read from its start."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines: Sequence[Line] = [line for line in LINE.finditer(text) if not line.group().isspace()]
        alone = (_numberless(line.group()) for n, line in enumerate(self._lines) if self._is_alone(n))
        counted = Counter(shown for shown in alone if not shown.endswith(END_MARKS))
        self._running = {shown for shown, times in counted.items() if times >= REPEATED}

    def read(self) -> Iterator[Block]:
        number, begun = 0, -1
        while number < len(self._lines):
            form, end, term, said = self._block_at(number)
            if form is Form.PROSE:
                begun = number if begun < 0 else begun
                number = end
                continue
            if begun >= 0:
                yield self._block(Form.PROSE, begun, number)
                begun = -1
            yield self._block(form, number, end, term, said)
            number = end
        if begun >= 0:
            yield self._block(Form.PROSE, begun, number)

    def _block(self, form: Form, first: int, end: int, term: str = "", text_at: int = -1) -> Block:
        start = self._lines[first].start() if text_at < 0 else text_at
        return Block(form=form, start=start, end=self._lines[end - 1].end(), term=term)

    def _block_at(self, number: int) -> tuple[Form, int, str, int]:
        """Returns the form of what begins at a line, the line behind its end; of an entry its term, and where its
        text is."""
        line = self._lines[number].group()
        if ("`" in line or "~" in line) and (mark := FENCE.match(line)):
            return Form.CODE, self._fence_end(number, mark[1]), "", -1
        if (end := self._table_end(number)) > number:
            return Form.TABLE, end, "", -1
        if self._is_beside(number):
            return Form.BESIDE, number + 1, "", -1
        if (end := self._contents_end(number)) > number:
            return Form.BESIDE, end, "", -1
        if (entry := self._entry(number)) is not None:
            return Form.ENTRY, *entry
        if (end := self._code_end(number)) > number:
            return Form.CODE, end, "", -1
        return Form.PROSE, number + 1, "", -1

    # ---- lines ----

    def _indent(self, number: int) -> int:
        line = self._lines[number].group()
        return display_width(line) - display_width(line.lstrip())

    def _goes_on(self, number: int) -> bool:
        """Whether a line follows the one before without a blank one between."""
        if not 0 < number < len(self._lines):
            return False
        gap = self._text[self._lines[number - 1].end() : self._lines[number].start()]
        return len(BREAK.findall(gap)) <= 1

    def _is_alone(self, number: int) -> bool:
        return not self._goes_on(number) and not self._goes_on(number + 1)

    # ---- forms ----

    def _fence_end(self, number: int, fence: str) -> int:
        for other in range(number + 1, len(self._lines)):
            mark = FENCE.match(self._lines[other].group())
            if mark is not None and mark[1] == fence:
                return other + 1
        return len(self._lines)

    def _table_end(self, number: int) -> int:
        if number + 1 == len(self._lines) or "|" not in self._lines[number].group():
            return number
        under = self._lines[number + 1].group()
        if "|" not in under or not SEPARATOR.match(under):
            return number
        end = number + 2
        while end < len(self._lines) and "|" in self._lines[end].group():
            end += 1
        return end

    def _is_beside(self, number: int) -> bool:
        line = self._lines[number].group()
        if LEADERS.search(line):
            return True
        if not self._is_alone(number) or display_width(line.strip()) > WIDEST_HEAD:
            return False
        three = THREE_COLUMNS.match(line) and not line.rstrip().endswith(END_MARKS)
        return bool(PAGE_NUMBER.match(line) or three or _numberless(line) in self._running)

    def _contents_end(self, number: int) -> int:
        end = number
        while end < len(self._lines) and LINK.match(self._lines[end].group()):
            end += 1
        return end if end - number >= CONTENTS_LINKS else number

    def _code_end(self, number: int) -> int:
        """Returns the place behind the last line of code that begins here; the line itself where none does."""
        looks, end = self._stretches[number]
        return end if looks >= CODE_LINES and looks >= CODE_SHARE * (end - number) else number

    @cached_property
    def _stretches(self) -> Sequence[tuple[int, int]]:
        """Of each line that looks like code: how many do from there on, and the place behind the last of them. Between
        two of them stands one line at most that does not, and no prose. Of others nothing."""
        lines = [line.group().rstrip() for line in self._lines]
        found = [(0, number) for number in range(len(lines) + 2)]
        for number in range(len(lines) - 1, -1, -1):
            if not CODE_LINE.fullmatch(lines[number]):
                continue
            looks, end = found[number + 1]
            if not looks and number + 1 < len(lines) and not PROSE_LINE.search(lines[number + 1]):
                looks, end = found[number + 2]
            found[number] = (looks + 1, end if looks else number + 1)
        return found

    def _entry(self, number: int) -> tuple[int, str, int] | None:
        """Returns an entry that begins at a line: the line behind it, its term, where its text is. None where none
        does."""
        line = self._lines[number]
        if ticked := TICKED.match(line.group()):
            term = ticked["term"].replace("`", "")
            return self._told_end(number, self._indent(number) + 1), term, line.start() + ticked.start("said")
        if beside := OPTION_BESIDE.match(line.group()):
            column = display_width(line.group()[: beside.start("said")])
            end = self._told_end(number, min(column, self._indent(number) + 2))
            return end, beside["term"], line.start() + beside.start("said")
        if self._hangs(number) and (option := OPTIONS.match(line.group())):
            return (
                self._told_end(number, self._indent(number) + 1),
                option["term"],
                self._lines[number + 1].start(),
            )
        if self._hangs(number) and self._is_term(number):
            return (
                self._told_end(number, self._indent(number) + 1),
                line.group().strip(),
                self._lines[number + 1].start(),
            )
        beside = WORD_BESIDE.match(line.group())
        if beside and self._is_column(number, display_width(line.group()[: beside.start("said")])):
            return (
                self._told_end(number, self._indent(number) + 1),
                beside["term"],
                line.start() + beside.start("said"),
            )
        return None

    def _hangs(self, number: int) -> bool:
        """Whether the next line stands under this one, further in."""
        return self._goes_on(number + 1) and self._indent(number + 1) > self._indent(number)

    def _is_term(self, number: int) -> bool:
        """Whether a line is a term: short, with a blank line before, no heading and no sentence."""
        shown = self._lines[number].group().strip()
        if DEFINED.match(shown) and self._text[self._lines[number + 1].start() :].lstrip()[:1].islower():
            return True
        if self._goes_on(number) or self._indent(number) == 0 or shown.endswith(END_MARKS):
            return False
        heads = len(shown.split()) > 1 and "," not in shown or shown.isalpha()
        if heads and shown[0].isupper() and not shown.isupper():
            return False
        return display_width(shown) <= SHORT_TERM and len(shown.split()) <= SHORT_TERM_WORDS

    def _is_column(self, number: int, column: int) -> bool:
        """Whether a line's second column goes on in the next line, or heads the same column there or before: not by
        chance, as where lines are justified."""
        if self._goes_on(number + 1) and self._indent(number + 1) == column:
            return True
        gap = self._gap(number, column)
        if gap and _width(gap) >= WIDEST_GAP:
            return True
        if not gap or self._lines[number].group().rstrip().endswith(gap.group("term")):
            return False
        for other in (number - 1, number + 1):
            if 0 <= other < len(self._lines) and self._indent(other) == self._indent(number):
                beside = self._gap(other, column)
                if beside and max(_width(gap), _width(beside)) >= WIDE_GAP:
                    return True
        return False

    def _gap(self, number: int, column: int) -> Line | None:
        """Returns a line's first word and the gap behind it, where its second column begins at `column`."""
        line = self._lines[number].group()
        beside = WORD_BESIDE.match(line)
        return beside if beside and display_width(line[: beside.start("said")]) == column else None

    def _told_end(self, number: int, indent: int) -> int:
        """Returns the place behind the last line that goes on with an entry: without a blank line between, at least so
        far in."""
        end = number + 1
        while self._goes_on(end) and self._indent(end) >= indent:
            if OPTION_BESIDE.match(self._lines[end].group()) or TICKED.match(self._lines[end].group()):
                break
            end += 1
        return end


def _width(beside: Line) -> int:
    return beside.start("said") - beside.end("term")


def _numberless(line: str) -> str:
    return DIGITS.sub("#", " ".join(line.split()))
