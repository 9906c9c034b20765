"""What a comparer finds in two brief notes, beside what words say: contradictions, and what says the same.

Law: pure. Asked about are sentences that assert something and that nothing sets apart: an entry of a list, who speaks,
the mood, the time. Longer texts are not: in them some two sentences always look as if. Nor are sentences that differ
in one word: rules know which words exclude each other. A comparer gives no reason, so only what it is very sure of
counts.
"""

from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np

from core.agents.offline.claims.alignment import Alignment, align
from core.agents.offline.claims.comparison import tells_of_another
from core.agents.offline.claims.finding import Contradiction, Slot, of_values
from core.agents.offline.claims.statement import Kind, Statement
from core.agents.offline.judging.conflict import Clash
from core.agents.offline.judging.merge import Flags
from core.agents.offline.judging.topic_sentences import Side
from core.agents.offline.sameness import may_say_the_same
from core.ports.comparer import Likelihood

Place = tuple[int, int]
"""A sentence of the new side, and one of the other."""

CONTRADICTION = 0.9  # likelihood from which a contradiction counts
SAMENESS = 0.9  # likelihood from which two sentences say the same: a false merge hides what was told
END = " .!。！"


def worth_asking(new: Side, other: Side) -> list[Place]:
    """Returns the pairs of sentences to ask a comparer about."""
    if not (new.brief and other.brief):
        return []
    return [
        (i, j)
        for (i, ours), (j, theirs) in product(enumerate(new.sentences), enumerate(other.sentences))
        if ours.entry == theirs.entry and _may_be_compared(ours.statement, theirs.statement)
    ]


def likely_clashes(new: Side, other: Side, likely: Mapping[Place, Likelihood]) -> Iterator[Clash]:
    """Yields the contradictions that the comparer is sure of."""
    for (i, j), told in likely.items():
        ours, theirs = new.sentences[i], other.sentences[j]
        if told.contradiction >= CONTRADICTION:
            found = _contradiction(ours.statement, theirs.statement, told.contradiction)
            yield Clash(found=found, i=i, j=j, generated=ours.generated or theirs.generated)


def said_alike(new: Side, other: Side, likely: Mapping[Place, Likelihood]) -> Flags:
    """Returns which sentences say the same by the comparer: shape (new sentences, other sentences)."""
    alike = np.zeros((len(new.sentences), len(other.sentences)), np.bool_)
    for (i, j), told in likely.items():
        if told.sameness >= SAMENESS:
            alike[i, j] = may_say_the_same(new.sentences[i].statement, other.sentences[j].statement)
    return alike


def _may_be_compared(left: Statement, right: Statement) -> bool:
    """Whether both assert something, have a word in common and several apart, and nothing sets them apart."""
    if not (_asserts(left) and _asserts(right)) or left.chinese is not right.chinese:
        return False
    if left.mood != right.mood or left.speaker != right.speaker:
        return False
    if left.labels and right.labels and left.labels.isdisjoint(right.labels) or tells_of_another(left, right):
        return False
    laid = align(left.terms, right.terms, left.chinese)
    return bool(laid.pairs) and not any(apart(laid) for apart in APART)


def _asserts(statement: Statement) -> bool:
    """Whether it says that something is so, and of what: "it" may be anything."""
    return statement.told and not statement.hedged and statement.personal != "it"


def _replaces_one(laid: Alignment) -> bool:
    """Whether at most one word differs on either side. Rules know better whether both may hold: one person may speak
    French and German, but is based in one town."""
    return max(len(laid.only_a), len(laid.only_b)) <= 1


def _of_two_times(laid: Alignment) -> bool:
    """Whether each names a time that the other does not, and more besides: both may have been so."""
    return all(laid.left(Kind.DATE)) and any(
        term.kind is not Kind.DATE for term in (*laid.only_a, *laid.only_b)
    )


def _leaves_room(laid: Alignment) -> bool:
    """Whether a figure of the one leaves room for that of the other: "over 15" and "18" both hold. A comparer does not
    see that."""
    return any(ours.bound != theirs.bound for ours, theirs in laid.pairs)


def _with_and_without(laid: Alignment) -> bool:
    """Whether each has a figure of its own, with something and without it: two prices."""
    return all(laid.left(Kind.NUMBER)) and any(ours.denial != theirs.denial for ours, theirs in laid.pairs)


APART = (_replaces_one, _of_two_times, _leaves_room, _with_and_without)


def _contradiction(left: Statement, right: Statement, likelihood: float) -> Contradiction:
    """Returns the contradiction of two sentences. Which words are at issue a comparer does not say: all of them are."""
    ours, theirs = (one.text.rstrip(END) for one in (left, right))
    return of_values(Slot.VALUE, left.chinese, ours, theirs, likelihood)
