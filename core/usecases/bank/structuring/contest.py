"""Conflicts as values: made from opinions, handed on when a side is absorbed, closed.

Law: pure; reads the bank, changes nothing.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from core.agents.roles import ConflictOpinion
from core.bank.bank import Bank
from core.bank.evidence import locate, within
from core.bank.steps import SegmentRefute
from core.ids import ConflictId, NodeId, SegmentRef
from core.model.conflict import Conflict, ConflictStatus, Side
from core.model.node import Node
from core.text.wording import words_of


def contested(
    bank: Bank,
    new: Node,
    opinions: Sequence[ConflictOpinion],
    conflict_id: ConflictId,
    now: datetime,
    status: ConflictStatus = ConflictStatus.OPEN,
) -> Conflict:
    """Returns one conflict of a new node and all its partners of the round, the new node first, each with its
    evidence."""
    quotes = list(dict.fromkeys(o.new_quote for o in opinions if o.new_quote))
    segments = dict.fromkeys(ref for quote in quotes or [""] for ref in locate(bank, new, quote))
    sides = [Side(node_id=new.node_id, segments=tuple(segments), quote="\n".join(quotes))]
    for opinion in opinions:
        rests_on = locate(bank, bank.nodes[opinion.existing], opinion.existing_quote)
        sides.append(Side(node_id=opinion.existing, segments=rests_on, quote=opinion.existing_quote))
    return Conflict(
        conflict_id=conflict_id,
        sides=tuple(sides),
        description="\n".join(dict.fromkeys(o.description for o in opinions)),
        confidence=max(o.confidence for o in opinions),
        reasoning="\n".join(dict.fromkeys(o.reasoning for o in opinions)),
        status=status,
        create_time=now,
    )


def joined(conflict: Conflict, newcomer: Conflict) -> Conflict:
    """Returns a conflict with the sides of one that disputes the same sentence, as far as it has not got them. The
    point at issue stays in its words."""
    known = {side.node_id for side in conflict.sides}
    more = tuple(side for side in newcomer.sides if side.node_id not in known)
    return replace(
        conflict, sides=(*conflict.sides, *more), confidence=max(conflict.confidence, newcomer.confidence)
    )


def without_sides(conflict: Conflict, gone: Container[NodeId]) -> Conflict | None:
    """Returns what is left of a conflict when nodes go; None where its first side goes, which all others were found to
    contradict, or where that stands alone."""
    first, *others = conflict.sides
    left = [side for side in others if side.node_id not in gone]
    return replace(conflict, sides=(first, *left)) if first.node_id not in gone and left else None


def handed_over(conflict: Conflict, gone: Container[NodeId], into: NodeId, now: datetime) -> Conflict:
    """Returns an open conflict some of whose sides were absorbed: it concerns the node that stands for them now.

    It is moot when that leaves a single side.
    """
    moved = [replace(side, node_id=into) if side.node_id in gone else side for side in conflict.sides]
    sides: dict[NodeId, Side] = {}
    for side in moved:
        sides.setdefault(
            side.node_id, side
        )  # the first side stays first: it is the one that goes round again
    if len(sides) > 1:
        return replace(conflict, sides=tuple(sides.values()))
    return closed(conflict, ConflictStatus.MOOT, now)


def closed(conflict: Conflict, status: ConflictStatus, now: datetime) -> Conflict:
    return replace(conflict, status=status, close_time=now)


REWORDED, VERBATIM = (
    0.5,
    2.0,
)  # how many of a sentence's words its source must share: half, or it must hold it


def refuted_words(
    bank: Bank, nodes: Sequence[Node], sentences: Iterable[str], conflict_id: ConflictId
) -> list[SegmentRefute]:
    """Finds the sentences that a verdict refutes in the record of any of the nodes, and in the copies of it.

    Where a node's summary says it in other words than its source, the segment must share half of them.
    """
    return [
        SegmentRefute(ref=ref, conflict_id=conflict_id, start=start, end=end)
        for sentence in sentences
        for node in nodes
        for ref in _resting(bank, node, sentence)
        for start, end in within(bank.tree.text(ref), sentence)
    ]


def _resting(bank: Bank, node: Node, sentence: str) -> Iterator[SegmentRef]:
    """Yields the segments of a node that a sentence of it rests on, and the copies that say so, too."""
    least = REWORDED if sentence in node.summary else VERBATIM
    found = locate(bank, node, sentence, least=least)
    yield from found
    if copies := bank.copies.get(node.node_id):
        texts = map(bank.tree.text, found)
        said = {words_of(text[start:end]) for text in texts for start, end in within(text, sentence)}
        for ref in copies.refs:
            words = words_of(bank.tree.text(ref))
            if any(each in words for each in said):
                yield ref
