"""Whether two sentences cannot both be true, as far as words show.

Law: pure, deterministic, symmetric but for the order of the values. A contradiction is found by
the same subject and slot with a differing value, or by a denial of what the other asserts; never
by similarity. When in doubt there is none: a missed one leaves two facts side by side, an
invented one stops both.
"""

from itertools import product

from core.agents.offline.claims.alignment import speak_of_one_thing
from core.agents.offline.claims.comparison import compare, tells_of_another
from core.agents.offline.claims.denial import contrasts, denials, exclusions
from core.agents.offline.claims.ending import endings
from core.agents.offline.claims.finding import Contradiction, Slot
from core.agents.offline.claims.reading import read
from core.agents.offline.claims.replacement import replaced
from core.agents.offline.claims.statement import Statement, Term

MOST_CLAUSES = (
    16  # compared of a sentence: of 36,000 sentences five had more, and all of them were rows of tables
)

__all__ = ["Contradiction", "Slot", "contradiction", "contradicts"]


def contradicts(a: str, b: str, *, same_matter: bool = False) -> Contradiction | None:
    """Returns the most certain contradiction between two sentences, or None; see `contradiction`."""
    return contradiction(read(a), read(b), same_matter=same_matter)


def contradiction(left: Statement, right: Statement, *, same_matter: bool = False) -> Contradiction | None:
    """Returns the most certain contradiction between two sentences read, or None.

    `same_matter`: the caller knows that both speak of one thing (as by nearness among many), so
    that less of their words must agree. Of sentences that join several each part is compared, too.
    A sentence said again contradicts nothing, though its own parts may ("set for the 14th, moved to the 21st").
    """
    if left.text == right.text:
        return None
    found = _between(left, right, same_matter)
    if found is not None or not (left.parts or right.parts) or not (left.told and right.told):
        return found
    if not speak_of_one_thing(left, right):
        return None
    parts = product(left.parts or (left,), right.parts or (right,))
    each = (_between(x, y, same_matter) for x, y in parts)
    return max(filter(None, each), key=lambda one: one.confidence, default=None)


def _between(left: Statement, right: Statement, same_matter: bool) -> Contradiction | None:
    """Returns the most certain contradiction between two sentences as wholes."""
    if not _comparable(left, right):
        return None
    if not (left.personal or speak_of_one_thing(left, right)):
        return None  # nothing in common, but for who speaks: no subject, no frame
    if left.labels and right.labels and left.labels.isdisjoint(right.labels):
        return None  # "Phase 1" and "Phase 2" are two things
    if tells_of_another(left, right) and not left.denied and not right.denied:
        return None
    if left.defines and right.defines and left.defines != right.defines:
        return None
    compared = _compared(left, right, same_matter)
    found = [one for one in compared if one.slot is Slot.DENIAL or not _equal(one.value_a, one.value_b)]
    return max(found, key=lambda one: one.confidence, default=None)


def _compared(left: Statement, right: Statement, same_matter: bool) -> list[Contradiction]:
    """Returns what the rules find in the terms of both."""
    found = [
        *_one_sided(left, right, same_matter),
        *(one.turned() for one in _one_sided(right, left, same_matter)),
    ]
    if not (left.hedged or right.hedged):
        both = (replaced(compare(left, x, right, y, same_matter)) for x, y in _views(left, right))
        found += [one for one in both if one is not None]
    return found


def _comparable(left: Statement, right: Statement) -> bool:
    """Whether both assert something as it is, in one language, and not of a pronoun whose meaning is open."""
    if not (left.told and right.told):
        return False
    if left.chinese is not right.chinese or left.mood != right.mood:
        return False
    if left.personal != right.personal or left.personal == "it":
        return False
    if left.speaker == right.speaker:
        return True
    return not left.personal and _speaks_for_itself(left, right) and _speaks_for_itself(right, left)


def _speaks_for_itself(one: Statement, other: Statement) -> bool:
    """Whether a sentence means the same without what stands before its colon: a speaker, not a key ("top-k: …").

    Behind a label a state may ("**Finding**: the CEO is …"), an act belongs to the label ("**Role**: …").
    """
    if any(character in "-_./0123456789" for character in one.speaker):
        return False
    return not one.labelled or one.state and not other.labelled


def _equal(a: str, b: str) -> bool:
    """Whether both sides have the same words at issue: nothing that equals itself contradicts itself."""
    return "".join(filter(str.isalnum, a.lower())) == "".join(filter(str.isalnum, b.lower()))


def _one_sided(left: Statement, right: Statement, same_matter: bool) -> list[Contradiction]:
    return [
        *denials(left, right, same_matter),
        *contrasts(left, right),
        *exclusions(left, right),
        *endings(left, right),
    ]


def _views(left: Statement, right: Statement) -> list[tuple[tuple[Term, ...], tuple[Term, ...]]]:
    """Returns the pairs to compare: the whole against the whole, and each clause (with its subject) against each; of
    sentences without end the first MOST_CLAUSES."""
    views = [(left.asserted, right.asserted)]
    if left.clauses > 1 or right.clauses > 1:
        views += product(left.claims[:MOST_CLAUSES], right.claims[:MOST_CLAUSES])
    return [(x, y) for x, y in views if x and y]
