"""What a comparer makes of two sentences, beside what words say: contradictions, and what says the same.

Law: pure. Of brief notes it is asked about sentences that tell something and that nothing sets apart: an entry of a
list, who speaks, a time, a figure that leaves room. Longer texts are not asked about: in them some two sentences always
look as if. A comparer gives no reason, so only what it is sure of counts, and where words say the same it finds no
contradiction. Of what rules find in brief notes it may rule out both: a contradiction, and that the sentences say the
same.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from core.agents.offline.claims.alignment import Alignment, align
from core.agents.offline.claims.comparison import tells_of_another
from core.agents.offline.claims.finding import Contradiction, Slot, of_values
from core.agents.offline.claims.statement import Kind, Statement, Term
from core.agents.offline.claims.vocabulary import vocabulary
from core.agents.offline.judging.conflict import Clash
from core.agents.offline.judging.merge import Flags
from core.agents.offline.judging.topic_sentences import Side
from core.agents.offline.sameness import VALUES
from core.ports.comparer import Likelihood

Place = tuple[int, int]
"""A sentence of the new side, and one of the other."""

CONTRADICTION = 0.71  # likelihood from which a contradiction counts
CLOSE = 0.75  # the same where a word or two stand for others
BY_NAME = 0.8  # the same where they share a name and nothing else
FOR_NAME = 0.9  # the same where a name stands for another
ALL_SAID = 0.98  # the same where words say the same
POINTING_ON = 0.9  # the same where one tells of what stands in another sentence
POSSIBLE = 0.4  # likelihood below which rules are mistaken
POSSIBLE_OF_NAMED = 0.01  # the same of what is doubtful, where both name a person or a firm in full
DOUBTFUL = (Slot.DENIAL, Slot.NUMBER, Slot.OPPOSITE, Slot.EXCLUSION)
APART = 0.2  # likelihood of a contradiction from which nothing is merged
APART_ALL = 0.9  # the same where either sentence says all that the other says
SAMENESS = 0.75  # likelihood from which two sentences say the same,
CONTRARY = 0.1  # and that of a contradiction from which they do not: a false merge hides what was told
UNLIKE = 0.05  # likelihood of the same below which words that say the same are mistaken
LEFT_OVER = re.compile(
    r"\b(?:remain(?:s|ed|ing)?|surviv(?:e|es|ed|ing)|left over)\b|[现尚仅]存|剩", re.IGNORECASE
)
CLEFT = re.compile(r"it(?:[’']s| is| was) (?!\w+ed\b)(?:\S+ ){1,8}(?:that|who)\b", re.IGNORECASE)
POINTING = re.compile(r"\b(?:this|these|those)\s+(?:is|are|was|were)\b", re.IGNORECASE)
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


def likely_clashes(
    new: Side, other: Side, likely: Mapping[Place, Likelihood], *, all_said: bool
) -> Iterator[Clash]:
    """Yields the contradictions that the comparer is sure of. `all_said`: words say the same."""
    for (i, j), told in likely.items():
        ours, theirs = new.sentences[i], other.sentences[j]
        if all_said and told.contradiction < ALL_SAID:
            continue
        if _is_sure(told.contradiction, ours.statement, theirs.statement):
            found = _contradiction(ours.statement, theirs.statement, told.contradiction)
            yield Clash(found=found, i=i, j=j, generated=ours.generated or theirs.generated)


def _is_sure(contradiction: float, left: Statement, right: Statement) -> bool:
    """Whether a likelihood is enough. More is asked where a name is all that they share: much may be told of one person
    or firm; and where a word or two stand for others: both may hold of what one likes or sells. Where a name stands for
    another rules decide: one person may speak French and German, and is based in one town. What says all that the
    other says, and more, contradicts nothing."""
    a, b = (one.text.rstrip(END) for one in (left, right))
    if a in b or b in a:
        return False
    laid = align(left.terms, right.terms, left.chinese)
    ours, theirs = len(laid.only_a), len(laid.only_b)
    close = max(ours, theirs) <= 1 or ours == theirs == 2
    if close and all(laid.left(Kind.NAME)):
        several = vocabulary(left.chinese).several
        return contradiction >= FOR_NAME and not any(
            term.key in several for pair in laid.pairs for term in pair
        )
    if not close and (_points(left) or _points(right)):
        return contradiction >= POINTING_ON
    if laid.pairs and all(one.kind is Kind.NAME for one, _ in laid.pairs):
        return contradiction >= BY_NAME
    return contradiction >= (CLOSE if close else CONTRADICTION)


def _points(statement: Statement) -> bool:
    """Whether a sentence tells of what stands in another: "It is signed by Brandt", "In 1931 this was Brandt". A cleft
    does not: "It was Brandt who signed"."""
    return (
        statement.personal == "it"
        and not CLEFT.match(statement.text)
        or POINTING.search(statement.text) is not None
    )


def possible(
    new: Side, other: Side, found: Iterable[Clash], likely: Mapping[Place, Likelihood]
) -> list[Clash]:
    """Returns the contradictions that the comparer does not rule out."""
    return [
        clash
        for clash in found
        if (told := likely.get((clash.i, clash.j))) is None
        or told.contradiction >= _possible_from(new, other, clash)
    ]


def _possible_from(new: Side, other: Side, clash: Clash) -> float:
    """Returns the likelihood below which rules are mistaken. Of whoever is named in full (in two words: in Chinese a
    name does not tell) a change is told by another name or value, and of that the comparer knows little; of a chapel or
    of Ann mostly something else is told. Another name or date beside one that is shared is a change, too."""
    shared = _laid(new, other, (clash.i, clash.j)).pairs
    named = [term for pair in shared for term in pair if term.kind is Kind.NAME]
    in_full = any(len(term.parts) > 1 for term in named)
    if clash.found.slot in DOUBTFUL:
        return POSSIBLE_OF_NAMED if in_full else POSSIBLE
    return 0.0 if in_full or named and clash.found.slot is not Slot.VALUE else POSSIBLE


def apart(new: Side, other: Side, likely: Mapping[Place, Likelihood]) -> bool:
    """Whether any two sentences are likely to contradict each other: then neither side holds the other, though words
    say the same."""
    return any(
        told.contradiction >= APART_ALL or told.contradiction >= APART and not _all_said(new, other, place)
        for place, told in likely.items()
    )


def _all_said(new: Side, other: Side, place: Place) -> bool:
    """Whether each sentence says all that the other says: of "A was bought by B" and "B bought A" rules know more."""
    laid = _laid(new, other, place)
    return not (laid.only_a or laid.only_b)


def said_alike(new: Side, other: Side, likely: Mapping[Place, Likelihood]) -> Flags:
    """Returns which sentences say the same by the comparer: shape (new sentences, other sentences).

    Where other figures, dates or labels stand for those of the one they do not.
    """
    alike = np.zeros((len(new.sentences), len(other.sentences)), np.bool_)
    for place, told in likely.items():
        if told.sameness >= SAMENESS and told.contradiction < CONTRARY:
            alike[place] = not _has_other_values(_laid(new, other, place))
    return alike


def told_apart(new: Side, other: Side, likely: Mapping[Place, Likelihood]) -> Flags:
    """Returns which sentences do not say the same by the comparer, whatever words say: "Ann's sister lives alone", "Ann
    lives alone". Shape (new sentences, other sentences).

    What goes on behind all that the other says is no such: to a comparer nothing that says more is the same.
    """
    unlike = np.zeros((len(new.sentences), len(other.sentences)), np.bool_)
    for place, told in likely.items():
        if told.sameness < UNLIKE:
            laid = _laid(new, other, place)
            swapped = [(theirs, ours) for ours, theirs in laid.pairs]
            unlike[place] = not (
                _goes_on(laid.only_a, laid.pairs, laid.only_b) or _goes_on(laid.only_b, swapped, laid.only_a)
            )
    return unlike


def _goes_on(more: Sequence[Term], shared: Sequence[tuple[Term, Term]], lost: Sequence[Term]) -> bool:
    """Whether a sentence says all that the other says, and then more."""
    return bool(more) and not lost and all(term.start > ours.start for term in more for ours, _ in shared)


def _has_other_values(laid: Alignment) -> bool:
    """Whether none of one's figures, dates or labels left over is one of the other's: of "11 people" and "11 guests"
    the figure is."""
    sides = (laid.left(kind) for kind in VALUES)
    told = ([{term.value or term.key for term in side} for side in left] for left in sides if all(left))
    return any(ours.isdisjoint(theirs) for ours, theirs in told)


def _laid(new: Side, other: Side, place: Place) -> Alignment:
    ours, theirs = (side.sentences[n].statement for side, n in zip((new, other), place, strict=True))
    return align(ours.terms, theirs.terms, ours.chinese)


def _may_be_compared(left: Statement, right: Statement) -> bool:
    """Whether both tell something, in one language, in other words, and nothing sets them apart."""
    if left.question or right.question or left.chinese is not right.chinese or left.text == right.text:
        return False
    if left.speaker != right.speaker or tells_of_another(left, right):
        return False
    laid = align(left.terms, right.terms, left.chinese)
    if not laid.pairs and not left.chinese:  # Chinese words are cut out of the text, and not always alike
        return False
    return not (_leaves_room(laid) or _of_two_times(left, right, laid) or _of_two_figures(left, right, laid))


def _leaves_room(laid: Alignment) -> bool:
    """Whether a figure of the one leaves room for that of the other: "over 15" and "18" both hold. A comparer does not
    see that."""
    return any(ours.bound != theirs.bound for ours, theirs in laid.pairs)


def _of_two_times(left: Statement, right: Statement, laid: Alignment) -> bool:
    """Whether two headings, or two figures, are of two times; headings of two labels ("Report 12"), too."""
    if left.proposition or right.proposition:
        return all(laid.left(Kind.DATE)) and all(laid.left(Kind.NUMBER))
    return all(laid.left(Kind.DATE)) or all(laid.left(Kind.LABEL)) or _years(left) != _years(right)


def _years(heading: Statement) -> set[float]:
    return {term.value for term in heading.terms if term.kind is Kind.NUMBER and 1900 <= term.value < 2100}


def _of_two_figures(left: Statement, right: Statement, laid: Alignment) -> bool:
    """Whether two figures may both hold: "roughly a hundred" and "98", a price with something and one without it, what
    was and what is left of it."""
    if not all(laid.left(Kind.NUMBER)):
        return False
    if left.hedged or right.hedged or any(ours.denial != theirs.denial for ours, theirs in laid.pairs):
        return True
    return bool(LEFT_OVER.search(left.text)) is not bool(LEFT_OVER.search(right.text))


def _contradiction(left: Statement, right: Statement, likelihood: float) -> Contradiction:
    """Returns the contradiction of two sentences. Which words are at issue a comparer does not say: all of them are."""
    ours, theirs = (one.text.rstrip(END) for one in (left, right))
    return of_values(Slot.VALUE, left.chinese, ours, theirs, likelihood)
