"""A language: what it is known by, and what the service writes in it.

Law: data alone; nothing but `core.language` makes one.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from core.language.attribution import NO_ATTRIBUTION, Attribution
from core.language.cues import NO_CUES, Cues
from core.language.dates import Dates
from core.language.headings import Wording, Words
from core.language.phrases import Marks, Phrases
from core.language.requests import NO_REQUESTS, Requests
from core.language.times import NO_TIMES, Times
from core.language.words import Word, nothing, uncut, unknown


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Language:
    """`code`: of ISO 639. `package`: where its word lists lie.

    `letters`: what a text in it has and others have not; each counts `weight` words. `is_spaced`: its words stand
    apart, so that a length is counted in words rather than in characters; where they do not, `tagged` cuts them
    and `rarity` tells how rare one is, 0 to 18. `prepare` reads what its first word would else wait for.
    """

    code: str
    package: str
    letters: re.Pattern[str]
    weight: float
    is_spaced: bool
    task_headings: Wording
    guidelines: str
    phrases: Phrases
    attribution: Attribution = NO_ATTRIBUTION
    times: Times = NO_TIMES
    cues: Cues = NO_CUES
    requests: Requests = NO_REQUESTS
    tagged: Callable[[str], list[Word]] = uncut
    rarity: Callable[[str], float] = unknown
    prepare: Callable[[], None] = nothing

    @property
    def headings(self) -> Words:
        """Those of an assembled context."""
        return self.task_headings.context

    @property
    def dates(self) -> Dates:
        """How it writes days."""
        return self.headings.dates

    @property
    def marks(self) -> Marks:
        """What stands between parts of a line."""
        return self.phrases.marks
