"""Merges of two topics: how much of either's content the other has, and the opinion that says which holds which.

Law: pure. A topic is merged where most of its content is in sentences of the other (`sameness.contains`).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.agents.offline.judging.topic_sentences import Side, TopicSentence
from core.agents.offline.sameness import contains, content
from core.agents.roles import MergeOpinion
from core.text.scripts import is_chinese

Flags = NDArray[np.bool_]

STRATEGY_EN = "keep the fuller wording, add what only the other says"
STRATEGY_ZH = "保留更完整的表述，补充另一方独有的内容"
LEAST_CONTENT = 2.0  # of a text to be merged, in terms
MERGED_CONTENT = 0.8  # of one summary's content, found in the other
ROUNDING = 1e-9


def may_merge(new: Side, other: Side) -> bool:
    """Whether words allow a merge, if the embedder finds all sentences alike."""
    shape = len(new.sentences), len(other.sentences)
    none = np.zeros(shape, np.bool_)
    ours, theirs = _shares(new, other, ~none, none, none)
    return _is_worth_merging(new, other, ours, theirs)


def merge(new: Side, other: Side, near: Flags, said: Flags, apart: Flags) -> MergeOpinion | None:
    """Returns the opinion that one of the sides holds the other, or None.

    `near`: which sentences the embedder finds alike; `said` and `apart`: which say the same, and which do not, whatever
    their words. Each of shape (new sentences, other sentences).
    """
    ours, theirs = _shares(new, other, near, said, apart)
    if not _is_worth_merging(new, other, ours, theirs):
        return None
    chinese = is_chinese(new.topic.summary)
    return MergeOpinion(
        existing=other.topic.node_id,
        confidence=round(0.5 + 0.5 * max(ours, theirs), 2),
        reasoning=_containment(ours, theirs, chinese),
        strategy=STRATEGY_ZH if chinese else STRATEGY_EN,
    )


def _is_worth_merging(new: Side, other: Side, ours: float, theirs: float) -> bool:
    """Whether one side is held by the other and says enough to be a fact: "Thanks, see you!" is said again and
    again."""
    smaller = new if ours >= theirs else other
    return max(ours, theirs) > 0 and sum(content(one.statement) for one in smaller.sentences) >= LEAST_CONTENT


def _shares(new: Side, other: Side, near: Flags, said: Flags, apart: Flags) -> tuple[float, float]:
    """Returns how much of either side's content the other has, given which sentences are alike, say the same or do
    not."""
    return (
        _contained(new.sentences, other.sentences, near, said, apart),
        _contained(other.sentences, new.sentences, near.T, said.T, apart.T),
    )


def _contained(
    part: Sequence[TopicSentence], whole: Sequence[TopicSentence], near: Flags, said: Flags, apart: Flags
) -> float:
    """Returns how much of `part`'s content is in a sentence of `whole`, 0 to 1; 0 where it is too little to merge."""
    weights = [content(one.statement) for one in part]
    total, lost = sum(weights), 0.0
    for n, (one, weight) in enumerate(zip(part, weights, strict=True)):
        held = said[n].any() or any(
            not apart[n, m] and contains(other.statement, one.statement, bool(near[n, m]))
            for m, other in enumerate(whole)
        )
        if not held:
            lost += weight
        if lost > (1 - MERGED_CONTENT) * total + ROUNDING:
            return 0.0
    return 1 - lost / total if total else 0.0


def _containment(ours: float, theirs: float, chinese: bool) -> str:
    if min(ours, theirs) >= MERGED_CONTENT:
        return "两者内容相同" if chinese else "both say the same"
    if ours >= theirs:
        return "已有节点包含新节点的内容" if chinese else "the existing node holds what the new one says"
    return "新节点包含已有节点的内容" if chinese else "the new node holds what the existing one says"
