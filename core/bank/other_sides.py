"""Both sides of a contradiction: whoever finds one of them is given the others.

Law: reads only. The other sides of an open conflict come at the score of the side that was found, so that
they are cut off together; what that adds is told as their share CONFLICT.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from core.bank.bank import Bank
from core.bank.candidates import alpha_of, node_filter, segment_filter, sides
from core.bank.query import Hit, Query
from core.bank.structure import CONFLICT, PLAIN
from core.ids import NodeId, SegmentRef
from core.model.conflict import Side


def with_other_sides(bank: Bank, query: Query, said: Mapping[str, float], hits: Sequence[Hit]) -> list[Hit]:
    """The hits, best first, and the other sides of the open conflicts that they take part in."""
    found: dict[NodeId | SegmentRef, Hit] = {_key(hit): hit for hit in hits}
    for hit in hits:
        for key in _others(bank, query, hit):
            other = found.get(key) or _unranked(bank, query, said, key)
            if other.score < hit.score:
                gain = hit.score - other.score
                why = (*(other.why or ((PLAIN, other.score),)), (CONFLICT, gain))
                found[key] = replace(other, score=hit.score, why=why)
            else:
                found[key] = other
    return list(found.values())


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


def _unranked(bank: Bank, query: Query, said: Mapping[str, float], key: NodeId | SegmentRef) -> Hit:
    """A hit for what was not among the best, by the plain formula."""
    alpha = alpha_of(query, said)
    assert alpha is not None, "without words or a vector nothing was found"
    if isinstance(key, SegmentRef):
        by_words, by_meaning = sides(
            bank, query, said, bank.segment_words, bank.segment_vectors, [key], alpha
        )
        found = Hit(score=0.0, attribute_score=0.0, embedding_score=0.0, segment=bank.tree.segment(key))
    else:
        by_words, by_meaning = sides(bank, query, said, bank.node_words, bank.node_vectors, [key], alpha)
        near = tuple(bank.graph.neighbors(key))
        found = Hit(
            score=0.0, attribute_score=0.0, embedding_score=0.0, node=bank.nodes[key], neighbor_ids=near
        )
    attribute, embedding = float(by_words[0]), float(by_meaning[0])
    score = alpha * attribute + (1.0 - alpha) * embedding
    return replace(found, score=score, attribute_score=attribute, embedding_score=embedding)
