"""A text's sentences, each with what it is about, where only its place says so.

Law: sentences stand verbatim, white space folded and words whole that were broken at line ends; headings, titles,
rules, code, tables of contents and running heads are no statements. A label is what stands before a sentence when it is
told alone: who speaks ("Alice: "), whose list, table row or line it is ("Firm A: "), or what an entry explains
("`--all`: "). It is always a label of the very line, list, row or entry, never of another.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from core.agents.offline.entities import names_entity, names_property
from core.agents.offline.titles import is_title, subject
from core.language import language_of
from core.text import outline, sentences
from core.text.blocks import Form, blocks, folded
from core.text.scripts import CJK_CLOSE, display_width

WIDEST_LABEL = 40  # columns
NEAR = 4  # code points in which the blank line beside a line is looked for

ITEM = re.compile(r"[ \t\u3000]*(?:[-*+•·▪◦–—][ \t]|\(?\d{1,3}[.)、）][ \t]?|\(?[a-zA-Z][.)][ \t]|[①-⑳])")
ALONE = re.compile(
    r"[ \t\u3000]*(?:(?:[-*+•]|\d{1,3}[.)、])[ \t]*)?(?:\*\*|__)?(?P<name>[^\s:：*_|][^:：*_|\n]{0,39}?)"
    r"(?:\*\*|__)?[ \t]*[:：](?:\*\*|__)?[ \t]*$"
)
ANNOUNCES = re.compile(
    r"\b(?:follow\w*|below|these|this|here|include\w*|are|is|as)\b|如下|以下|下列|包括|分别|有$",
    re.IGNORECASE,
)
NAME = re.compile(r"[A-Z0-9\u4e00-\u9fff][\w&.'’\-]*(?:\s+(?:[A-Z0-9&][\w&.'’\-]*|of|and|de|the|von|van))*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A sentence: its text, the label under which it stands (`Alice: `), the line or part of one it stands in. `under`:
    the label is that of a heading or of a line above."""

    text: str
    label: str = ""
    line: int = 0
    under: bool = False

    @property
    def told(self) -> str:
        """The sentence as it can stand alone."""
        return self.label + self.text


def statements(content: str) -> list[Statement]:
    """Returns the sentences of `content` with their labels.

    White space is folded and broken words are made whole: a sentence wrapped over lines would not be read as one the
    next time.
    """
    reading = _Reading(_speakers(content))
    for block in blocks(content):
        match block.form:
            case Form.TABLE:
                reading.table(content[block.start : block.end].splitlines())
            case Form.ENTRY:
                reading.entry(block.term, content[block.start : block.end])
            case Form.PROSE:
                reading.prose(content, block.start, block.end)
            case Form.CODE | Form.BESIDE:
                pass
    if not reading.found:  # a tool's result, all of it in a fence: what is said there is all that is said
        for block in blocks(content):
            if block.form is Form.CODE:
                reading.prose(content, block.start, block.end)
    return reading.found


def composed(chosen: Sequence[Statement]) -> str:
    """Statements as text: those of one line joined, other lines on lines of their own; several lines under one heading
    as a list below it, which reads as the same statements again."""
    lines = [list(of_line) for _, of_line in groupby(chosen, key=lambda one: one.line)]
    runs = [list(run) for _, run in groupby(lines, key=lambda line: (line[0].label, line[0].under))]
    parts: list[str] = []
    for place, run in enumerate(runs):
        first, ends = run[0][0], place + 1 == len(runs)
        if first.under and len(run) > 1 and (ends or runs[place + 1][0][0].label):
            parts += [first.label.rstrip(), *(f"- {_joined(line)}" for line in run)]
        else:
            parts += [f"{line[0].label}{_joined(line)}" for line in run]
    return "\n".join(parts)


def _joined(line: Sequence[Statement]) -> str:
    parts: list[str] = []
    for one in line:
        if parts:
            parts.append("" if parts[-1].endswith(CJK_CLOSE) else " ")
        parts.append(one.text)
    return "".join(parts)


