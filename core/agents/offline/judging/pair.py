"""Two topics sentence by sentence, for a reader who asks why they were judged as they were.

Law: pure, and decides nothing anew: opinions are `opinion_of` the sentences. What decides is found by trial: the first
bar without which the opinion is another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.agents.offline.judging.comparing import (
    Comparison,
    JudgeThresholds,
    Pair,
    Side,
    graded,
    says_the_same,
)
from core.agents.offline.judging.context import differ
from core.agents.offline.judging.opinions import opinion_of
from core.agents.offline.judging.sentences import Sentence
from core.agents.roles import ConflictOpinion, MergeOpinion
from core.ports.comparer import NONE, Likelihood
from core.text.quantities import alike_by

Opinion = ConflictOpinion | MergeOpinion | None


class Bar(StrEnum):
    """What keeps two sentences from being compared, or what was found of them from counting."""

    GENERATED = "generated"  # only an assistant says one of them: no evidence of a contradiction
    ENTRIES = "entries"  # entries of one form under other headings, labels or dates: not compared
    NOT_NEAREST = "not_nearest"  # not compared: others share more rare words with the new one
    OTHER_MATTER = "other_matter"  # headings or labels name other things: they do not say the same
    QUANTITY = "quantity"  # each has a quantity that the other has not: they do not say the same
    TOO_LONG = "too_long"  # compared by clauses: suspected at most, and never the same


class PairReason(StrEnum):
    """What decides the opinion on two topics."""

    CONTRADICTION = "contradiction"
    SAME = "same"
    GENERATED = "generated"
    ENTRIES = "entries"
    NOT_NEAREST = "not_nearest"
    OTHER_MATTER = "other_matter"
    QUANTITY = "quantity"
    TOO_LONG = "too_long"
    NOTHING_SAID = "nothing_said"  # a side has no sentence: a question, code, a heading
    NOTHING_COMPARES = "nothing_compares"
    PARTLY = "partly"  # some of it is said by the other, and neither holds all of the other
    BELOW_LINE = "below_line"
    ESSENTIALS = "essentials"  # of facts: amounts, names, dates or denials differ
    WORDS_LOST = "words_lost"  # of facts: each has words that the other has not


TRIED = {
    PairReason.GENERATED: frozenset({Bar.GENERATED}),
    PairReason.OTHER_MATTER: frozenset({Bar.OTHER_MATTER}),
    PairReason.ENTRIES: frozenset({Bar.ENTRIES, Bar.OTHER_MATTER}),
    PairReason.NOT_NEAREST: frozenset({Bar.NOT_NEAREST}),
    PairReason.QUANTITY: frozenset({Bar.QUANTITY}),
}
"""Which bars are taken away to find what decides, in this order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentencePair:
    """A sentence of either side, with the texts that are compared, equal quantities in one notation. `likelihood` is
    told also of those that are not compared; None: nothing compares them."""

    pair: Pair
    first: Sentence
    second: Sentence
    texts: tuple[str, str]
    likelihood: Likelihood | None
    bars: frozenset[Bar] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class PairJudged:
    """The Judge's opinion on two topics now, what decides it, and the sentences that it rests on."""

    opinion: Opinion
    reason: PairReason
    sentences: tuple[SentencePair, ...]
    lines: JudgeThresholds


def bars_of(new: Side, other: Side, pair: Pair, *, is_entry: bool, is_nearest: bool) -> frozenset[Bar]:
    """Returns the bars of two sentences, but for what a comparer tells."""
    a, b = new.sentences[pair.i], other.sentences[pair.j]
    alike = alike_by(a.stated, a.quantities, b.stated, b.quantities)
    bars = {
        Bar.ENTRIES: is_entry,
        Bar.NOT_NEAREST: not is_nearest,
        Bar.GENERATED: a.generated or b.generated,
        Bar.QUANTITY: bool(alike.left_a and alike.left_b),
        Bar.OTHER_MATTER: differ(a, b),
    }
    return frozenset(bar for bar, holds in bars.items() if holds)


def judged_pair(
    new: Side, other: Side, told: Sequence[SentencePair], lines: JudgeThresholds, model: str
) -> PairJudged:
    """Returns the opinion that sentences come to, and what decides it."""

    def opinion(without: frozenset[Bar]) -> Opinion:
        counted = [one for each in told if (one := _counted(each, without, lines)) is not None]
        return opinion_of(new, other, counted, lines, model)

    found = opinion(frozenset())
    if found is not None:
        is_conflict = isinstance(found, ConflictOpinion)
        reason = PairReason.CONTRADICTION if is_conflict else PairReason.SAME
    elif not (new.sentences and other.sentences):
        reason = PairReason.NOTHING_SAID
    elif model == NONE:
        reason = PairReason.NOTHING_COMPARES
    else:
        reason = next((why for why, bars in TRIED.items() if opinion(bars) is not None), None) or (
            _first_of(told) if opinion(frozenset(Bar)) is not None else _of_likelihoods(told, lines)
        )
    return PairJudged(opinion=found, reason=reason, sentences=tuple(told), lines=lines)


def _first_of(told: Sequence[SentencePair]) -> PairReason:
    """Returns the first of several bars that decide together."""
    held = frozenset(bar for one in told for bar in one.bars)
    return next(why for why, bars in TRIED.items() if not bars.isdisjoint(held))


def _counted(one: SentencePair, without: frozenset[Bar], lines: JudgeThresholds) -> Comparison | None:
    """Returns what two sentences come to where some bars do not hold; None: they are not compared."""
    bars = one.bars - without
    if one.likelihood is None or not bars.isdisjoint({Bar.ENTRIES, Bar.NOT_NEAREST}):
        return None
    likely = one.likelihood
    return Comparison(
        pair=one.pair,
        contradiction=likely.contradiction,
        grade=None if Bar.GENERATED in bars else graded(likely.contradiction, lines),
        sameness=likely.sameness,
        unlike=not bars.isdisjoint({Bar.OTHER_MATTER, Bar.QUANTITY}),
    )


def _of_likelihoods(told: Sequence[SentencePair], lines: JudgeThresholds) -> PairReason:
    compared = [one for one in told if one.bars.isdisjoint({Bar.ENTRIES, Bar.NOT_NEAREST})]
    if compared and all(Bar.TOO_LONG in one.bars for one in compared):
        return PairReason.TOO_LONG
    counted = [one for each in compared if (one := _counted(each, frozenset(), lines)) is not None]
    return PairReason.PARTLY if any(says_the_same(one, lines) for one in counted) else PairReason.BELOW_LINE
