"""Segments ranked by the plain formula and by their places, as `core.bank.structure` weighs them.

Law: reads only. Scored are the plain formula's candidates and the segments near them; the rest of the bank is
not looked at, so that a query hardly takes longer in a large bank than in a small one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from core.bank import scoring, structure
from core.bank.bank import Bank
from core.bank.candidates import alpha_of, candidates, segment_filter, sides
from core.bank.query import Query
from core.bank.scoring import Scored
from core.bank.segment_order import Positions
from core.bank.structure import Places
from core.ids import SegmentRef
from core.text.moments import Frame, spans

LEADERS = 2  # best segments that compete for top_k, as a multiple: some repeat others
QUOTATION = 4  # terms of a query that may be one: fewer stand in too many places
HOLDING = 0.25  # attribute score below which no segment is looked through: it lacks some of the query's words
REFUTED = 0.5  # what a segment's score is multiplied with when a verdict speaks against it


def placed(bank: Bank, query: Query, said: Mapping[str, float]) -> list[Scored[SegmentRef]]:
    """The best `top_k` segments, in order."""
    alpha = alpha_of(query, said)
    if alpha is None:
        return []
    allowed = segment_filter(bank, query)
    words, vectors = bank.segment_words, bank.segment_vectors
    best, nearest = candidates(query, said, words, vectors, allowed, alpha)
    order = bank.tree.order
    positions = order.positions([*best, *nearest])
    if len(positions) == 0:
        return []
    positions = order.around(positions, structure.REACH)
    refs = order.refs(positions)
    attribute, embedding = sides(bank, query, said, words, vectors, refs, alpha, nearest)
    plain = alpha * attribute + (1.0 - alpha) * embedding
    quoting = _quoting(bank, query, said, refs, attribute)
    places = _places(bank, query, said, positions, quoting)
    shares = structure.shares(plain, places, query.structure)
    if bank.tree.refuted:
        kept = np.array([REFUTED if ref in bank.tree.refuted else 1.0 for ref in refs])
        shares = {name: kept * share for name, share in shares.items()}
    parts = np.array(list(shares.values()))
    leaders = np.array(_leading(parts.sum(axis=0), query, refs, allowed), dtype=np.intp)
    told = zip(
        leaders.tolist(),
        parts[:, leaders].T.tolist(),
        attribute[leaders].tolist(),
        embedding[leaders].tolist(),
        strict=True,
    )
    scored = [
        Scored(
            key=refs[place],
            score=sum(each),
            attribute_score=by_words,
            embedding_score=by_meaning,
            why=tuple(zip(shares, each, strict=True)),
        )
        for place, each, by_words, by_meaning in told
    ]
    return _in_order(bank, query, scored)


def _leading(
    scores: NDArray[np.float64],
    query: Query,
    refs: Sequence[SegmentRef],
    allowed: Callable[[SegmentRef], bool] | None,
) -> list[int]:
    admits = None if allowed is None else lambda place: allowed(refs[place])
    return scoring.leading(scores, LEADERS * query.top_k, admits)


def _in_order(bank: Bank, query: Query, scored: Iterable[Scored[SegmentRef]]) -> list[Scored[SegmentRef]]:
    def time(ref: SegmentRef) -> datetime:
        return bank.tree.segment(ref).event_time

    ranked = scoring.in_order(scored, time)
    if query.structure.diversity > 0.0:
        told_apart = _less_repeated(bank, query.structure.diversity, ranked)
        ranked = ranked if told_apart == ranked else scoring.in_order(told_apart, time)
    return [hit for hit in ranked if hit.score >= query.min_score][: query.top_k]


def _places(
    bank: Bank, query: Query, said: Mapping[str, float], positions: Positions, quoting: NDArray[np.bool_]
) -> Places:
    order, weights = bank.tree.order, query.structure.weights
    first, last = (datetime.fromtimestamp(time, UTC).year for time in order.period)
    frame = Frame(first=first, last=last, now=query.now)
    called = order.speakers_in(query.text) if "speaker" in weights else []
    return Places(
        positions=positions,
        sittings=order.sittings[positions],
        asking=order.asking[positions],
        told=order.told_by(positions, called),
        times=order.times[positions],
        topics=_topics(bank, query, said, positions) if "topic" in weights else np.zeros(len(positions)),
        quoting=quoting,
        spoken_of=spans(query.text, frame) if "time" in weights else (),
    )


def _quoting(
    bank: Bank,
    query: Query,
    said: Mapping[str, float],
    refs: Sequence[SegmentRef],
    attribute: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Of each segment, whether it holds the query word for word; none where the query is no quotation."""
    quoting = np.zeros(len(refs), np.bool_)
    quotation = query.text.strip()
    if quotation and len(said) >= QUOTATION and "quote" in query.structure.weights:
        for place in np.flatnonzero(attribute >= HOLDING).tolist():
            quoting[place] = quotation in bank.tree.text(refs[place])
    return quoting


def _topics(bank: Bank, query: Query, said: Mapping[str, float], positions: Positions) -> NDArray[np.float64]:
    """Of each segment, the plain score of the best node that summarises it; 0 where none does."""
    owners = bank.tree.nodes_at(positions.tolist())
    nodes = list(dict.fromkeys(chain.from_iterable(owners)))
    alpha = alpha_of(query, said)
    if not nodes or alpha is None:
        return np.zeros(len(positions))
    attribute, embedding = sides(bank, query, said, bank.node_words, bank.node_vectors, nodes, alpha)
    scores = dict(zip(nodes, (alpha * attribute + (1.0 - alpha) * embedding).tolist(), strict=True))
    best = {each: max(map(scores.__getitem__, each), default=0.0) for each in set(owners)}
    return np.array([best[each] for each in owners])


def _less_repeated(
    bank: Bank, diversity: float, ranked: Sequence[Scored[SegmentRef]]
) -> list[Scored[SegmentRef]]:
    """The same hits; those that repeat a better one have lost by it."""
    found = [(place, bank.segment_vectors.get(hit.key)) for place, hit in enumerate(ranked)]
    places = [place for place, vector in found if vector is not None]
    if len(places) < 2:
        return list(ranked)
    repeated = structure.repetition(np.array([vector for _, vector in found if vector is not None]))
    told_apart = list(ranked)
    for place, part in zip(places, repeated.tolist(), strict=True):
        hit = ranked[place]
        loss = hit.score * diversity * part
        if loss > 0.0:
            told_apart[place] = replace(
                hit, score=hit.score - loss, why=(*hit.why, (structure.REPETITION, -loss))
            )
    return told_apart
