"""Relations of a new topic: the few candidates that stand out by nearness or by rare words in common.

Law: pure. Nearness is given, 0 to 1; how much of it is needed depends on the words that both mention.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.agents.offline import naming
from core.agents.offline.judging.sentences import names
from core.agents.roles import RelatedOpinion, Topic
from core.language import language_of

AMONG = 3  # candidates, for standing out among them to mean something
MOST_RELATED = (
    3  # of one judgement: each rewords and re-embeds a node, and a node that concerns all says nothing
)
STANDING_OUT = 0.1  # above the candidates' mean, on the embedder's scale from 0 to 1
RELATED_BY_WORDS = 0.5  # of the threshold, when rare words are shared and candidates are few
SEVERAL_RARE = 2  # rare words in common, which need not be nearer than others
RARE_SHARE = 0.25  # of the candidates, that may have a word that is called rare
KEYWORDS = 10
INHERITED_KEYWORDS = 3  # of the other's, added to one's own


def text_of(topic: Topic) -> str:
    """Returns what a topic is related by: its summary, or its context where it has none."""
    return topic.summary or topic.context


def relations(
    new: Topic, candidates: Sequence[Topic], near: NDArray[np.float32], related: float
) -> list[RelatedOpinion]:
    """Returns the relations to the candidates, surest first. `related`: the embedder's threshold."""
    rare = _rare_in_common(new, candidates)
    if len(candidates) < AMONG:  # none to stand out from
        lines = [related * (RELATED_BY_WORDS if words else 1.0) for words in rare]
    else:
        standing_out = max(related, float(near.mean()) + STANDING_OUT)
        lines = [related if len(words) >= SEVERAL_RARE else standing_out for words in rare]
    opinions = [
        _relation(new, topic, float(likeness), words)
        for topic, words, likeness, least in zip(candidates, rare, near, lines, strict=True)
        if likeness >= least
    ]
    return sorted(opinions, key=lambda one: (-one.confidence, one.existing))[:MOST_RELATED]


def _rare_in_common(new: Topic, candidates: Sequence[Topic]) -> list[list[str]]:
    """Returns for each candidate the words it has in common with the new topic and with few candidates."""
    own, mentioned = _mentions(new), [_mentions(topic) for topic in candidates]
    most = max(1, int(len(candidates) * RARE_SHARE))
    return [
        sorted(word for word in own & names if sum(word in each for each in mentioned) <= most)
        for names in mentioned
    ]


def _mentions(topic: Topic) -> frozenset[str]:
    """Returns keywords and names in lower case."""
    return frozenset(word.lower() for word in (*names(text_of(topic)), *topic.keywords))


def _relation(new: Topic, existing: Topic, likeness: float, rare: Sequence[str]) -> RelatedOpinion:
    phrases = language_of(text_of(new)).phrases
    reasoning = phrases.topics.near.format(likeness)
    if rare:
        reasoning += phrases.topics.both_mention.format(phrases.marks.listed.join(rare[:5]))
    return RelatedOpinion(
        existing=existing.node_id,
        confidence=round(min(0.99, 0.5 + 0.4 * likeness + 0.05 * min(2, len(rare))), 2),
        reasoning=reasoning,
        context_new=naming.related_to(new.context, existing.context, existing.keywords),
        context_existing=naming.related_to(existing.context, new.context, new.keywords),
        keywords_new=_united(new.keywords, existing.keywords),
        keywords_existing=_united(existing.keywords, new.keywords),
    )


def _united(own: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Returns one's own keywords first, then some of the other's; `KEYWORDS` at most."""
    kept = list(dict.fromkeys(own))[:KEYWORDS]
    known = {word.lower() for word in kept}
    more = [word for word in dict.fromkeys(others) if word.lower() not in known]
    return tuple(kept + more[: min(INHERITED_KEYWORDS, KEYWORDS - len(kept))])
