"""Words by which rules read a sentence of a language.

Law: patterns alone; "" where a language has none, and a rule then finds nothing in it. Rules ask for those of all
languages at once (`core.language.cue`), for people mix languages within a sentence. What is searched in lower case says
so; else case does not count.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Cues:
    """What a sentence says.

    When: `time_words`, `time_figures`, and by the day `day_words`, all in lower case; `date` with its case.
    What it asks: when, or how things are now (`asks_when`, `asks_now`).
    Where a talk turns: `decided`, `changed`, `came_of_it`.
    That something was heard: `acknowledged`, the whole of it.
    That it speaks of what another one named: `refers`, unless what stands before that names something (`named`). What
    makes a subject of the word before it, though that is mostly a verb: `predicate`, the whole word.
    What a verdict calls wrong, not behind what denies that (`verdict_wrong`, `verdict_denied`), or no contradiction
    (`verdict_apart`).
    What a label names: a thing (`entity`) or a `property`. A heading that may stand above anything: `any_heading`.
    What is wanted of memory: `reflects`, `decides`.
    How to answer from now on: `order`, from the beginning, unless it is bound to a time or one talk (`order_bound`).
    Prices and terms: `offered`. How to reach a person: `contact`.

    `domains`: words of each category of long-term memory; `domain_questions`: questions that belong to it.
    """

    time_words: str = ""
    time_figures: str = ""
    day_words: str = ""
    date: str = ""
    asks_when: str = ""
    asks_now: str = ""
    decided: str = ""
    changed: str = ""
    came_of_it: str = ""
    acknowledged: str = ""
    refers: str = ""
    named: str = ""
    predicate: str = ""
    verdict_wrong: str = ""
    verdict_denied: str = ""
    verdict_apart: str = ""
    entity: str = ""
    property: str = ""
    any_heading: str = ""
    reflects: str = ""
    decides: str = ""
    order: str = ""
    order_bound: str = ""
    offered: str = ""
    contact: str = ""
    domains: Mapping[str, str] = field(default_factory=dict)
    domain_questions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


NO_CUES = Cues()
NOTHING = r"(?!)"
"""A pattern that matches nowhere."""


def either(patterns: tuple[str, ...]) -> str:
    """Returns the pattern of any of some; of none, one that matches nowhere."""
    return "|".join(filter(None, patterns)) or NOTHING
