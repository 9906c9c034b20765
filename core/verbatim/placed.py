"""Segments ranked by the plain formula and by their places, as `core.verbatim.structure` weighs them.

Law: reads only. Scored are the plain formula's candidates and the segments near them; the rest of the record is
not looked at, so that a query hardly takes longer in a large record than in a small one.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.ids import SegmentRef
from core.index import scoring
from core.index.scoring import ScoredCandidate, Why
from core.text.moments import Frame, Span, spans
from core.text.times import asks_for_now, asks_for_time
from core.verbatim import structure
from core.verbatim.candidates import SegmentSides, Sides, leading, sides, unranked
from core.verbatim.plan import Plan, Source
from core.verbatim.segment_order import MASKED, Positions, SegmentOrder
from core.verbatim.structure import Places
from core.verbatim.verbatim import Owner

LEADERS = 2  # best segments that compete for top_k, as a multiple: some repeat others
CLOSE = 8  # of top_k, the share that may repeat others as a rule: the 8th part
COMPARED = 2048  # best segments that may repeat each other: each is compared with all before it
OVERTAKEN = 256  # best segments among which a newer one may come first: each is compared with all others
QUOTATION = 4  # terms of a query that may be one: fewer stand in too many places
LAST = datetime.max.replace(microsecond=0, tzinfo=UTC).timestamp()  # seconds; a float rounds what is later up
HOLDING = 0.25  # attribute score below which no segment is looked through: it lacks some of the query's words


class Ranking(NamedTuple):
    """Segments that were scored, and which of them are the best, best first, by their place among these.

    `parts`: what each component gives to the scores, a row for each; `steps`: what the steps that follow change in some
    of them, by name.
    """

    refs: Sequence[SegmentRef]
    best: Sequence[int]
    scores: NDArray[np.float64]
    sides: Sides
    components: tuple[str, ...]
    parts: NDArray[np.float64]
    steps: Mapping[str, Mapping[int, float]]

    def scored(self, places: Sequence[int]) -> list[ScoredCandidate[SegmentRef]]:
        """Returns some of the segments with what made their scores."""
        chosen = list(places)
        attribute, embedding, _ = self.sides
        columns = (each[chosen].tolist() for each in (self.scores, attribute, embedding, self.parts.T))
        return [
            ScoredCandidate(self.refs[place], score, by_words, by_meaning, self._why(place, made))
            for place, score, by_words, by_meaning, made in zip(chosen, *columns, strict=True)
        ]

    def _why(self, place: int, made: Sequence[float]) -> Why:
        why = tuple(zip(self.components, made, strict=True))
        changed = ((name, change[place]) for name, change in self.steps.items() if place in change)
        return (*why, *changed)


NOTHING = Ranking((), (), np.empty(0), Sides(*[np.empty(0)] * 3), (), np.empty((0, 0)), {})


def placed(
    plan: Plan, source: Source[SegmentRef], order: SegmentOrder, owner: Owner
) -> list[ScoredCandidate[SegmentRef]]:
    """Returns the `top_k` best segments of those the source allows, in order."""
    found = ranking(plan, source, order, owner)
    return found.scored(found.best)


def ranking(
    plan: Plan,
    source: Source[SegmentRef],
    order: SegmentOrder,
    owner: Owner,
    known: SegmentSides | None = None,
) -> Ranking:
    """Ranks the segments that the source allows, up to the `top_k` best. `known`: how well all fit, where that is
    known: no index is asked then."""
    query, positions = plan.query, _scored(plan, source, order, known)
    if plan.alpha is None or not len(positions):
        return NOTHING
    refs = order.refs(positions)
    by_side = known.sides.at(positions) if known else sides(plan, source, source.rows(refs))
    places = _places(plan, order, owner, positions, _quoting(plan, owner, refs, by_side.attribute))
    shares = structure.shares(by_side.plain, places, query.structure)
    kept = owner.credibility(refs)
    if kept is not None:
        shares = {name: kept * share for name, share in shares.items()}
    parts = np.array(list(shares.values()))
    held = _SegmentScores(plan, source, refs, parts.sum(axis=0), places.times)
    ranked = _ranked(held, _leading(held))
    steps: dict[str, Mapping[int, float]] = {}
    for name, step in ((structure.REPETITION, _repeating), (structure.NEWER, _overtaking)):
        changed = step(held, ranked)
        if changed:
            steps[name] = {place: score - held.scores[place] for place, score in changed.items()}
            held.scores[list(changed)] = list(changed.values())
            ranked = _ranked(held, ranked)
    best = ranked[held.scores[ranked] >= query.min_score][: query.top_k]
    return Ranking(refs, best.tolist(), held.scores, by_side, tuple(shares), parts, steps)


def _scored(
    plan: Plan, source: Source[SegmentRef], order: SegmentOrder, known: SegmentSides | None
) -> Positions:
    """Returns the candidates and the segments near them."""
    if known:
        return order.around(leading(plan, known, order.every_ref), structure.REACH)
    by_meaning = plan.query.vector is not None and plan.alpha is not None and plan.alpha < 1.0
    if by_meaning and source.allowed is None and order.living == len(source.vectors) <= plan.depth:
        return np.flatnonzero(order.sittings != MASKED)  # of so few all are candidates
    return order.around(order.positions(unranked(plan, source)), structure.REACH)


class _SegmentScores(NamedTuple):
    """Segments that were scored; arrays by their place among `refs`. `times`: seconds since 1970."""

    plan: Plan
    source: Source[SegmentRef]
    refs: Sequence[SegmentRef]
    scores: NDArray[np.float64]
    times: NDArray[np.float64]

    def vectors(self, places: Positions) -> tuple[Positions, NDArray[np.float32]]:
        """Returns those of the places that have a vector, and the vectors."""
        found, vectors = self.source.vectors.matrix([self.refs[place] for place in places.tolist()])
        return places[found], vectors


def _leading(held: _SegmentScores) -> Positions:
    refs, allowed, wanted = held.refs, held.source.allowed, LEADERS * held.plan.query.top_k
    admits = None if allowed is None else lambda place: allowed(refs[place])
    return np.array(scoring.leading(held.scores, wanted, admits), dtype=np.int64)


def _ranked(held: _SegmentScores, chosen: Positions) -> Positions:
    """Sorts as `scoring.in_order` does: by score, ties by newer, then by id."""
    losses = -held.scores[chosen]
    order = losses.argsort()
    losses = losses[order]
    if (losses[1:] > losses[:-1]).all():  # as a rule: no ties
        return chosen[order]
    keys = (
        losses.tolist(),
        (-held.times[chosen[order]]).tolist(),
        [held.refs[place] for place in chosen[order].tolist()],
    )
    ranked = [place for *_, place in sorted(zip(*keys, chosen[order].tolist(), strict=True))]
    return np.array(ranked, dtype=np.int64)


def _repeating(held: _SegmentScores, ranked: Positions) -> dict[int, float]:
    """Returns the score of each of the ranked that loses by repeating a better one; of those behind the best of none,
    where these stay the best."""
    query = held.plan.query
    if query.structure.diversity == 0.0:
        return {}
    close, ranked = query.top_k + query.top_k // CLOSE, ranked[:COMPARED]
    if close < len(ranked):
        lowered = _lowered(held, ranked[:close])
        behind = held.scores[ranked[close]]
        if close - sum(score <= behind for score in lowered.values()) >= query.top_k:
            return lowered
    return _lowered(held, ranked)


def _lowered(held: _SegmentScores, ranked: Positions) -> dict[int, float]:
    places, vectors = held.vectors(ranked)
    kept = 1.0 - held.plan.query.structure.diversity * structure.repetition(vectors)
    return _changed(held, places, held.scores[places] * kept)


def _overtaking(held: _SegmentScores, ranked: Positions) -> dict[int, float]:
    """Returns the score of each of the ranked that is put before an older one like it, where it is asked how things are
    now."""
    plan, share = held.plan, held.plan.query.structure.newer
    if share == 0.0 or not asks_for_now(plan.query.text):
        return {}
    places, vectors = held.vectors(ranked[:OVERTAKEN])
    likeness = scoring.embedding_scores(vectors @ vectors.T, plan.floor, plan.ceiling)
    raised = structure.giving_way(held.scores[places], held.times[places], likeness, share)
    return _changed(held, places, raised)


def _changed(held: _SegmentScores, places: Positions, scores: NDArray[np.float64]) -> dict[int, float]:
    """Returns the scores, by place, that are not as they were."""
    changed = np.flatnonzero(scores != held.scores[places])
    return dict(zip(places[changed].tolist(), scores[changed].tolist(), strict=True))


def _places(
    plan: Plan, order: SegmentOrder, owner: Owner, positions: Positions, quoting: NDArray[np.bool_]
) -> Places:
    query, weights = plan.query, plan.query.structure.weights
    spoken_of: Sequence[Span] = ()
    if "time" in weights:
        first, last = (datetime.fromtimestamp(min(time, LAST), UTC).year for time in order.period)
        spoken_of = spans(query.text, Frame(first=first, last=last, now=query.now))
    called = order.speakers_in(query.text) if "speaker" in weights else []
    return Places(
        positions=positions,
        sittings=order.sittings[positions],
        asking=order.asking[positions],
        acknowledging=order.acknowledging(positions),
        voices=order.voices[positions],
        dated=order.dated[positions],
        told=order.told_by(positions, called),
        times=order.times[positions],
        topics=owner.topics(plan, positions) if "topic" in weights else np.zeros(len(positions)),
        quoting=quoting,
        spoken_of=spoken_of,
        asks_for_time=asks_for_time(query.text),
    )


def _quoting(
    plan: Plan, owner: Owner, refs: Sequence[SegmentRef], attribute: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Finds which segments hold the query word for word; none where the query is no quotation."""
    query = plan.query
    quoting = np.zeros(len(refs), np.bool_)
    quotation = query.text.strip()
    if quotation and len(plan.terms) >= QUOTATION and "quote" in query.structure.weights:
        places = np.flatnonzero(attribute >= HOLDING)
        quoting[places] = owner.quoting([refs[place] for place in places.tolist()], quotation)
    return quoting
