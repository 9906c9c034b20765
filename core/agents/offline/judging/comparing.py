"""Which sentences of two topics are compared, and what a comparer's likelihoods of them come to.

Law: pure. One rule for all kinds of sentences and one set of thresholds: no likelihood counts more because of the words
it is about. Equal quantities are written alike before anything is compared.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from typing import NamedTuple

from core.agents.offline.judging.context import are_entries, differ
from core.agents.offline.judging.sentences import Sentence
from core.agents.roles import Grade, Topic
from core.ports.comparer import Likelihood
from core.text.quantities import Alike, alike_by

NEAREST = 5  # sentences of others that each new one is compared with: those with most rare words in common
MOST_PAIRS = 500  # of one judgement
MOST_CLAUSES = 6  # of a sentence that is too long to be compared whole
LEAST_CLAUSE = 12  # code points
BELOW = 0.01  # under the line of SURE, where no more is to be said
CLAUSE = re.compile(r"[;；,，]\s*|\s[–—-]\s")
ITSELF = Likelihood(contradiction=0.0, sameness=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeThresholds:
    """Of a contradiction: the likelihood from which it is SURE, and from which LIKELY. Of sentences that say the same:
    the least likelihood of that, and below which a contradiction must be."""

    sure: float = 0.9
    likely: float = 0.6
    same: float = 0.75
    not_contrary: float = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A topic with its sentences: one of those that are compared. `unread`: how many more it has."""

    topic: Topic
    sentences: tuple[Sentence, ...]
    unread: int = 0


