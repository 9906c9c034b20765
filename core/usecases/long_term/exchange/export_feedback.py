"""ExportFeedback: answers to one query that were liked and disliked, paired, as preference learning takes them."""

from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from core.keys import CollectionKey
from core.long_term.texts import normalised
from core.model.collection import Feedback
from core.usecases.long_term.ports import CollectionPorts
from core.usecases.long_term.reading import looking


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFeedback:
    key: CollectionKey
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferencePair:
    prompt: str
    chosen: str
    rejected: str
    reason: str


async def export_feedback(
    ports: CollectionPorts, command: ExportFeedback
) -> AsyncGenerator[PreferencePair, None]:
    """Yields the pairs, by query. Raises CollectionNotFound, RevisionNotReached."""
    async with looking(ports, command.key, command.min_revision) as opened:
        found = pairs(opened.collection.feedback.values())
    for pair in found:
        yield pair


def pairs(given: Iterable[Feedback]) -> list[PreferencePair]:
    """Returns each liked and each disliked answer to a query in one pair at least, the best with the worst."""
    by_query: dict[str, list[Feedback]] = {}
    for feedback in given:
        if feedback.query.strip() and feedback.response.strip() and feedback.value:
            by_query.setdefault(normalised(feedback.query), []).append(feedback)
    found = []
    for opinions in by_query.values():
        liked = sorted((f for f in opinions if f.value > 0.0), key=lambda f: (-f.value, f.feedback_id))
        disliked = sorted((f for f in opinions if f.value < 0.0), key=lambda f: (f.value, f.feedback_id))
        found += [_pair(up, down) for up, down in _zipped(liked, disliked) if up.response != down.response]
    return found


def _zipped(liked: Sequence[Feedback], disliked: Sequence[Feedback]) -> Iterable[tuple[Feedback, Feedback]]:
    if not liked or not disliked:
        return ()
    pairs = zip_longest(liked, disliked)
    return [(up or liked[0], down or disliked[0]) for up, down in pairs]


def _pair(up: Feedback, down: Feedback) -> PreferencePair:
    return PreferencePair(
        prompt=up.query, chosen=up.response, rejected=down.response, reason=down.reason or up.reason
    )
