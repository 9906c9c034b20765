"""One opinion on a topic and another, out of what their sentences are to each other.

Law: pure. A contradiction that is SURE comes first, then one that is LIKELY, then a merge: what may contradict is not
merged. A side is held by the other if each of its sentences has one that says the same.
"""

from collections.abc import Sequence

from core.agents.offline.at_issue import at_issue
from core.agents.offline.judging.comparing import Compared, JudgeThresholds, Side, says_the_same
from core.agents.roles import ConflictOpinion, Grade, MergeOpinion
from core.text.scripts import is_chinese

MOST_SURE = 0.99  # of a conflict: a likelihood is no proof
LEAST_TERMS = 2  # of a side that is held: "Thanks!" is said again and again
STRATEGY_EN = "keep the fuller wording, add what only the other says"
STRATEGY_ZH = "保留更完整的表述，补充另一方独有的内容"


def opinion_of(
    new: Side, other: Side, compared: Sequence[Compared], lines: JudgeThresholds, model: str
) -> ConflictOpinion | MergeOpinion | None:
    """Returns the opinion on two sides, or None where there is none. `model`: what compared their sentences."""
    graded = [one for one in compared if one.grade is not None]
    if graded:
        surest = max(graded, key=lambda one: (one.grade is Grade.SURE, one.contradiction))
        return _conflict(new, other, surest, model)
    return _merge(new, other, [one for one in compared if says_the_same(one, lines)])


def _conflict(new: Side, other: Side, one: Compared, model: str) -> ConflictOpinion:
    ours, theirs = new.sentences[one.pair.i], other.sentences[one.pair.j]
    return ConflictOpinion(
        existing=other.topic.node_id,
        confidence=round(min(MOST_SURE, one.contradiction), 2),
        reasoning=_why(one, model, is_chinese(ours.text)),
        description=at_issue(ours.stated, theirs.stated),
        new_quote=ours.quote,
        existing_quote=theirs.quote,
        grade=one.grade or Grade.LIKELY,
    )


def _why(one: Compared, model: str, chinese: bool) -> str:
    likelihood = f"{one.contradiction:.2f}"
    return f"互相矛盾的可能性为{likelihood}（{model}）" if chinese else f"likelihood {likelihood} by {model}"


def _merge(new: Side, other: Side, same: Sequence[Compared]) -> MergeOpinion | None:
    ours_held = _holds(new, {one.pair.i for one in same})
    theirs_held = _holds(other, {one.pair.j for one in same})
    if not (ours_held or theirs_held):
        return None
    chinese = is_chinese(new.topic.summary)
    return MergeOpinion(
        existing=other.topic.node_id,
        confidence=round(min(one.sameness for one in same), 2),
        reasoning=_containment(ours_held, theirs_held, chinese),
        strategy=STRATEGY_ZH if chinese else STRATEGY_EN,
    )


def _holds(side: Side, held: set[int]) -> bool:
    """Whether all that a side says is held, and it says something."""
    told = sum(len(one.terms) for one in side.sentences)
    return told >= LEAST_TERMS and held == set(range(len(side.sentences)))


def _containment(ours: bool, theirs: bool, chinese: bool) -> str:
    if ours and theirs:
        return "两者内容相同" if chinese else "both say the same"
    if ours:
        return "已有节点包含新节点的内容" if chinese else "the existing node holds what the new one says"
    return "新节点包含已有节点的内容" if chinese else "the new node holds what the existing one says"