class Pair(NamedTuple):
    """The new side's sentence `i`, and sentence `j` of another side."""

    i: int
    other: int
    j: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What two sentences are to each other. `unlike`: each has a quantity that the other has not, or they are about
    different things."""

    pair: Pair
    contradiction: float
    grade: Grade | None
    sameness: float
    unlike: bool


def pairs_to_compare(new: Side, others: Sequence[Side]) -> tuple[list[Pair], int]:
    """Returns the pairs worth comparing, those of the first sentences first, `MOST_PAIRS` at most; and how many are
    not compared because of the bounds."""
    fit = [pair for pair in nearest_pairs(new, others) if not are_of_two_entries(new, others, pair)]
    return fit[:MOST_PAIRS], len(fit[MOST_PAIRS:]) + _pairs_of_unread(new, others)


def _pairs_of_unread(new: Side, others: Sequence[Side]) -> int:
    """Returns how many pairs the sentences not read would have: each new one as many as those that were read, at most
    NEAREST; each of others one, as far as those that were read are compared with so many."""
    known = sum(len(side.sentences) for side in others)
    unread = sum(side.unread for side in others)
    return new.unread * min(NEAREST, known) + min(unread, NEAREST * len(new.sentences))


def nearest_pairs(new: Side, others: Sequence[Side]) -> list[Pair]:
    """Returns of each new sentence the NEAREST. Of several: besides, of a side all of whose sentences have a word of
    theirs, the nearest of each, so that it can be found to be held by them.

    What is further from a single sentence is called a contradiction wrongly, as a rule: of 5,817 such pairs of the
    memories and talks of tests/judging 10 were rightly found (of 1,924 in all), and 38 wrongly (of 356).
    """
    places = [(c, j) for c, side in enumerate(others) for j in range(len(side.sentences))]
    weights = _Weights(new, others)
    found: dict[Pair, None] = {}
    back: dict[tuple[int, int], tuple[float, int]] = {}
    for i, sentence in enumerate(new.sentences):
        shared = weights.shared(sentence)
        for place, weight in shared.items():
            back[place] = max(back.get(place, (0.0, 0)), (weight, -i))
        near = sorted(places, key=lambda place: -shared.get(place, 0.0))[:NEAREST]
        found |= dict.fromkeys(Pair(i, *place) for place in near)
    for c, side in enumerate(others if len(new.sentences) > 1 else ()):
        if all((c, j) in back for j in range(len(side.sentences))):
            found |= dict.fromkeys(Pair(-back[c, j][1], c, j) for j in range(len(side.sentences)))
    return list(found)


def are_of_two_entries(new: Side, others: Sequence[Side], pair: Pair) -> bool:
    """Whether a pair is of entries of one form, each of another thing, so that it is not compared."""
    a, b = _of(new, others, pair)
    return a.text != b.text and are_entries(a, b)


def as_compared(new: Side, others: Sequence[Side], pair: Pair) -> Alike:
    """Returns the texts of a pair with equal quantities in one notation."""
    a, b = _of(new, others, pair)
    return alike_by(a.stated, a.quantities, b.stated, b.quantities)


def clauses_to_compare(texts: tuple[str, str]) -> list[tuple[str, str]]:
    """Returns the parts of two sentences, one of which is too long to be compared whole."""
    ours, theirs = map(_clauses, texts)
    return [(a, b) for a in ours for b in theirs] if len(ours) + len(theirs) > 2 else []


def of_clauses(parts: Sequence[Likelihood | None], lines: JudgeThresholds) -> Likelihood:
    """Returns what the clauses of two sentences come to that could not be compared whole: LIKELY at most."""
    surest = max((one.contradiction for one in parts if one is not None), default=0.0)
    return Likelihood(contradiction=min(surest, lines.sure - BELOW), sameness=0.0)


def told(
    new: Side, others: Sequence[Side], pair: Pair, alike: Alike, whole: Likelihood, lines: JudgeThresholds
) -> Comparison:
    """Returns what the likelihoods of a pair come to. `alike`: its texts as compared."""
    a, b = _of(new, others, pair)
    grade = None if a.generated or b.generated else graded(whole.contradiction, lines)
    return Comparison(
        pair=pair,
        contradiction=whole.contradiction,
        grade=grade,
        sameness=whole.sameness,
        unlike=bool(alike.left_a and alike.left_b) or differ(a, b),
    )


def says_the_same(one: Comparison, lines: JudgeThresholds) -> bool:
    return not one.unlike and one.sameness >= lines.same and one.contradiction < lines.not_contrary


def graded(likelihood: float, lines: JudgeThresholds) -> Grade | None:
    if likelihood < lines.likely:
        return None
    return Grade.SURE if likelihood >= lines.sure else Grade.LIKELY


def _of(new: Side, others: Sequence[Side], pair: Pair) -> tuple[Sentence, Sentence]:
    return new.sentences[pair.i], others[pair.other].sentences[pair.j]


def _clauses(text: str) -> list[str]:
    parts = [part.strip() for part in CLAUSE.split(text)]
    return [part for part in parts if len(part) >= LEAST_CLAUSE][:MOST_CLAUSES]


class _Weights:
    """How rare the words of the sentences at hand are, and which sentences of others have each."""

    def __init__(self, new: Side, others: Sequence[Side]) -> None:
        sentences = [one for side in (new, *others) for one in side.sentences]
        seen = Counter(term for one in sentences for term in one.terms)
        self._rarity = {term: log(1 + len(sentences) / times) for term, times in seen.items()}
        self._holders: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, one in self._placed(others):
            for term in one.terms:
                self._holders[term].append(place)

    def shared(self, sentence: Sentence) -> dict[tuple[int, int], float]:
        """Returns the weight of the words that each sentence of others has in common with this one."""
        found: dict[tuple[int, int], float] = defaultdict(float)
        for term in sentence.terms:
            for place in self._holders.get(term, ()):
                found[place] += self._rarity[term]
        return found

    @staticmethod
    def _placed(others: Sequence[Side]) -> Iterator[tuple[tuple[int, int], Sentence]]:
        for c, side in enumerate(others):
            for j, one in enumerate(side.sentences):
                yield (c, j), one
