"""What a bank has on a query, as candidates of a prompt: passages, nodes without a record, sides at odds as pairs.

Law: reads only. The order is the search's own.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.bank.bank import Bank
from core.bank.evidence import within
from core.bank.query import Hit
from core.context.bank_evidence import BankEvidence, Pair, Side, candidate_of, segment_id, told_of
from core.context.disputes import Disputes, SentenceKeys
from core.context.evidence import Candidate, Kind, Source, said
from core.context.validations import SIDES, side_texts
from core.ids import ConflictId, NodeId, SegmentRef
from core.model.conflict import Conflict
from core.model.conflict import Side as ConflictSide
from core.model.interaction import Segment
from core.model.node import Node, NodeState
from core.model.vector import Vector
from core.text.tokens import estimate
from core.verbatim.measuring import cosines, holding

_SCORE = attrgetter("score")
Measure = TypeVar("Measure", np.bool_, np.float64)


class _MeasuredCandidate(NamedTuple):
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
    hits = sorted([*told, *of_no_record], key=_SCORE, reverse=True)
    pairs = _Pairs(bank, {_key(hit): row for row, hit in enumerate(hits)}, settling)
    made = list(_joined(bank, hits, pairs))
    holds, measured = _measures(bank, hits, words, vector)
    source = Source(
        candidates=[each.candidate for each in made],
        holds=_joined_rows(holds, made, np.logical_or),
        cosines=_joined_rows(measured, made, np.maximum),
    )
    owners = [bank.nodes[n] for hit in told if hit.segment for n in hit.segment.node_ids if n in bank.nodes]
    by_themselves = [hit.node for hit in node_hits if hit.node and hit.node.segments]
    nodes = list({node.node_id: node for node in by_themselves}.values())
    known = {node.node_id for node in (*nodes, *(hit.node for hit in of_no_record if hit.node))}
    nodes = _by_themselves(bank, nodes, settling)
    near = _by_themselves(bank, (node for node in neighbors if node.node_id not in known), settling)
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
        disputes=pairs.disputes,
    )


def _joined_rows(
    measured: NDArray[Measure], made: Sequence[_MeasuredCandidate], joining: np.ufunc
) -> NDArray[Measure]:
    """Returns a row for each candidate, of several rows of it their join."""
    rows = measured[[each.rows[0] for each in made]]
    for place, each in enumerate(made):
        if len(each.rows) > 1:
            rows[place] = joining.reduce(measured[list(each.rows)])
    return rows


def _rested_on(bank: Bank, settling: str) -> Collection[SegmentRef | NodeId]:
    """Returns what holds the words of the sides of a conflict."""
    conflict = bank.conflicts.get(ConflictId(settling))
    if conflict is None:
        return ()
    segments = [
        ref
        for side in conflict.sides
        for ref in side.segments
        if not side.quote or side.quote in bank.tree.text(ref)
    ]
    return {*segments, *(side.node_id for side in conflict.sides)}


def _by_themselves(bank: Bank, nodes: Iterable[Node], settling: str) -> list[Node]:
    """Returns the nodes that may be told about: of a quarrel both sides stand together, in the words of the record, but
    for the one whose sides the prompt shows anyway."""
    return [
        node
        for node in nodes
        if node.state is not NodeState.CONTESTED
        or all(each.conflict_id == settling for each in bank.open_conflicts_of(node.node_id))
    ]


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


def _joined(bank: Bank, hits: Sequence[Hit], pairs: "_Pairs") -> Iterator[_MeasuredCandidate]:
    """Yields the hits in their order; the sides of an open conflict as one, where the first of them stands. What only
    repeats a side in a passage of its own stands beside the pair."""
    done: set[str] = set()
    for key, row in pairs.found.items():
        hit, conflicts = hits[row], pairs.of.get(key, ())
        if not conflicts and key in pairs.shown:
            continue
        if not conflicts:
            candidate = _of_node(hit.node) if hit.node else candidate_of(_segment(hit))
            yield _MeasuredCandidate(candidate, hit, (row,))
            conflicts = pairs.repeated_by(candidate.said) if pairs.disputes else ()
        for conflict in conflicts:
            if conflict.conflict_id not in done:
                done.add(conflict.conflict_id)
                yield _of_conflict(bank, conflict, pairs, row)


def _key(hit: Hit) -> SegmentRef | NodeId:
    return hit.node.node_id if hit.node else _segment(hit).ref


def _segment(hit: Hit) -> Segment:
    assert hit.segment is not None, "a hit is a node or a segment"
    return hit.segment


class _Pairs:
    """The open conflicts of what was found. `of`: those of segments that hold a side's words, and of nodes that no
    record stands behind; `disputed`: how many conflicts rest on a segment. `found`: the rows of all hits;
    `shown`: what the prompt shows anyway."""

    def __init__(self, bank: Bank, found: Mapping[SegmentRef | NodeId, int], settling: str) -> None:
        self.found = found
        self.shown = _rested_on(bank, settling)
        self.of: dict[SegmentRef | NodeId, list[Conflict]] = {}
        self.disputed: Counter[SegmentRef] = Counter()
        self.disputes = Disputes()
        self._conflicts: dict[str, Conflict] = {}
        for conflict in bank.open_conflicts():
            if conflict.conflict_id == settling:
                continue
            self._conflicts[conflict.conflict_id] = conflict
            self.disputes.add(conflict.conflict_id, [_at_issue(bank, side) for side in conflict.sides])
            self.disputed.update({ref for side in conflict.sides for ref in side.segments})
            for side in conflict.sides:
                if side.node_id in found:
                    self.of.setdefault(side.node_id, []).append(conflict)
                for ref in side.segments:
                    if ref in found and (not side.quote or side.quote in bank.tree.text(ref)):
                        self.of.setdefault(ref, []).append(conflict)

    def repeated_by(self, told: SentenceKeys) -> list[Conflict]:
        """Returns the conflicts of which a text holds a sentence of a side."""
        return [self._conflicts[name] for name in self.disputes.touched(told)]


def _of_node(node: Node) -> Candidate:
    tokens = estimate(node.summary)
    return Candidate(node.node_id, node.node_id, Kind.PASSAGE, node.event_time, said(node.summary), tokens)


def _of_conflict(bank: Bank, conflict: Conflict, pairs: _Pairs, row: int) -> _MeasuredCandidate:
    """Returns the sides of a conflict as one candidate: what says no more than either folds into it. Of a passage that
    several conflicts rest on, only what is at issue in this one. `row`: of the hit that brings it."""
    texts = side_texts(conflict, bank.nodes, bank.tree.segment)[:SIDES]
    segments = {side.node_id: _witness(bank, side.segments, side.quote) for side in conflict.sides}
    sides, sentences = [], frozenset[int]()
    for text in sorted(texts, key=lambda each: each.time, reverse=True):
        ref = segments.get(text.node_id)
        segment = bank.tree.segment(ref) if ref else None
        speaker = segment.speaker if segment and segment.speaker else text.source
        if ref and pairs.disputed[ref] > 1:
            segment = None
        if segment:
            sentences |= told_of(segment).said.sentences
        sides.append(
            Side(
                handle=bank.handles.of(text.node_id),
                time=text.time,
                segment=segment,
                speaker=speaker,
                text=text.line,
            )
        )
    newest = max(side.time for side in sides)
    at_issue = [_at_issue(bank, side) for side in conflict.sides]
    candidate = Candidate(
        conflict.conflict_id,
        conflict.conflict_id,
        Kind.PAIR,
        newest,
        SentenceKeys(sentences.union(*at_issue), True),
        0,
    )
    keys: list[SegmentRef | NodeId] = [side.node_id for side in conflict.sides]
    keys += [ref for side in conflict.sides for ref in side.segments]
    pair = Pair(bank.handles.of(conflict.conflict_id), sides)
    return _MeasuredCandidate(
        candidate, pair, tuple(pairs.found[key] for key in keys if key in pairs.found) or (row,)
    )


def _witness(bank: Bank, refs: Sequence[SegmentRef], quote: str) -> SegmentRef | None:
    """Returns the segment that holds a side's quote, else its first."""
    quoting = (ref for ref in refs if quote and quote in bank.tree.text(ref))
    return next(quoting, None) or next(iter(refs), None)


def _at_issue(bank: Bank, side: ConflictSide) -> frozenset[int]:
    """Returns the sentences that a side's quote is taken from; without one all that the side rests on."""
    try:
        kept: frozenset[int] = side.shown
    except AttributeError:
        kept = side.keep_shown(said(*_disputed(bank, side)).sentences)
    return kept


def _disputed(bank: Bank, side: ConflictSide) -> Iterator[str]:
    ref = _witness(bank, side.segments, side.quote)
    if ref is None:
        node = bank.nodes.get(side.node_id)
        yield side.quote or (node.summary if node else "")
        return
    text, quotes = bank.tree.text(ref), [quote for quote in side.quote.splitlines() if quote.strip()]
    for quote in quotes:
        yield from (text[start:end] for start, end in within(text, quote))
    if not quotes:
        yield text
