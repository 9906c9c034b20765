"""Whether a user takes back, in so many words, one thing they said.

Law: pure. Three things must come together: an opening that takes back (`core/language/*/corrections.txt`), a
contradiction that the Judge found, and what is taken back is near: said a few turns before, or denied by its own words.
"""

import re
from functools import cache

from core.agents.offline.denials import denied
from core.language import in_all
from core.long_term.texts import statement
from core.model.record import Origin, Record
from core.text.analysis import terms

TURNS_BEFORE = 3
"""How far back a correction reaches that does not name what it takes back."""


def corrects(correction: Record, earlier: Record) -> bool:
    """Whether `correction` takes back `earlier`, which it contradicts."""
    if correction.origin is not Origin.STATED or not _openings().match(statement(correction)):
        return False
    return _just_said(correction, earlier) or _names(correction, earlier)


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
