"""What a text is about that has a form in the place of sentences: separated values, settings, code.

Law: pure and extractive; "" for any other text.
"""

import re
from collections.abc import Sequence

from core.language import language_of
from core.text.blocks import is_code
from core.text.scripts import display_width

FEWEST = 3  # lines
MOSTLY = 0.7  # of the lines
WIDEST_CELL = 40  # columns of the head of a column, or of a setting's value
COLUMNS = 3
SETTINGS = 3  # told of
SEPARATORS = ("\t", ",", ";", "|")

_DIGIT = re.compile(r"\d")
_SETTING = re.compile(r"[ \t]*(?:- )?(?P<name>[a-z_][\w.-]*|[A-Z][A-Z0-9_]+)[ \t]*[:=][ \t]*(?P<value>.*)$")
_DECLARES = re.compile(
    r"^[ \t]*(?P<head>(?:(?:export|default|public|private|protected|static|abstract|final|async|pub)[ \t]+)*"
    r"(?:def|class|function|func|fn|interface|struct|enum|trait|impl|module)[ \t]+[\w.$<>]+[^\n{]*"
    r"|create[ \t]+(?:or[ \t]+replace[ \t]+)?(?:table|view|index|function)[ \t]+[\w.\"]+)",
    re.MULTILINE | re.IGNORECASE,
)
_SENTENCE_ENDS = tuple(".!?。！？：:")
_ENDS = " \t:{(,;"


def title_of_form(text: str) -> str:
    """Returns the heads of a table's columns, the first settings, or what code declares first."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    return _of_table(lines) or _of_settings(lines) or _of_code(text, lines)


def _of_table(lines: Sequence[str]) -> str:
    if len(lines) < FEWEST or _DIGIT.search(lines[0]) or lines[0].endswith(_SENTENCE_ENDS):
        return ""
    for separator in SEPARATORS:
        heads = [cell.strip(' "') for cell in lines[0].strip(separator).split(separator)]
        if len(heads) < COLUMNS or not all(0 < display_width(head) <= WIDEST_CELL for head in heads):
            continue
        count = lines[0].count(separator)
        alike = sum(line.count(separator) == count and bool(_DIGIT.search(line)) for line in lines[1:])
        if alike >= MOSTLY * (len(lines) - 1):
            return language_of("".join(heads)).marks.listed.join(heads)
    return ""


def _of_settings(lines: Sequence[str]) -> str:
    """Speakers come again and again, names of settings hardly ever."""
    found = [match for line in lines if (match := _SETTING.match(line))]
    brief = [match for match in found if display_width(match["value"]) <= WIDEST_CELL]
    names = {match["name"] for match in found}
    if len(brief) < max(FEWEST, MOSTLY * len(lines)) or len(names) < MOSTLY * len(found):
        return ""
    outermost = [match for match in brief if match.start("name") == 0 and match["value"]] or brief
    told = [match.group().strip() for match in outermost[:SETTINGS]]
    return language_of("".join(told)).marks.listed.join(told)


def _of_code(text: str, lines: Sequence[str]) -> str:
    declared = _DECLARES.search(text)
    if declared is None or len(lines) < FEWEST:
        return ""
    indented = sum(line[:1] in " \t}" for line in lines)
    is_mostly_code = is_code(text) or indented >= len(lines) / 2
    return declared["head"].rstrip(_ENDS) if is_mostly_code else ""
