"""Both sides of a contradiction: a hit of one of them brings the others.

Law: reads only. The other sides of an open conflict come right behind the side that was found, so that they are cut
off together, or where they are newer and fit nearly as well right before it; what that adds is their share CONFLICT. Of
a conflict with many sides the COMPANIONS that fit the query best come, lest they drive out everything else that was
found.
"""

import math
from collections.abc import Iterable, Iterator, Sequence

from core.bank.bank import Bank
from core.bank.plan import BankPlan
from core.bank.query import Hit
from core.ids import NodeId, SegmentRef
from core.index.scoring import K
from core.model.conflict import Side
from core.verbatim.candidates import sides
from core.verbatim.plan import Source
from core.verbatim.structure import CONFLICT, PLAIN

COMPANIONS = 2  # of one hit

Key = NodeId | SegmentRef


def with_other_sides(plan: BankPlan, hits: Sequence[Hit]) -> list[Hit]:
    """Returns the hits, best first, and the other sides of the open conflicts that they take part in."""
    found: dict[Key, Hit] = {_key(hit): hit for hit in hits}
    at_issue = {side.node_id for conflict in plan.bank.open_conflicts() for side in conflict.sides}
    partners = {
        key: list(dict.fromkeys(_others(plan, hit)))
        for key, hit in found.items()
        if not at_issue.isdisjoint(
            (hit.node.node_id,) if hit.node else hit.segment.node_ids if hit.segment else ()
        )
    }
    at_issue_here = {key for key, others in partners.items() if others}
    plain = _by_plain(plan, at_issue_here.union(*partners.values()))
    known = plain | found
    together = dict(found)
    for key, others in partners.items():
        for other in sorted(others, key=lambda each: (-known[each].score, str(each)))[:COMPANIONS]:
            first = _comes_first(plain[other], plain[key], plan.query.structure.newer)
            score = found[key].score if first else math.nextafter(found[key].score, 0.0)
            if other not in together or together[other].score < score:
                together[other] = _brought(together.get(other, known[other]), score)
    return list(together.values())


def _comes_first(other: Hit, hit: Hit, share: float) -> bool:
    """Whether of two sides the other one is the newer, and fits nearly as well, by the plain formula: with the same
    score it comes first."""
    return share > 0.0 and other.time > hit.time and other.score >= (1.0 - share) * hit.score


def _brought(hit: Hit, score: float) -> Hit:
    why = (*(hit.why or ((PLAIN, hit.score),)), (CONFLICT, score - hit.score))
    return hit._replace(score=score, why=why)


def _key(hit: Hit) -> NodeId | SegmentRef:
    if hit.node is not None:
        return hit.node.node_id
    assert hit.segment is not None, "a hit is a node or a segment"
    return hit.segment.ref


def _others(plan: BankPlan, hit: Hit) -> Iterator[NodeId | SegmentRef]:
    """Yields what stands on the other sides of the hit's open conflicts, as far as the query admits it."""
    bank = plan.bank
    if hit.node is not None:
        allowed = plan.nodes.allowed
        own = hit.node.node_id
        for conflict in bank.open_conflicts_of(own):
            others = (side.node_id for side in conflict.sides if side.node_id != own)
            yield from (node_id for node_id in others if allowed is None or allowed(node_id))
        return
    assert hit.segment is not None
    fits = plan.segments.allowed
    for node_id in hit.segment.node_ids:
        for conflict in bank.open_conflicts_of(node_id):
            if any(hit.segment.ref in side.segments for side in conflict.sides if side.node_id == node_id):
                rivals = (side for side in conflict.sides if side.node_id != node_id)
                yield from (ref for ref in _witnesses(bank, rivals) if fits is None or fits(ref))


def _witnesses(bank: Bank, chosen: Iterable[Side]) -> Iterator[SegmentRef]:
    """Yields of each side the segment that holds its quote, else its first."""
    for side in chosen:
        quoting = (ref for ref in side.segments if side.quote and side.quote in bank.tree.text(ref))
        ref = next(quoting, None) or next(iter(side.segments), None)
        if ref is not None:
            yield ref


def _by_plain(plan: BankPlan, keys: Iterable[Key]) -> dict[Key, Hit]:
    """Hits by the plain formula."""
    bank, chosen = plan.bank, list(keys)
    refs = [key for key in chosen if isinstance(key, SegmentRef)]
    nodes = [key for key in chosen if not isinstance(key, SegmentRef)]
    made: dict[Key, Hit] = {}
    for ref, hit in zip(refs, _plain_hits(plan, plan.segments, refs), strict=True):
        made[ref] = hit._replace(segment=bank.tree.segment(ref))
    for node_id, hit in zip(nodes, _plain_hits(plan, plan.nodes, nodes), strict=True):
        made[node_id] = hit._replace(node=bank.nodes[node_id], neighbor_ids=bank.graph.neighbors(node_id))
    return made


def _plain_hits(plan: BankPlan, source: Source[K], keys: Sequence[K]) -> list[Hit]:
    assert plan.plan.alpha is not None, "without words or a vector nothing was found"
    attribute, embedding, plain = sides(plan.plan, source, source.rows(keys))
    columns = (each.tolist() for each in (plain, attribute, embedding))
    return [Hit(*scores) for scores in zip(*columns, strict=True)]
