"""One opinion on a topic and another, out of what their sentences are to each other.

Law: pure. A contradiction that is SURE comes first, then one that is LIKELY, then a merge: what may contradict is not
merged. A side is held by the other if each of its sentences has one that says the same.
"""

from collections.abc import Sequence
from dataclasses import replace

from core.agents.offline.at_issue import at_issue
from core.agents.offline.judging.comparing import Comparison, JudgeThresholds, Side, says_the_same
from core.agents.roles import ConflictOpinion, Grade, MergeOpinion
from core.language import language_of
from core.language.phrases import TopicPhrases

MOST_POINTS = 8  # contradictions of two sides that are told
MOST_SURE = 0.99  # of a conflict: a likelihood is no proof
LEAST_TERMS = 2  # of a side that is held: "Thanks!" is said again and again


def opinion_of(
    new: Side, other: Side, compared: Sequence[Comparison], lines: JudgeThresholds, model: str
) -> ConflictOpinion | MergeOpinion | None:
    """Returns the opinion on two sides, or None where there is none. `model`: what compared their sentences."""
    graded = [one for one in compared if one.grade is not None]
    if graded:
        graded.sort(key=lambda one: (one.grade is Grade.SURE, one.contradiction), reverse=True)
        surest, *further = (_conflict(new, other, one, model) for one in graded[:MOST_POINTS])
        return replace(surest, further=tuple(further))
    return _merge(new, other, [one for one in compared if says_the_same(one, lines)])


def _conflict(new: Side, other: Side, one: Comparison, model: str) -> ConflictOpinion:
    ours, theirs = new.sentences[one.pair.i], other.sentences[one.pair.j]
    topics, confidence = language_of(ours.text).phrases.topics, round(min(MOST_SURE, one.contradiction), 2)
    return ConflictOpinion(
        existing=other.topic.node_id,
        confidence=confidence,
        reasoning=topics.likelihood.format(likelihood=f"{confidence:.2f}", model=model),
        description=at_issue(ours.stated, theirs.stated),
        new_quote=ours.quote,
        existing_quote=theirs.quote,
        grade=one.grade or Grade.LIKELY,
    )


def _merge(new: Side, other: Side, same: Sequence[Comparison]) -> MergeOpinion | None:
    ours_held = _holds(new, {one.pair.i for one in same})
    theirs_held = _holds(other, {one.pair.j for one in same})
    if not (ours_held or theirs_held):
        return None
    phrases = language_of(new.topic.summary).phrases.topics
    return MergeOpinion(
        existing=other.topic.node_id,
        confidence=round(min(one.sameness for one in same), 2),
        reasoning=_containment(ours_held, theirs_held, phrases),
        strategy=phrases.keep_fuller,
    )


def _holds(side: Side, held: set[int]) -> bool:
    """Whether all that a side says is held, and it says something."""
    told = sum(len(one.terms) for one in side.sentences)
    return told >= LEAST_TERMS and held == set(range(len(side.sentences)))


def _containment(ours: bool, theirs: bool, phrases: TopicPhrases) -> str:
    if ours and theirs:
        return phrases.say_the_same
    if ours:
        return phrases.existing_holds
    return phrases.new_holds
