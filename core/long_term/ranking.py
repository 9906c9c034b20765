"""Which records answer a query: similarity × weight × decay.

Law: reads only, and never waits. Similarity is the plain formula of searching (`core.verbatim.candidates`); the best
`FEWEST`, or `WIDENING` times as many as are wanted, are weighed by it, the order of those is the product's. What scores
nothing on the embedder's scale follows, by its cosine: of a few records the right one may be there. A correction is
found by the words of what it corrects, too.
"""

from collections.abc import Callable, Sequence
from collections.abc import Collection as Many
from dataclasses import dataclass, replace
from datetime import datetime
from operator import attrgetter
from typing import NamedTuple

from core.ids import RecordId
from core.index.scoring import ScoredCandidate
from core.long_term.collection import Collection
from core.long_term.contests import arranged, opponents, paired
from core.long_term.corrected import corrections
from core.long_term.settings import LongTermSettings
from core.long_term.worth import decay, half_life, weight
from core.model.bank import EmbeddingSpace
from core.model.record import Record
from core.model.vector import Vector
from core.verbatim.candidates import scored, scored_among
from core.verbatim.plan import Source, planned
from core.verbatim.query import Query

FEWEST = 32
WIDENING = 8
BEYOND = 70
MOST_CORRECTED = 200
"""Facts taken back that are looked at, the newest: each is compared with the query."""

Admits = Callable[[RecordId], bool]
"""Whether a record may be found. Asked very often: quick."""


def admitting(collection: Collection, allowed: Callable[[Record], bool]) -> Admits:
    """Returns the same of records by their ids."""
    records = collection.records
    return lambda key: allowed(records[key])


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordQuery:
    """What is looked for. `text` and `vector` may both be there, or either. `as_of`: what held then."""

    top_k: int
    alpha: float
    now: datetime
    text: str = ""
    vector: Vector | None = None
    min_similarity: float = 0.0
    as_of: datetime | None = None


class RankedRecord(NamedTuple):
    """A record and what its score is made of. A tuple, as each search makes dozens."""

    record: Record
    score: float
    similarity: float
    weight: float
    decay: float


def ranked(
    collection: Collection,
    sought: RecordQuery,
    allowed: Admits | None,
    space: EmbeddingSpace,
    settings: LongTermSettings,
    among: Many[RecordId] | None = None,
) -> list[RankedRecord]:
    """Returns the best `top_k` of the records that are `allowed` (None: all): by score, ties by newer, then by id.

    Those that contest one another, or may, stand in an order of their own (`contests`); a correction that is found by
    what it corrects has that before it (`corrected`). `among`: what the allowed ones are all among, where that is
    known: of a few each is looked at, and no index is searched."""
    found = _ordered(collection, sought, _hits(collection, sought, allowed, space, among), settings)
    if collection.corrected and sought.as_of is None:
        found = _with_corrections(collection, sought, found, allowed, space, settings)
    if missing := opponents(one.record for one in found):
        also = [key for key in missing if key in collection.records and (allowed is None or allowed(key))]
        hits = _hits_of(collection, sought, also, space)
        found += _ordered(collection, replace(sought, min_similarity=0.0), hits, settings)
        found.sort(key=_SCORE, reverse=True)
    return paired(arranged(found, sought.text, sought.as_of)[: sought.top_k], sought.as_of)


_SCORE = attrgetter("score")


def _with_corrections(
    collection: Collection,
    sought: RecordQuery,
    found: Sequence[RankedRecord],
    allowed: Admits | None,
    space: EmbeddingSpace,
    settings: LongTermSettings,
) -> list[RankedRecord]:
    """Returns those found, with the corrections of what fits better than they do by themselves; best first."""
    newest = list(collection.corrected)[-MOST_CORRECTED:]
    hits = _hits_of(collection, sought, newest, space)
    fitting = _above(hits, sought)
    corrections_ = corrections(collection, [hit for hit in hits if hit.key in fitting])
    own = {one.record.record_id: one.similarity for one in found}
    better = {
        key: score
        for key, (score, _) in corrections_.items()
        if score > own.get(key, 0.0) and (allowed is None or allowed(key))
    }
    weighed_ = weighed(collection, better, sought.now, settings)
    told = [one._replace(record=corrections_[one.record.record_id][1]) for one in weighed_]
    left = [one for one in found if one.record.record_id not in better]
    return sorted([*left, *told], key=_SCORE, reverse=True)


