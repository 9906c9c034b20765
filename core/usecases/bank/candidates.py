"""What a bank has on a query, as candidates of a prompt: passages, nodes without a record, sides at odds as pairs.

Law: reads only. The order is the search's own.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.bank.bank import Bank
from core.bank.query import Hit
from core.context.bank_evidence import BankEvidence, Pair, Side, candidate_of, segment_id, told_of
from core.context.evidence import Candidate, Kind, Said, Source, said
from core.context.validations import SIDES, side_texts
from core.ids import NodeId, SegmentRef
from core.model.conflict import Conflict
from core.model.node import Node
from core.model.vector import Vector
from core.verbatim.measuring import cosines, holding


class _Measured(NamedTuple):
    """Candidates, what is shown of each, and the rows of their measures."""

    candidate: Candidate
    shown: Hit | Pair
    rows: tuple[int, ...]


def bank_evidence(
    bank: Bank,
    said_hits: Sequence[Hit],
    node_hits: Sequence[Hit],
    neighbors: Sequence[Node],
    attempts: Collection[NodeId],
    words: Sequence[str],
    vector: Vector | None,
    settling: str = "",
) -> BankEvidence:
    """Lays out what was found: segments, and nodes that no record stands behind, by score. `settling`: the conflict
    whose sides the prompt shows anyway."""
    of_no_record = [hit for hit in node_hits if hit.node and not hit.node.segments]
    told = [hit for hit in said_hits if hit.segment and told_of(hit.segment).text]
    hits = sorted([*told, *of_no_record], key=lambda hit: -hit.score)
    made = [each for each in _joined(bank, hits) if each.candidate.name != settling]
    holds, measured = _measures(bank, hits, words, vector)
    source = Source(
        candidates=[each.candidate for each in made],
        holds=np.array([holds[list(each.rows)].any(axis=0) for each in made], dtype=np.bool_).reshape(
            len(made), len(words)
        ),
        cosines=np.array([measured[list(each.rows)].max() for each in made], dtype=np.float64),
    )
    owners = [bank.nodes[n] for hit in told if hit.segment for n in hit.segment.node_ids if n in bank.nodes]
    by_themselves = [hit.node for hit in node_hits if hit.node and hit.node.segments]
    nodes = list({node.node_id: node for node in by_themselves}.values())
    known = {node.node_id for node in (*nodes, *(hit.node for hit in of_no_record if hit.node))}
    near = [node for node in neighbors if node.node_id not in known]
    named = {node.node_id for node in (*owners, *near)} | known
    handles: dict[str, str] = {node_id: bank.handles.of(node_id) for node_id in named}
    handles |= {
        segment_id(hit.segment): f"{bank.handles.of(hit.segment.ref.interaction_id)}#{hit.segment.ref.index}"
        for hit in told
        if hit.segment and not any(n in handles for n in hit.segment.node_ids)
    }
    return BankEvidence(
        source=source,
        shown={each.candidate.name: each.shown for each in made},
        handles=handles,
        nodes=nodes,
        neighbors=near,
        attempts=attempts,
    )


def _measures(
    bank: Bank, hits: Sequence[Hit], words: Sequence[str], vector: Vector | None
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Returns which hit holds which word, and the cosines, in the order of the hits."""
    space = bank.record.space
    holds = np.zeros((len(hits), len(words)), dtype=np.bool_)
    measured = np.full(len(hits), np.nan)
    refs = {n: hit.segment.ref for n, hit in enumerate(hits) if hit.segment}
    node_ids = {n: hit.node.node_id for n, hit in enumerate(hits) if hit.node}
    if refs:
        holds[[*refs]] = holding(bank.verbatim.words, [*refs.values()], words)
        measured[[*refs]] = cosines(bank.verbatim.vectors, [*refs.values()], vector, space)
    if node_ids:
        holds[[*node_ids]] = holding(bank.node_words, [*node_ids.values()], words)
        measured[[*node_ids]] = cosines(bank.node_vectors, [*node_ids.values()], vector, space)
    return holds, measured


def _joined(bank: Bank, hits: Sequence[Hit]) -> Iterator[_Measured]:
    """Yields the hits in their order; the sides of an open conflict as one, where the first of them stands."""
    rows = {hit.segment.ref: row for row, hit in enumerate(hits) if hit.segment}
    paired = _pairs(bank, rows)
    done: set[str] = set()
    for row, hit in enumerate(hits):
        if hit.node is not None:
            yield _Measured(_of_node(hit.node), hit, (row,))
            continue
        assert hit.segment is not None, "a hit is a node or a segment"
        conflicts = paired.get(hit.segment.ref, ())
        if not conflicts:
            yield _Measured(candidate_of(hit.segment), hit, (row,))
        for conflict in conflicts:
            if conflict.conflict_id not in done:
                done.add(conflict.conflict_id)
                yield _of_conflict(bank, conflict, rows)


def _pairs(bank: Bank, found: Collection[SegmentRef]) -> dict[SegmentRef, list[Conflict]]:
    """Returns the open conflicts of the segments found that are at issue: those that hold a side's words."""
    paired: dict[SegmentRef, list[Conflict]] = {}
    for conflict in bank.open_conflicts():
        for side in conflict.sides:
            for ref in side.segments:
                if ref in found and (not side.quote or side.quote in bank.tree.text(ref)):
                    paired.setdefault(ref, []).append(conflict)
    return paired


def _of_node(node: Node) -> Candidate:
    return Candidate(
        node.node_id, node.node_id, Kind.PASSAGE, node.event_time, said(node.summary), len(node.summary)
    )


def _of_conflict(bank: Bank, conflict: Conflict, rows: dict[SegmentRef, int]) -> _Measured:
    """Returns the sides of a conflict as one candidate: what says no more than either folds into it."""
    texts = side_texts(conflict, bank.nodes, bank.tree.segment)[:SIDES]
    segments = {side.node_id: _witness(bank, side.segments, side.quote) for side in conflict.sides}
    sides, sentences = [], frozenset[int]()
    for text in sorted(texts, key=lambda each: each.time, reverse=True):
        ref = segments.get(text.node_id)
        segment = bank.tree.segment(ref) if ref else None
        if segment:
            sentences |= told_of(segment).said.sentences
        sides.append(
            Side(
                handle=bank.handles.of(text.node_id),
                time=text.time,
                segment=segment,
                speaker=segment.speaker if segment and segment.speaker else text.source,
                text=text.line,
            )
        )
    newest = max(side.time for side in sides)
    candidate = Candidate(
        conflict.conflict_id, conflict.conflict_id, Kind.PAIR, newest, Said(sentences, True), 0
    )
    refs = [ref for side in conflict.sides for ref in side.segments if ref in rows]
    pair = Pair(bank.handles.of(conflict.conflict_id), sides)
    return _Measured(candidate, pair, tuple(rows[ref] for ref in refs))


def _witness(bank: Bank, refs: Sequence[SegmentRef], quote: str) -> SegmentRef | None:
    """Returns the segment that holds a side's quote, else its first."""
    quoting = (ref for ref in refs if quote and quote in bank.tree.text(ref))
    return next(quoting, None) or next(iter(refs), None)
