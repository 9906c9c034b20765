"""What somebody never does, against a telling that he did: "I have never been to Japan", "When I was in Kyoto …".

Law: pure; English only. One sentence denies an act of a class, the other tells one of that class by the same subject,
of the same thing or of an example of it.
"""

import re
from collections.abc import Iterator
from functools import cache

from core.agents.offline.claims.alignment import falls_under, matches
from core.agents.offline.claims.finding import Contradiction, Slot, found
from core.agents.offline.claims.frame_en import Frame, frame
from core.agents.offline.claims.statement import Kind, Statement, Term
from core.agents.offline.claims.values_en import ACTS
from core.agents.offline.claims.vocabulary import english_key, vocabulary

CONFIDENCE = 0.7
DENYING_EN = re.compile(r"\b(?:not|no|never|nobody|nothing|none|neither|cannot)\b|n['’]t\b", re.IGNORECASE)
WHOSE = re.compile(r"(?:my|our|your|his|her|their)\b", re.IGNORECASE)
OWN = frozenset({"i", "my"})


def never_done(left: Statement, right: Statement) -> Iterator[Contradiction]:
    """Yields the acts that the left sentence denies and the right one tells."""
    if not left.denied or right.denied or DENYING_EN.search(right.text) or not _of_one_doer(left, right):
        return
    ours, theirs = left.kept(frame), right.kept(frame)
    for acts in left.in_text(_acts) & right.in_text(_acts):
        verbs = _forms()[acts]
        objects = [t for t in ours.terms if not t.asserted and _shown(ours, t) not in verbs]
        held = [next((y for y in theirs.terms if _is(x, y)), None) for x in objects]
        if objects and all(held):
            told = tuple(y for y in held if y is not None)
            yield found(Slot.DENIAL, left, objects, right, told, CONFIDENCE)


def _of_one_doer(left: Statement, right: Statement) -> bool:
    a, b = left.personal, right.personal
    if (a or b) and not (a == b != "it" or {a, b} == OWN):
        return False
    doers = [side.terms[: side.subject_end] for side in (left, right)]
    if not (a or all(doers)) or any(
        WHOSE.match(s.text) and not d for s, d in zip((left, right), doers, strict=True)
    ):
        return False
    named = all(any(matches(x, y) for y in right.terms) for x in doers[0])
    return named and all(any(matches(x, y) for x in left.terms) for y in doers[1])


def _is(kind: Term, one: Term) -> bool:
    if matches(kind, one) or falls_under(kind, one, chinese=False):
        return True
    examples = vocabulary(chinese=False).kinds.get(english_key(kind.key), frozenset())  # a country has cities
    return kind.kind is one.kind is Kind.NAME and english_key(one.key) in examples


def _shown(side: Frame, term: Term) -> str:
    return side.statement.text[term.start : term.end].lower()


def _acts(text: str) -> frozenset[str]:
    """Returns the classes of acts that the text's words tell."""
    told = set(re.findall(r"[a-z]+", text.lower()))
    return frozenset(name for name, forms in _forms().items() if not forms.isdisjoint(told))


@cache
def _forms() -> dict[str, frozenset[str]]:
    lines = (line.split(": ") for line in ACTS.strip().splitlines())
    return {name: frozenset(forms.split()) for name, forms in lines}
