"""Sentences of the same words in another order: "A over B" and "B over A", "before lunch" and "after lunch".

Law: pure. Only what stands on both sides of a word that is not the same both ways is turned round.
"""

import re

from core.agents.offline.claims.alignment import align
from core.agents.offline.claims.statement import Statement

PIVOT = re.compile(
    r"\b(?:over|than|before|after|beats?|defeat(?:s|ed)|from(?!.*\bto\b)|to|above|below|behind|instead of"
    r"|rather than|under|taught)\b|比|胜过|超过|击败|打败|战胜|输给|败给|发给|寄给|交给|借给"
    r"|先于|早于|晚于|高于|低于|多于|少于|再",
    re.IGNORECASE,
)
OPPOSED = (
    (
        re.compile(r"\bbefore\b|\bahead of\b|以前|之前|(?<=[^\W\d_])前(?=[^面])", re.IGNORECASE),
        re.compile(r"\bafter\b|\bbehind\b|以后|之后|(?<=[^\W\d_])后(?=[^面])", re.IGNORECASE),
    ),
    (re.compile(r"\b(?:turned|switched) on\b", re.I), re.compile(r"\b(?:turned|switched) off\b", re.I)),
    (re.compile(r"\bwell\b", re.I), re.compile(r"\b(?:badly|poorly)\b", re.I)),
    (re.compile(r"\bwith\b", re.IGNORECASE), re.compile(r"\bwithout\b", re.IGNORECASE)),
    (
        re.compile(r"\b(?:above|over)\b|上面|上方", re.IGNORECASE),
        re.compile(r"\b(?:below|under|beneath)\b|下面|下方", re.IGNORECASE),
    ),
    (re.compile(r"\bup\b", re.IGNORECASE), re.compile(r"\bdown\b", re.IGNORECASE)),
    (re.compile(r"\bon\b", re.IGNORECASE), re.compile(r"\boff\b", re.IGNORECASE)),
    (re.compile(r"\bin (?:work|service|stock|use)\b"), re.compile(r"\bout of (?:work|service|stock|use)\b")),
    (re.compile(r"\binside\b|里面", re.IGNORECASE), re.compile(r"\boutside\b|外面", re.IGNORECASE)),
)


def turned_round(left: Statement, right: Statement) -> bool:
    """Whether what both say is said the other way round: exchanged around a word, or with its opposite, not both."""
    return _exchanged(left, right) is not (opposed(left.text, right.text) is not None)


def opposed(left: str, right: str) -> tuple[str, str] | None:
    """Returns two words of place or time that exclude each other, each on one side alone."""
    for one, other in OPPOSED:
        for ours, theirs in ((one, other), (other, one)):
            a, b = ours.search(left), theirs.search(right)
            if a and b and not theirs.search(left) and not ours.search(right):
                return a.group(), b.group()
    return None


def _exchanged(left: Statement, right: Statement) -> bool:
    """Whether something stands before the word that turns in one sentence and behind it in the other, and back."""
    a, b = PIVOT.search(left.text), PIVOT.search(right.text)
    if a is None or b is None or left.passive is not right.passive:
        return False
    pairs = align(left.asserted, right.asserted, left.chinese).pairs
    over = any(x.end <= a.start() and y.start >= b.end() for x, y in pairs)
    return over and any(x.start >= a.end() and y.end <= b.start() for x, y in pairs)
