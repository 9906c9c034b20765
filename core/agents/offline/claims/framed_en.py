"""Two English sentences laid side by side by their frames, where plainer rules find nothing.

Law: pure. Both tell what is so, for sure, in one mood, as one speaker does; then the
rules for frames are asked.
"""

import re

from core.agents.offline.claims.comparison import tells_of_another
from core.agents.offline.claims.finding import Contradiction
from core.agents.offline.claims.never_en import never_done
from core.agents.offline.claims.opposed_en import opposed
from core.agents.offline.claims.parties_en import other_parties
from core.agents.offline.claims.statement import Statement
from core.agents.offline.claims.valued_en import valued

ANOTHER = re.compile(r"\b(?:the|an)?other (?!than\b)", re.IGNORECASE)
UNSURE = re.compile(
    r"\b(?:might|could|possibly|perhaps|maybe|probably|likely|would|seems?|appears?|roughly|approximately)\b"
    r"|\bmay (?:not )?(?:become|get|come|have|rain|turn|be (?:an?|the|\w+ing)|one day)\b",
    re.IGNORECASE,
)


def framed(left: Statement, right: Statement) -> list[Contradiction]:
    """Returns what the frames of two English sentences contradict each other in."""
    if not (left.told and right.told) or left.mood != right.mood or left.speaker != right.speaker:
        return []
    if left.in_text(_another) is not right.in_text(_another):
        return []
    if left.in_text(_unsure) or right.in_text(_unsure) or tells_of_another(left, right):
        return []
    never = (*never_done(left, right), *(one.turned() for one in never_done(right, left)))
    return [*opposed(left, right), *valued(left, right), *other_parties(left, right), *never]


def _another(text: str) -> bool:
    return ANOTHER.search(text) is not None


def _unsure(text: str) -> bool:
    """Whether it leaves open what is so; what may be done is told for sure."""
    return UNSURE.search(text) is not None