class _Reading:
    """A text read from its start: whose list is being read, and what was found."""

    def __init__(self, speakers: frozenset[str]) -> None:
        self.found: list[Statement] = []
        self._speakers = speakers
        self._line = 0
        self._heading = ""  # the title above, whose lists and lines follow
        self._block = ""  # the label alone on its line, whose lines follow
        self._label = ""  # of the sentences that are still to come in this line,
        self._under = False  # and whether it stands above the line

    # ---- tables ----

    def table(self, rows: Sequence[str]) -> None:
        """Adds each row under the heads of its columns, labelled with its first cell."""
        heads = _cells(rows[0])
        for row in rows[2:]:
            cells = _cells(row)
            if not any(any(map(str.isalnum, cell)) for cell in cells):
                continue
            self._line += 1
            marks = language_of(row).marks
            values = [
                f"{head}{marks.colon}{cell}" if head else cell for head, cell in _pairs(heads[1:], cells[1:])
            ]
            self._add(marks.parts.join(values) or cells[0], _shown(cells[0]) if values else "")

    # ---- entries ----

    def entry(self, term: str, text: str) -> None:
        """Adds an entry, each of its sentences labelled with its term."""
        self._line += 1
        shown = " ".join(term.split())
        label = f"`{shown}`{language_of(text).marks.colon}"
        for sentence in sentences.split(text):
            if any(map(str.isalnum, sentence)):
                self._add(sentence, label)

    # ---- lines ----

    def prose(self, content: str, start: int, end: int) -> None:
        last = 0
        for begin, finish in ((start + a, start + b) for a, b in sentences.spans(content[start:end])):
            text = content[begin:finish]
            gap = content[last:begin] if last else "\n\n"
            if not last or outline.BREAK.search(gap):
                text = self._open_line(content, begin, text, parted=len(outline.BREAK.findall(gap)) > 1)
            else:
                self._open_sentence(text)
            last = finish
            if any(map(str.isalnum, text)):
                self._add(text, self._label_of(text))

    def _add(self, text: str, label: str) -> None:
        self.found.append(
            Statement(text=folded(text), label=label, line=self._line, under=bool(label) and self._under)
        )

    def _open_line(self, content: str, start: int, text: str, parted: bool) -> str:
        """Returns what of a line's first sentence is a statement; nothing of headings, titles and labels alone."""
        self._line += 1
        self._label, self._under = "", False
        line = _line_at(content, start)
        if self._heads(content, start, line):
            return ""
        named = _named(text)
        if named and named in self._speakers:
            self._block = self._heading = ""
            words = text[text.index(named) + len(named) + 1 :].lstrip()
            self._label = text[: len(text) - len(words)]
            return words
        if parted and not ITEM.match(line) and not named:
            self._block = ""
        whose = self._block or (self._heading if _listed(line, named, self._heading) else "")
        if named and _names(named) and not (whose and names_property(named)):
            self._label = _shown(named)
            return text
        if not whose:
            return text
        self._label, self._under = _shown(whose), True
        mark = ITEM.match(text)
        return text[mark.end() :] if mark else text

    def _heads(self, content: str, start: int, line: str) -> bool:
        """Whether a line tells nothing itself, and what it says of those that follow."""
        heading = outline.heading(line) or (outline.lone_heading(line) if _is_alone(content, start) else None)
        if heading is not None or is_title(content, start, line):
            self._heading, self._block = heading.title if heading else subject(line), ""
            self._heading = self._heading if display_width(self._heading) <= WIDEST_LABEL else ""
            return True
        alone = ALONE.match(line)
        if alone is None or alone["name"].strip() in self._speakers:
            return False
        self._block = "" if ANNOUNCES.search(alone["name"]) else alone["name"].strip()
        return bool(self._block)

    def _open_sentence(self, text: str) -> None:
        """Begins a part at a label in mid-line: "…SEK. Firm B: …"."""
        named = outline.speaker_of(text)
        if named and not self._speakers and _names(named) and not names_property(named):
            self._line += 1
            self._label, self._under = _shown(named), False

    def _label_of(self, text: str) -> str:
        """Returns the label, unless the sentence has it itself."""
        own = _named(text)
        return "" if own and _shown(own) == self._label else self._label


def _named(text: str) -> str:
    """Returns the name before the colon that a sentence opens with, behind a list mark or none."""
    mark = ITEM.match(text)
    return outline.speaker_of(text[mark.end() :] if mark else text)


def _cells(row: str) -> list[str]:
    return [cell.strip(" \t*_`") for cell in row.strip().strip("|").split("|")]


def _pairs(heads: Sequence[str], cells: Sequence[str]) -> Iterator[tuple[str, str]]:
    for place, cell in enumerate(cells):
        if any(map(str.isalnum, cell)):
            yield (heads[place] if place < len(heads) else ""), cell


def _line_at(content: str, start: int) -> str:
    found = outline.LINE.match(content, start)
    return found.group() if found else ""


def _is_alone(content: str, start: int) -> bool:
    """Whether blank lines stand around the line."""
    end = start + len(_line_at(content, start))
    before, after = content[max(0, start - NEAR) : start], content[end : end + NEAR]
    return (start <= NEAR and not before.strip() or before.count("\n") > 1) and after.count("\n") > 1


def _listed(line: str, named: str, heading: str) -> bool:
    """Whether a line under a heading needs it: an item, a key with its value, or any line where a firm heads it."""
    return bool(heading) and bool(
        ITEM.match(line) or (named and names_property(named)) or names_entity(heading)
    )


def _names(label: str) -> bool:
    """Whether a label names something, rather than a property of it."""
    return names_entity(label) or (NAME.match(label) is not None and not names_property(label))


def _shown(label: str) -> str:
    return label.strip() + language_of(label).marks.colon


def _speakers(content: str) -> frozenset[str]:
    """Returns the names that open two lines of `content`, or most of its lines together."""
    labels = [outline.speaker_of(line) for line in content.splitlines() if line.strip()]
    most = sum(map(bool, labels)) * 2 > len(labels)
    found = frozenset(filter(None, labels)) if most else outline.speakers(content)
    return frozenset(name for name in found if not (names_property(name) or names_entity(name)))
