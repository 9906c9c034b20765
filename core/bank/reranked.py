"""A reranker's opinions mixed into the scores of hits.

Law: pure, and of the same form as structure's components: the opinion, 0 to 1, weighs relative to 1 of the search's
own score, and the score is the weighted mean, so it lies in [0, 1] too. What was not read counts as 0, and so comes
behind what was: that was read for its better score. What a verdict refuted loses as much of the one as of the other.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.bank.bank import Bank
from core.bank.placed import credibility
from core.bank.query import Hit
from core.verbatim.structure import PLAIN

RERANKER = "reranker"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinions:
    """How well texts answer the query, 0 to 1, by the text that was read (`reading` makes it).

    `depth`: so many hits are looked for at least. `characters`: as for `reading`.
    """

    by_text: Mapping[str, float]
    weight: float
    depth: int
    characters: int


def reading(bank: Bank, hit: Hit, characters: int) -> str:
    """Returns what is read of a hit, so many code points at most: a segment as a line of its record; a node's
    context and summary, and the segment that lifted it."""
    if hit.node is None:
        assert hit.segment is not None, "a hit is a node or a segment"
        return bank.tree.line(hit.segment.ref)[:characters]
    parts = [hit.node.context, hit.node.summary]
    if hit.best_segment is not None:
        parts.append(bank.tree.line(hit.best_segment))
    return "\n".join(filter(None, parts))[:characters]


def reranked(bank: Bank, hits: Iterable[Hit], opinions: Opinions) -> list[Hit]:
    """Mixes the opinions into the hits' scores, and into their `why`; keeps the order."""
    whole = 1.0 + opinions.weight
    made = []
    for hit in hits:
        opinion = opinions.by_text.get(reading(bank, hit, opinions.characters), 0.0)
        if hit.segment is not None:
            opinion *= credibility(bank, hit.segment.ref)
        share = opinions.weight * opinion / whole
        why = [(name, part / whole) for name, part in hit.why or ((PLAIN, hit.score),)]
        made.append(hit._replace(score=hit.score / whole + share, why=(*why, (RERANKER, share))))
    return made
