"""Both sides of a contradiction: whoever finds one of them is given the others.

Law: reads only. The other sides of an open conflict come right behind the side that was found, so that they are cut
off together; what that adds is told as their share CONFLICT. Of a conflict with many sides the COMPANIONS that
fit the query best come, lest they drive out everything else that was found.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core.bank.bank import Bank
from core.bank.candidates import node_filter, segment_filter
from core.bank.query import Hit, Query
from core.ids import NodeId, SegmentRef
from core.index import scoring
from core.model.conflict import Side
from core.verbatim.candidates import alpha_of, sides
from core.verbatim.structure import CONFLICT, PLAIN

COMPANIONS = 2  # of one hit

Key = NodeId | SegmentRef


def with_other_sides(bank: Bank, query: Query, said: Mapping[str, float], hits: Sequence[Hit]) -> list[Hit]:
    """The hits, best first, and the other sides of the open conflicts that they take part in."""
    found: dict[Key, Hit] = {_key(hit): hit for hit in hits}
    partners = {key: list(dict.fromkeys(_others(bank, query, hit))) for key, hit in found.items()}
    unfound = {other for others in partners.values() for other in others if other not in found}
    known = found | _unranked(bank, query, said, unfound)
    together = dict(found)
    for key, others in partners.items():
        behind = math.nextafter(found[key].score, 0.0)
        for other in sorted(others, key=lambda each: (-known[each].score, str(each)))[:COMPANIONS]:
            if other not in together or together[other].score < behind:
                together[other] = _brought(together.get(other, known[other]), behind)
    return list(together.values())


def _brought(hit: Hit, score: float) -> Hit:
    why = (*(hit.why or ((PLAIN, hit.score),)), (CONFLICT, score - hit.score))
    return hit._replace(score=score, why=why)


def _key(hit: Hit) -> NodeId | SegmentRef:
    if hit.node is not None:
        return hit.node.node_id
    assert hit.segment is not None, "a hit is a node or a segment"
    return hit.segment.ref


def _others(bank: Bank, query: Query, hit: Hit) -> Iterator[NodeId | SegmentRef]:
    """What stands on the other sides of the hit's open conflicts, as far as the query admits it."""
    if hit.node is not None:
        allowed = node_filter(bank, query)
        own = hit.node.node_id
        for conflict in bank.open_conflicts_of(own):
            yield from (s.node_id for s in conflict.sides if s.node_id != own and allowed(s.node_id))
        return
    assert hit.segment is not None
    fits = segment_filter(bank, query)
    for node_id in hit.segment.node_ids:
        for conflict in bank.open_conflicts_of(node_id):
            if any(hit.segment.ref in side.segments for side in conflict.sides if side.node_id == node_id):
                others = (side for side in conflict.sides if side.node_id != node_id)
                yield from (ref for ref in _witnesses(bank, others) if fits is None or fits(ref))


def _witnesses(bank: Bank, chosen: Iterable[Side]) -> Iterator[SegmentRef]:
    """Of each side the segment that holds its quote, else its first."""
    for side in chosen:
        quoting = (ref for ref in side.segments if side.quote and side.quote in bank.tree.text(ref))
        ref = next(quoting, None) or next(iter(side.segments), None)
        if ref is not None:
            yield ref


def _unranked(bank: Bank, query: Query, said: Mapping[str, float], keys: Iterable[Key]) -> dict[Key, Hit]:
    """Hits for what was not among the best, by the plain formula."""
    alpha = alpha_of(query, said)
    assert alpha is not None, "without words or a vector nothing was found"
    chosen = list(keys)
    refs = [key for key in chosen if isinstance(key, SegmentRef)]
    nodes = [key for key in chosen if not isinstance(key, SegmentRef)]
    by_segment = sides(
        bank.record.space, query, said, bank.verbatim.words, bank.verbatim.vectors, refs, alpha
    )
    by_node = sides(bank.record.space, query, said, bank.node_words, bank.node_vectors, nodes, alpha)
    made: dict[Key, Hit] = {}
    for ref, attribute, embedding in zip(refs, *_listed(by_segment), strict=True):
        made[ref] = _hit(alpha, attribute, embedding)._replace(segment=bank.tree.segment(ref))
    for node_id, attribute, embedding in zip(nodes, *_listed(by_node), strict=True):
        near = bank.graph.neighbors(node_id)
        hit = _hit(alpha, attribute, embedding)
        made[node_id] = hit._replace(node=bank.nodes[node_id], neighbor_ids=near)
    return made


def _listed(scores: tuple[NDArray[np.float64], NDArray[np.float64]]) -> tuple[list[float], list[float]]:
    return scores[0].tolist(), scores[1].tolist()


def _hit(alpha: float, attribute: float, embedding: float) -> Hit:
    score = scoring.mixture(alpha, attribute, embedding)
    return Hit(score=score, attribute_score=attribute, embedding_score=embedding)
