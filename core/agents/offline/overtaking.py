"""Which newer sentences take the place of older ones: they say of the same thing that it is otherwise.

Law: what decides of two sentences depends on them alone. A comparer finds them contrary; where the newer one tells of a
change in so many words, a hint of that is enough. Where nothing compares, nothing takes a place.
"""

from collections.abc import Sequence

from core.agents.offline.turning import changes
from core.ports.comparer import Comparer
from core.text.analysis import terms

LIKELY, HINTED = 0.6, 0.2
"""How contrary the newer sentence is, at least; and where it tells of a change."""
MOST_PAIRS = 64  # compared of one question, the newest first


async def overtaking(comparer: Comparer, older: Sequence[str], newer: Sequence[str]) -> list[tuple[int, int]]:
    """Returns the pairs (older, newer) of places in which the newer sentence takes the older one's. `newer` ascends in
    time. Raises EmbedderUnavailable."""
    known, news = [frozenset(terms(text)) for text in older], [frozenset(terms(text)) for text in newer]
    pairs = [
        (old, new)
        for new in reversed(range(len(newer)))
        for old in range(len(older))
        if not known[old].isdisjoint(news[new])
    ][:MOST_PAIRS]
    if not pairs:
        return []
    told = await comparer.compare([(older[old], newer[new]) for old, new in pairs])
    return [
        (old, new)
        for (old, new), found in zip(pairs, told, strict=True)
        if found is not None and found.contradiction >= (HINTED if changes(newer[new]) else LIKELY)
    ]
