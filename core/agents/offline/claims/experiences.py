"""What is had or done and what never was: "has never flown", "flew to Kunming". Chinese alone.

Law: pure. A sentence denies that something was ever done (没…过, 从来不…), still is (不当…了) or is had (没有…), and
the other tells, of the same, that it was or is: the same act, or another word for it, with the same object.
"""

import re
from dataclasses import dataclass

from core.agents.offline.claims.finding import Contradiction, Slot, of_values
from core.agents.offline.claims.lexicon_frames_zh import ACTS
from core.agents.offline.claims.matter import PAUSE, before, clause_of, matter, one_matter
from core.agents.offline.claims.statement import Statement

CONFIDENCE = 0.75
NEVER = re.compile(
    r"(?:没有?|未曾?|从未|从没有?)(?:被|遭到过?)?(?P<act>[\u4e00-\u9fff]{1,2})过(?P<object>[\u4e00-\u9fffA-Za-z]{1,6})?(?=[，。；！]|$)"
    r"|(?:从未|从没有?|从来没有?)(?P<bare>(?:(?!过)[\u4e00-\u9fff]){2})(?P<of>(?:(?!过)[\u4e00-\u9fff]){0,4})(?=[，。；！]|$)"
    r"|(?:从来?|一向|压根|一直)不(?P<habit>[\u4e00-\u9fff])(?P<what>[\u4e00-\u9fff]{1,4})(?=[，。；！]|$)"
    r"|不再?(?P<stopped>当|做|任|担任|是)(?P<role>[\u4e00-\u9fff]{2,5})了(?=[，。；！]|$)"
    r"|(?P<lacked>没有|缺乏|缺少|不具备|不带|没装|没带|没配)(?P<thing>[\u4e00-\u9fff]{2,6})(?=[，。；！]|$)"
)
DENIES = re.compile("[没未不无别]|想|打算|希望|也许|可能|应该|怕")
HAS = "有"
LEAST_OBJECT = 2  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class NeverDone:
    """What text[start:end] says was never done: an act, and to what."""

    act: str
    done_to: str
    start: int
    end: int


def never_and_done(left: Statement, right: Statement, least: int = 1) -> Contradiction | None:
    """Returns what one never did and the other tells of, or None; `least` as in `one_matter`."""
    if (found := _done(left, right, least)) is not None:
        return found
    found = _done(right, left, least)
    return found.turned() if found is not None else None


def _done(left: Statement, right: Statement, least: int) -> Contradiction | None:
    never = left.in_text(_never)
    if never is None:
        return None
    told = _telling(never, right.text)
    if told is None:
        return None
    start, end = told.span()
    ours, theirs = matter(left, never.start, never.end), matter(right, start, end)
    if not one_matter(before(ours, never.start), before(theirs, start), least=least):
        return None
    return of_values(Slot.DENIAL, True, left.text[never.start : never.end], told.group(), CONFIDENCE)


def _never(text: str) -> NeverDone | None:
    found = NEVER.search(text)
    if found is None:
        return None
    told = found.groupdict()
    act = next(told[one] for one in ("act", "bare", "habit", "stopped", "lacked") if told[one])
    done_to = next((told[one] for one in ("object", "of", "what", "role", "thing") if told[one]), "")
    act = HAS if told["lacked"] else act
    return NeverDone(act=act, done_to=done_to, start=found.start(), end=found.end())


def _telling(never: NeverDone, text: str) -> re.Match[str] | None:
    """Returns where a text tells the act, in one clause with its object, where nothing denies it."""
    if len(never.done_to) < LEAST_OBJECT and len(never.act) < LEAST_OBJECT:
        return None
    acts = next((line.split() for line in ACTS.splitlines() if never.act in line.split()), [never.act])
    act = "(?:" + "|".join(map(re.escape, acts)) + ")"
    found = re.search(act + "[^，。；]{0,8}?" + re.escape(never.done_to), text)
    if found is None:
        return None
    begin, end = clause_of(text, found.start(), found.end())
    told = text[begin:end]
    return None if DENIES.search(told) or PAUSE.search(found.group()) else found
