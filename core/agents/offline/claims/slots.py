"""What fills a slot that has one filler: where it is, who is in charge, what it is written in. Chinese alone.

Law: pure, by patterns of the wordings of one slot. Two fillers exclude each other where the same thing is asked of the
same matter, and neither filler is in the other.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from core.agents.offline.claims.clock import UNIT as CLOCK
from core.agents.offline.claims.finding import Contradiction, Slot, of_values
from core.agents.offline.claims.lexicon_frames_zh import OFFICES, SLOTS
from core.agents.offline.claims.matter import clause_of, matter, one_matter
from core.agents.offline.claims.scales import DENIED
from core.agents.offline.claims.statement import Kind, Statement
from core.text.chinese import tagged

CONFIDENCE = 0.7
FILLER = "(?P<filler>[^，。；！？“”]{1,16}?)"
EDGES = re.compile("^(?:一[个座处条家所只根把]|那[个座]|这[个座])?(.*?)(?:的|了|里|里面|内|上|上面|中)?$")
NO_FILLER = re.compile(
    "什么|哪|谁|[的得了过着]|[^，。]*[不没]|起来|那儿|这儿|那里|这里|一起|家里|一个人|自己|内$"
)
TELLING = ("v", "a", "d")  # kinds of words that tell what is done there, or how it is
THOUGHT = re.compile("(?:想过?|打算|准备|计划|希望|可能|考虑)[^，。]{0,2}$")
NUMERAL = re.compile(r"[\d一二三四五六七八九十]+")
ALIKE = 0.5  # of the shorter one's characters
VARYING = re.compile(r"\(.*?\)|\[.*?\]")
ENDS = "(?=[，。；！？]|$)"
HELD = (  # what is found is who holds an office; of what, stands beside it
    rf"(?<={{office}}[是为]){{filler}}{ENDS}",
    rf"^{{filler}}(?=(?:是|担任|出任|任|接任|当上了?|当选)[^，。；]{{{{0,14}}}}?{{office}}{ENDS})",
    r"(?<=由){filler}(?=(?:担任|出任|接任|任)[^，。；]{{0,8}}?{office})",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A slot told at text[start:end], and its filler. `of`: what kind of thing that is, where it is named."""

    slot: int
    of: str
    filler: str
    start: int
    end: int


def other_fillers(left: Statement, right: Statement, least: int = 1) -> Contradiction | None:
    """Returns two fillers of one slot, or None; `least` as in `one_matter`."""
    ours = left.in_text(_filled)
    theirs = right.in_text(_filled) if ours else ()
    for x in ours:
        for y in theirs:
            if (
                (x.slot, x.of) == (y.slot, y.of)
                and _differ(left, x, right, y)
                and _of_the_same(left, x, right, y, least)
            ):
                return of_values(Slot.VALUE, True, x.filler, y.filler, CONFIDENCE)
    return None


def _differ(left: Statement, x: Filled, right: Statement, y: Filled) -> bool:
    """Whether two fillers name different things: no word is in both, nor most of the characters of one in the other."""
    a, b = (EDGES.sub(r"\1", one.filler) for one in (x, y))
    if not a or not b or a in b or b in a or _is_time(left, x) is not _is_time(right, y):
        return False
    counted = NUMERAL.findall(a), NUMERAL.findall(b)
    if counted[0] and counted[0] == counted[1]:
        return False
    if len(set(a) & set(b)) > min(len(a), len(b)) * ALIKE:
        return False
    return _words(left, x).isdisjoint(_words(right, y))


def _is_time(statement: Statement, one: Filled) -> bool:
    return any(
        t.kind is Kind.DATE or t.unit == CLOCK for t in statement.terms if one.start <= t.start < one.end
    )


def _words(statement: Statement, one: Filled) -> set[str]:
    """Returns the keys of the words in a filler."""
    return {
        t.key
        for t in statement.terms
        if one.start <= t.start < one.end and statement.text[t.start : t.end] in one.filler
    }


def _of_the_same(left: Statement, x: Filled, right: Statement, y: Filled, least: int) -> bool:
    return one_matter(matter(left, x.start, x.end), matter(right, y.start, y.end), least=least)


def _filled(text: str) -> tuple[Filled, ...]:
    """Returns the slots that a text fills."""
    return tuple(_fillings(text))


def _fillings(text: str) -> Iterator[Filled]:
    for slot, hint, pattern in _patterns():
        if hint not in text or (found := pattern.search(text)) is None:
            continue
        filler = found["filler"]
        if NO_FILLER.match(filler) is None and _is_told(text, found.start()) and _is_a_thing(filler):
            of = found.groupdict().get("of", "")
            yield Filled(slot=slot, of=of, filler=filler, start=found.start(), end=found.end())


def _is_told(text: str, at: int) -> bool:
    """Whether what follows is neither denied nor thought of."""
    begin, _ = clause_of(text, at, at)
    before = text[begin:at]
    return DENIED.search(before) is None and THOUGHT.search(before) is None


def _is_a_thing(filler: str) -> bool:
    """Whether it names something, and tells nothing of it: 在酒店办, 在招老师, 开的车很旧."""
    *before, last = tagged(filler)
    if not before:
        return last.kind != "f" or len(filler) > 1
    return not last.kind.startswith(TELLING) and not any(word.kind.startswith("v") for word in before)


@cache
def _patterns() -> tuple[tuple[int, str, re.Pattern[str]], ...]:
    """Returns each wording as a pattern, with its slot and a word that it has. A filler goes to the clause's end."""
    found = []
    for slot, line in enumerate(SLOTS.splitlines()):
        for wording in line.split():
            before, after = wording.split("…")
            sure = re.findall(r"[\u4e00-\u9fff](?![?*])", VARYING.sub("", wording))
            hint = sure[0] if sure else ""
            found.append((slot, hint, re.compile(before + FILLER + (after or "(?:了|的)?" + ENDS))))
    for slot, office in enumerate(sorted(OFFICES), start=len(SLOTS.splitlines())):
        found += [(slot, office, re.compile(one.format(office=office, filler=FILLER))) for one in HELD]
    return tuple(found)
