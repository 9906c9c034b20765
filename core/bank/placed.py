"""Segments ranked by the plain formula and by their places, as `core.verbatim.structure` weighs them.

Law: reads only. Scored are the plain formula's candidates and the segments near them; the rest of the bank is
not looked at, so that a query hardly takes longer in a large bank than in a small one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from core.bank.bank import Bank
from core.bank.candidates import alpha_of, segment_filter, sides, unranked
from core.bank.query import Query
from core.ids import NodeId, SegmentRef
from core.index import scoring
from core.index.scoring import Scored, Why
from core.text.moments import Frame, spans
from core.verbatim import structure
from core.verbatim.segment_order import Positions
from core.verbatim.structure import Places

LEADERS = 2  # best segments that compete for top_k, as a multiple: some repeat others
QUOTATION = 4  # terms of a query that may be one: fewer stand in too many places
LAST = datetime.max.replace(microsecond=0, tzinfo=UTC).timestamp()  # seconds; a float rounds what is later up
HOLDING = 0.25  # attribute score below which no segment is looked through: it lacks some of the query's words
REFUTED = 0.5  # what a segment's score is multiplied with when a verdict speaks against all of it
FAILED = 0.5  # the same for the context of a step that failed


def placed(bank: Bank, query: Query, said: Mapping[str, float]) -> list[Scored[SegmentRef]]:
    """The best `top_k` segments, in order."""
    alpha = alpha_of(query, said)
    if alpha is None:
        return []
    allowed = segment_filter(bank, query)
    words, vectors = bank.segment_words, bank.segment_vectors
    order = bank.tree.order
    positions = order.positions(unranked(query, said, words, vectors, allowed, alpha))
    if len(positions) == 0:
        return []
    positions = order.around(positions, structure.REACH)
    refs = order.refs(positions)
    attribute, embedding = sides(bank, query, said, words, vectors, refs, alpha)
    plain = alpha * attribute + (1.0 - alpha) * embedding
    quoting = _quoting(bank, query, said, refs, attribute)
    places = _places(bank, query, said, positions, quoting)
    shares = structure.shares(plain, places, query.structure)
    if bank.tree.refuted or bank.tree.failed:
        kept = np.array([standing(bank, ref) for ref in refs])
        shares = {name: kept * share for name, share in shares.items()}
    parts = np.array(list(shares.values()))
    scores = parts.sum(axis=0)
    ranked = _ranked(_leading(scores, query, refs, allowed), scores, places.times, refs)
    lost = _lost(bank, query, ranked, scores, refs)
    if lost:
        scores[list(lost)] -= list(lost.values())
        ranked = _ranked(ranked, scores, places.times, refs)
    best = [place for place in ranked if scores[place] >= query.min_score][: query.top_k]
    columns = (each[best].tolist() for each in (scores, attribute, embedding, parts.T))
    return [
        Scored(
            key=refs[place],
            score=score,
            attribute_score=by_words,
            embedding_score=by_meaning,
            why=_why(zip(shares, made, strict=True), lost.get(place)),
        )
        for place, score, by_words, by_meaning, made in zip(best, *columns, strict=True)
    ]


def standing(bank: Bank, ref: SegmentRef) -> float:
    """What a segment's score is multiplied with: the less of it verdicts have left standing, the lower it ranks, and
    lower what a step met that failed."""
    attempt = FAILED if ref.interaction_id in bank.tree.failed else 1.0
    return attempt * (1.0 - (1.0 - REFUTED) * bank.tree.refuted_share(ref))


def _leading(
    scores: NDArray[np.float64],
    query: Query,
    refs: Sequence[SegmentRef],
    allowed: Callable[[SegmentRef], bool] | None,
) -> list[int]:
    admits = None if allowed is None else lambda place: allowed(refs[place])
    return scoring.leading(scores, LEADERS * query.top_k, admits)


def _ranked(
    chosen: Sequence[int],
    scores: NDArray[np.float64],
    times: NDArray[np.float64],
    refs: Sequence[SegmentRef],
) -> list[int]:
    """In the order of `scoring.in_order`: by score, ties by newer, then by id."""
    keys = ((-scores[chosen]).tolist(), (-times[chosen]).tolist(), [refs[place] for place in chosen])
    return [place for *_, place in sorted(zip(*keys, chosen, strict=True))]


def _why(made: Iterable[tuple[str, float]], loss: float | None) -> Why:
    return tuple(made) if loss is None else (*made, (structure.REPETITION, -loss))


def _lost(
    bank: Bank,
    query: Query,
    ranked: Sequence[int],
    scores: NDArray[np.float64],
    refs: Sequence[SegmentRef],
) -> dict[int, float]:
    """What those of the ranked that repeat a better one lose by it."""
    diversity = query.structure.diversity
    if diversity == 0.0:
        return {}
    found, vectors = bank.segment_vectors.matrix([refs[place] for place in ranked])
    repeated = structure.repetition(vectors)
    again = np.flatnonzero(repeated)
    chosen = [ranked[found[number]] for number in again.tolist()]
    losses = (scores[chosen] * diversity * repeated[again]).tolist()
    return {place: loss for place, loss in zip(chosen, losses, strict=True) if loss > 0.0}


def _places(
    bank: Bank, query: Query, said: Mapping[str, float], positions: Positions, quoting: NDArray[np.bool_]
) -> Places:
    order, weights = bank.tree.order, query.structure.weights
    first, last = (datetime.fromtimestamp(min(time, LAST), UTC).year for time in order.period)
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
    groups = dict.fromkeys(owners)
    nodes = list(dict.fromkeys(chain.from_iterable(groups)))
    alpha = alpha_of(query, said)
    if not nodes or alpha is None:
        return np.zeros(len(positions))
    attribute, embedding = sides(bank, query, said, bank.node_words, bank.node_vectors, nodes, alpha)
    scores = dict(zip(nodes, (alpha * attribute + (1.0 - alpha) * embedding).tolist(), strict=True))
    best = {each: _best(scores, each) for each in groups}
    return np.array([best[each] for each in owners])


def _best(scores: Mapping[NodeId, float], nodes: Sequence[NodeId]) -> float:
    if len(nodes) == 1:  # as a rule
        return scores[nodes[0]]
    return max(map(scores.__getitem__, nodes), default=0.0)
