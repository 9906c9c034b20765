"""Whether a user takes back, in so many words, one thing they said.

Law: pure. Three things must come together: a sentence that takes back, by its opening
(`core/language/*/corrections.txt`) or as the Reader reads it; a contradiction that the Judge found; and what is taken
back is near: said a few turns before, or denied by its own words. Where it is both and the Judge finds none, the two
are told together: "No, not Thursday, make that Friday" says too little for a Judge, and for a reader.
"""

import re
from collections.abc import Callable
from functools import cache

from core.agents.offline.denials import denied
from core.language import in_all
from core.long_term.texts import statement
from core.model.record import Origin, Record
from core.text.analysis import terms

TURNS_BEFORE = 3
"""How far back a correction reaches that does not name what it takes back."""
LIKELY, NAMING = 0.5, 0.2
"""The Reader's likelihood from which on a sentence takes back; of one that denies a word of what it takes back."""


def corrects(correction: Record, earlier: Record, likelihood: Callable[[str], float]) -> bool:
    """Whether `correction` takes back `earlier`, which it contradicts. `likelihood`: of a sentence, that it takes
    something back, by the Reader; not asked where the rest tells."""
    if correction.origin is not Origin.STATED:
        return False
    names = _names(correction, earlier)
    if not names and not _just_said(correction, earlier):
        return False
    said = statement(correction)
    return _openings().match(said) is not None or likelihood(said) >= (NAMING if names else LIKELY)


def denies(correction: Record, earlier: Record, likelihood: Callable[[str], float]) -> bool:
    """Whether `correction` denies a word of what was just said."""
    if correction.origin is not Origin.STATED or not _just_said(correction, earlier):
        return False
    said = statement(correction)
    return _names(correction, earlier) and (_openings().match(said) is not None or likelihood(said) >= LIKELY)


def _just_said(correction: Record, earlier: Record) -> bool:
    if not correction.conversation_id or correction.conversation_id != earlier.conversation_id:
        return False
    pairs = ((later, before) for later in correction.steps for before in earlier.steps)
    return any(0 <= later - before <= TURNS_BEFORE for later, before in pairs)


def _names(correction: Record, earlier: Record) -> bool:
    """Whether the correction denies a word of what it takes back: "Mishka, not Miso"."""
    return not denied(statement(correction)).isdisjoint(terms(statement(earlier)))


@cache
def _openings() -> re.Pattern[str]:
    """Returns what begins a correction; in a language that has spaces, whole words."""
    openings = in_all("corrections")
    ended = (re.escape(entry) + (r"\b" if entry[-1].isascii() else "") for entry in openings)
    return re.compile("|".join(ended), re.IGNORECASE)
