"""What a verdict's words decide: one value, or that there is no contradiction.

Law: by the words themselves. A verdict that calls something wrong decides for the rest, whatever
else it says; one that says neither decides too, as most do: "the museum is open until 20:00".
"""

import re

from core.language import LANGUAGES, cue
from core.language.cues import NOTHING
from core.model.conflict import VerdictType

APART = cue("verdict_apart", re.IGNORECASE)
WRONG = [
    tuple(
        re.compile(each or NOTHING, re.IGNORECASE)
        for each in (one.cues.verdict_wrong, one.cues.verdict_denied)
    )
    for one in LANGUAGES
]
"""Of each language what calls wrong, and what denies that."""
APOSTROPHE = str.maketrans("’", "'")


def verdict_type(verdict: str) -> VerdictType:
    """Returns how the words settle a conflict."""
    text = verdict.translate(APOSTROPHE)
    if APART.search(text) is None or any(_calls_wrong(text, *one) for one in WRONG):
        return VerdictType.MERGE
    return VerdictType.DISMISS


def _calls_wrong(text: str, wrong: re.Pattern[str], negated: re.Pattern[str]) -> bool:
    return any(negated.search(text[: found.start()]) is None for found in wrong.finditer(text))