def _ordered(
    collection: Collection,
    sought: RecordQuery,
    hits: Sequence[ScoredCandidate[RecordId]],
    settings: LongTermSettings,
) -> list[RankedRecord]:
    """Returns those found, best first: at last, by their cosines, those that score nothing."""
    above = _above(hits, sought)
    found = best(weighed(collection, above, sought.now, settings), len(above))
    if sought.vector is None or sought.min_similarity > 0.0:
        return found
    rest = [hit.key for hit in hits if hit.score == 0.0]
    cosines = dict(zip(rest, collection.vectors.similarities(sought.vector, rest).tolist(), strict=True))
    rest.sort(key=lambda key: (-cosines[key], key))
    return found + weighed(collection, dict.fromkeys(rest, 0.0), sought.now, settings)


def similarities(
    collection: Collection, sought: RecordQuery, allowed: Admits | None, space: EmbeddingSpace
) -> dict[RecordId, float]:
    """Returns the most similar of those allowed, at least by `min_similarity`; none that has nothing in common."""
    return _above(_hits(collection, sought, allowed, space), sought)


def _above(hits: Sequence[ScoredCandidate[RecordId]], sought: RecordQuery) -> dict[RecordId, float]:
    return {hit.key: hit.score for hit in hits if hit.score > 0.0 and hit.score >= sought.min_similarity}


def _hits(
    collection: Collection,
    sought: RecordQuery,
    allowed: Admits | None,
    space: EmbeddingSpace,
    among: Many[RecordId] | None = None,
) -> list[ScoredCandidate[RecordId]]:
    wide = max(FEWEST, min(WIDENING * sought.top_k, sought.top_k + BEYOND))
    if among is not None and len(among) <= FEWEST:
        chosen = [key for key in among if allowed is None or allowed(key)]
        return _hits_of(collection, sought, chosen, space)
    source = Source(collection.words, collection.vectors, allowed)
    return scored(planned(_query(sought, wide), space), source)[:wide]


def _hits_of(
    collection: Collection, sought: RecordQuery, keys: Sequence[RecordId], space: EmbeddingSpace
) -> list[ScoredCandidate[RecordId]]:
    """Returns of some records those that a search among them alone finds, best first."""
    source = Source(collection.words, collection.vectors)
    return scored_among(planned(_query(sought, len(keys)), space), source, keys)


def _query(sought: RecordQuery, top_k: int) -> Query:
    return Query(top_k=top_k, alpha=sought.alpha, text=sought.text, vector=sought.vector)


def best(found: list[RankedRecord], top_k: int) -> list[RankedRecord]:
    """Returns the best, in order."""
    found.sort(key=_SCORE, reverse=True)
    if len(set(map(_SCORE, found))) < len(found):
        found.sort(key=lambda one: one.record.record_id)  # least significant first: sorting is stable
        found.sort(key=lambda one: (one.score, one.record.update_time), reverse=True)
    return found[:top_k]


def weighed(
    collection: Collection, similar: dict[RecordId, float], now: datetime, settings: LongTermSettings
) -> list[RankedRecord]:
    """Returns records with their similarities, in no order."""
    records, own = collection.records, collection.record
    found = []
    for key, similarity in similar.items():
        record = records[key]
        worth, days = weight(record), half_life(record, own, settings)
        fading = decay(record, now, days) if days else 1.0
        found.append(RankedRecord(record, similarity * worth * fading, similarity, worth, fading))
    return found
