"""What rules for all languages take for a contradiction in Chinese, and is none.

Law: pure; looks at one contradiction found, and only ever says that it is none.
"""

import re

from core.agents.offline.claims.directions import agree_in_direction
from core.agents.offline.claims.finding import Contradiction, Slot
from core.agents.offline.claims.matter import clause_of, of_others
from core.agents.offline.claims.occasions import at_other_times, then_and_now
from core.agents.offline.claims.statement import Statement

DENIES = re.compile(
    "(?:不[见会能准许让用要再肯]?|[没未]有?|无法|禁止|严禁|谢绝|缺少?|丢了?|失去)[^，。；]{0,3}$"
)


def agrees(left: Statement, right: Statement, found: Contradiction) -> bool:
    """Whether what was found is none: both deny it, it is told of two things, or of then and now."""
    if found.slot in (Slot.DENIAL, Slot.OPPOSITE) and at_other_times(left, right):
        return True
    if found.slot is Slot.DENIAL:
        return _denies(left, found.value_a) and _denies(right, found.value_b)
    if found.slot is Slot.NUMBER and then_and_now(left, right):
        return True
    return of_others(left, right) or agree_in_direction(left, right)


def _denies(statement: Statement, value: str) -> bool:
    """Whether a word in front of the value denies it."""
    at = statement.text.find(value)
    if at < 0:
        return False
    begin, _ = clause_of(statement.text, at, at)
    return DENIES.search(statement.text[begin:at]) is not None
