"""Sentences of the same words in another order: "A over B" and "B over A", "before lunch" and "after lunch".

Law: pure. Only what stands on both sides of a word that is not the same both ways is turned round.
"""

import re

from core.agents.offline.claims.alignment import align
from core.agents.offline.claims.statement import Statement, Term

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
ORDERED = re.compile(r"先|[之以][前后]")  # what every sequence has, soon looked for
SEQUENCES = (  # of two acts in Chinese, which comes first
    re.compile(r"先(?P<earlier>[^，。；]+)[，,]?(?:再|然后|接着|最后)(?P<later>[^。；]+)"),
    re.compile(r"(?P<later>[^，。；]+?)(?:之前|以前)[，,]?(?:[要得]|必须)?先(?P<earlier>[^。；]+)"),
    re.compile(r"(?P<later>[^，。；]+?)[在是](?P<earlier>[^，。；]+?)(?:之后|以后)"),
    re.compile(r"(?P<earlier>[^，。；]+?)(?:之后|以后)[，,]?(?:才|再)(?P<later>[^。；]+)"),
)
EITHER_ALONE = frozenset({(True, False), (False, True)})  # of two opposed words the one, and the other


def turned_round(left: Statement, right: Statement) -> bool:
    """Whether what both say is said the other way round: exchanged around a word, or with its opposite, not both."""
    ours, theirs = left.in_text(_sequence), right.in_text(_sequence)
    if ours is not None and theirs is not None:
        return _acts_exchanged(left, ours, right, theirs)
    return _exchanged(left, right) is not turned_by_place_or_time(left, right)


def _sequence(text: str) -> re.Match[str] | None:
    """Returns what is told to be earlier and later than the other, where a sentence tells it."""
    if ORDERED.search(text) is None:
        return None
    return next((found for one in SEQUENCES if (found := one.search(text))), None)


def _acts_exchanged(left: Statement, ours: re.Match[str], right: Statement, theirs: re.Match[str]) -> bool:
    """Whether what is earlier in one sentence is later in the other, both ways."""
    pairs = align(left.asserted, right.asserted, left.chinese).pairs
    told = {(_part(ours, x), _part(theirs, y)) for x, y in pairs}
    return ("earlier", "later") in told and ("later", "earlier") in told


def _part(sequence: re.Match[str], term: Term) -> str:
    """Returns the part of a sequence in which a term stands, "" for neither."""
    parts = ("earlier", "later")
    return next((one for one in parts if sequence.start(one) <= term.start < sequence.end(one)), "")


def turned_by_place_or_time(left: Statement, right: Statement) -> bool:
    """Whether two words of place or time exclude each other, each on one side alone."""
    ours, theirs = left.in_text(_directions), right.in_text(_directions)
    return any({a, b} == EITHER_ALONE for a, b in zip(ours, theirs, strict=True))


def _directions(text: str) -> tuple[tuple[bool, bool], ...]:
    """Returns for each two opposed words which of them the text has."""
    return tuple((one.search(text) is not None, other.search(text) is not None) for one, other in OPPOSED)


def _pivot(text: str) -> re.Match[str] | None:
    return PIVOT.search(text)


def _exchanged(left: Statement, right: Statement) -> bool:
    """Whether something stands before the word that turns in one sentence and behind it in the other, and back."""
    a, b = left.in_text(_pivot), right.in_text(_pivot)
    if a is None or b is None or left.passive is not right.passive:
        return False
    pairs = align(left.asserted, right.asserted, left.chinese).pairs
    over = any(x.end <= a.start() and y.start >= b.end() for x, y in pairs)
    return over and any(x.start >= a.end() and y.end <= b.start() for x, y in pairs)
