"""What a comparer makes of two sentences, beside what words say: contradictions, and what says the same.

Law: pure. Of brief notes it is asked about sentences that tell something and that nothing sets apart: an entry of a
list, who speaks, a label, the mood, a figure that leaves room. Longer texts are not asked about: in them some two
sentences always look as if. Where a word or two stand for others it may find that they say the same and no
contradiction: rules know which words exclude each other. A comparer gives no reason, so only what it is sure of counts.
Of what rules find in brief notes it may rule out both: a contradiction, and that the sentences say the same.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
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

CONTRADICTION = 0.85  # likelihood from which a contradiction counts
POSSIBLE = 0.08  # likelihood below which rules are mistaken in what is doubtful
APART = 0.9  # likelihood of a contradiction from which nothing is merged, though words say the same
DOUBTFUL = (Slot.DENIAL, Slot.NUMBER, Slot.OPPOSITE, Slot.EXCLUSION)
SAMENESS = 0.85  # likelihood from which two sentences say the same: a false merge hides what was told
END = " .!。！"
LEADING_IT = re.compile(r"it(?:['’]s| is| was)\b.*\b(?:who|that)\b", re.IGNORECASE)


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
        if told.contradiction >= CONTRADICTION and not _replaces_few(ours.statement, theirs.statement):
            found = _contradiction(ours.statement, theirs.statement, told.contradiction)
            yield Clash(found=found, i=i, j=j, generated=ours.generated or theirs.generated)


def possible(found: Iterable[Clash], likely: Mapping[Place, Likelihood]) -> list[Clash]:
    """Returns the contradictions that the comparer does not rule out."""
    return [clash for clash in found if not _ruled_out(clash, likely.get((clash.i, clash.j)))]


def _ruled_out(clash: Clash, told: Likelihood | None) -> bool:
    """Whether the comparer is sure that both hold. Where a name or a value stands for another ("is known for …") it
    nearly always is, and rules take that for a change."""
    return told is not None and told.contradiction < POSSIBLE and clash.found.slot in DOUBTFUL


def _replaces_few(left: Statement, right: Statement) -> bool:
    """Whether one word differs, or two stand for two. Rules know better whether both may hold: one person may speak
    French and German, or have a brother and a sister, but is based in one town."""
    laid = align(left.terms, right.terms, left.chinese)
    ours, theirs = len(laid.only_a), len(laid.only_b)
    return max(ours, theirs) <= 1 or ours == theirs == 2


def apart(likely: Mapping[Place, Likelihood]) -> bool:
    """Whether it is sure of a contradiction of any two sentences: then neither side holds the other."""
    return any(told.contradiction >= APART for told in likely.values())


def said_alike(new: Side, other: Side, likely: Mapping[Place, Likelihood]) -> Flags:
    """Returns which sentences say the same by the comparer: shape (new sentences, other sentences)."""
    alike = np.zeros((len(new.sentences), len(other.sentences)), np.bool_)
    for (i, j), told in likely.items():
        ours, theirs = new.sentences[i].statement, other.sentences[j].statement
        if told.sameness >= SAMENESS:
            alike[i, j] = may_say_the_same(ours, theirs)
    return alike


def _may_be_compared(left: Statement, right: Statement) -> bool:
    """Whether both tell something, in one language, with several words apart, and nothing sets them apart."""
    if not (_tells(left) and _tells(right)) or left.chinese is not right.chinese:
        return False
    if left.mood != right.mood or left.speaker != right.speaker or tells_of_another(left, right):
        return False
    if left.labels and right.labels and left.labels.isdisjoint(right.labels):
        return False
    laid = align(left.terms, right.terms, left.chinese)
    if not laid.pairs and not left.chinese:  # Chinese words are cut out of the text, and not always alike
        return False
    if (left.hedged or right.hedged) and all(laid.left(Kind.NUMBER)):
        return False  # "roughly a hundred" and "98" both hold
    return not (_leaves_room(laid) or _with_and_without(laid))


def _tells(statement: Statement) -> bool:
    """Whether it says, or orders, something, whatever else may happen, and of what: "it" may be anything, unless it
    leads to what is told ("It was Ann who called")."""
    if statement.question or statement.conditional:
        return False
    return statement.personal != "it" or LEADING_IT.match(statement.text) is not None


def _leaves_room(laid: Alignment) -> bool:
    """Whether a figure of the one leaves room for that of the other: "over 15" and "18" both hold. A comparer does not
    see that."""
    return any(ours.bound != theirs.bound for ours, theirs in laid.pairs)


def _with_and_without(laid: Alignment) -> bool:
    """Whether each has a figure of its own, with something and without it: two prices."""
    return all(laid.left(Kind.NUMBER)) and any(ours.denial != theirs.denial for ours, theirs in laid.pairs)


def _contradiction(left: Statement, right: Statement, likelihood: float) -> Contradiction:
    """Returns the contradiction of two sentences. Which words are at issue a comparer does not say: all of them are."""
    ours, theirs = (one.text.rstrip(END) for one in (left, right))
    return of_values(Slot.VALUE, left.chinese, ours, theirs, likelihood)
