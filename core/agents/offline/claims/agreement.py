"""What rules for all languages take for a contradiction in Chinese, and is none.

Law: pure; looks at one contradiction found, and only ever says that it is none.
"""

import re

from core.agents.offline.claims.directions import agree_in_direction
from core.agents.offline.claims.finding import Contradiction, Slot
from core.agents.offline.claims.matter import clause_of, of_others
from core.agents.offline.claims.occasions import at_other_times, then_and_now
from core.agents.offline.claims.statement import Statement
from core.text.chinese import tagged

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


def of_two_sorts(found: Contradiction) -> bool:
    """Whether one value says what is done, and the other names a thing, or what else is done: 在河边, 在招老师."""
    if found.slot is not Slot.VALUE:
        return False
    done = [_done(found.value_a), _done(found.value_b)]
    return any(done) and done[0].isdisjoint(done[1])


def _done(value: str) -> set[str]:
    """Returns the verbs of a value."""
    return {word.text for word in tagged(value) if word.kind.startswith("v")}


def _denies(statement: Statement, value: str) -> bool:
    """Whether a word in front of the value denies it."""
    at = statement.text.find(value)
    if at < 0:
        return False
    begin, _ = clause_of(statement.text, at, at)
    return DENIES.search(statement.text[begin:at]) is not None
