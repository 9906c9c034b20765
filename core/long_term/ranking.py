"""Which records answer a query: similarity × weight × decay.

Law: reads only, and never waits. Similarity is the plain formula of searching (`core.index.scoring`); the best
`FEWEST`, or `WIDENING` times as many as are wanted, are weighed by it, the order of those is the product's.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from core.ids import RecordId
from core.index.scoring import Mode, Scale, effective_alpha, mixed
from core.index.vector_index import ABSENT
from core.long_term.collection import Collection
from core.long_term.settings import LongTermSettings
from core.long_term.worth import decay, half_life, weight
from core.model.bank import EmbeddingSpace
from core.model.record import Record
from core.model.vector import Vector
from core.text.analysis import terms

FEWEST = 32
WIDENING = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """What is looked for. `text` and `vector` may both be there, or either."""

    top_k: int
    alpha: float
    now: datetime
    text: str = ""
    vector: Vector | None = None
    min_similarity: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    record: Record
    score: float
    similarity: float
    weight: float
    decay: float


def ranked(
    collection: Collection,
    sought: Sought,
    allowed: Callable[[Record], bool],
    space: EmbeddingSpace,
    settings: LongTermSettings,
) -> list[Ranked]:
    """The best `top_k` of the records that are `allowed`: by score, ties by newer, then by id."""
    similar = similarities(collection, sought, allowed, space)
    return best(weighed(collection, similar, sought.now, settings), sought.top_k)


def similarities(
    collection: Collection, sought: Sought, allowed: Callable[[Record], bool], space: EmbeddingSpace
) -> dict[RecordId, float]:
    """The most similar of those allowed, at least by `min_similarity`; none that has nothing in common."""
    wide = max(FEWEST, WIDENING * sought.top_k)
    records, said = collection.records, Counter(terms(sought.text))
    alpha = effective_alpha(
        Mode.HYBRID, sought.alpha, has_terms=bool(said), has_vector=sought.vector is not None
    )
    if alpha is None:
        return {}

    def admitted(key: RecordId) -> bool:
        return allowed(records[key])

    near: list[RecordId] = []
    cosines: list[float] = []
    if sought.vector is not None and alpha < 1.0:
        near, cosines = collection.vectors.near(sought.vector, wide, admitted)
    by_words, of_words, of_near = collection.words.leading(said, wide, near, admitted)
    if sought.vector is not None and alpha < 1.0:
        cosines = cosines + collection.vectors.similarities(sought.vector, by_words).tolist()
    else:
        cosines = [ABSENT] * len(by_words)
    scale = Scale(collection.words.best(said), space.cosine_floor, space.cosine_ceiling)
    found = mixed(near + by_words, of_near + of_words, cosines, scale, alpha, k=wide)
    return {
        hit.key: hit.score for hit in found[:wide] if hit.score > 0.0 and hit.score >= sought.min_similarity
    }


def best(found: list[Ranked], top_k: int) -> list[Ranked]:
    """The best, in order."""
    found.sort(key=lambda one: one.record.record_id)
    found.sort(key=lambda one: (one.score, one.record.update_time), reverse=True)
    return found[:top_k]


def weighed(
    collection: Collection, similar: dict[RecordId, float], now: datetime, settings: LongTermSettings
) -> list[Ranked]:
    """Records with their similarities, in no order."""
    return [_ranked(collection, collection.records[key], s, now, settings) for key, s in similar.items()]


def _ranked(
    collection: Collection, record: Record, similarity: float, now: datetime, settings: LongTermSettings
) -> Ranked:
    worth = weight(record)
    fading = decay(record, now, half_life(record, collection.record, settings))
    return Ranked(
        record=record,
        score=similarity * worth * fading,
        similarity=similarity,
        weight=worth,
        decay=fading,
    )
