"""How few candidates are looked at, and that the answer is as if all of them had been."""

from dataclasses import replace
from datetime import timedelta
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from core.aggregate.aggregate import Tuning
from core.bank.bank import SEGMENTS, Bank
from core.bank.placed import REFUTED
from core.bank.plan import node_filter, segment_filter
from core.bank.query import Filter, Fusion, Query, Target
from core.bank.search import search
from core.bank.steps import BankPut, InteractionAdd, SegmentRefute, Step
from core.ids import ConflictId, NodeId, SegmentRef
from core.index import scoring
from core.index.compiled_vectors import VectorSettings
from core.index.keyword_index import KeywordIndex
from core.index.scoring import K, Mode, ScoredCandidate
from core.index.vector_index import VectorIndex
from core.model.bank import EmbeddingSpace
from core.model.vector import Vector
from core.verbatim.plan import BEYOND, FEWEST, terms_of
from tests.support.changes import START, Story, interaction, node_put, record, ref

SPACE = EmbeddingSpace(name="test", dimension=4, cosine_floor=0.2, cosine_ceiling=0.9)
WORDS = ("tower", "bridge", "river", "钟楼", "伦敦", "lab")


def unit(drawn: NDArray[np.float64]) -> Vector:
    made: Vector = (drawn / np.linalg.norm(drawn)).astype(np.float32)
    return made


def crowded(rng: np.random.Generator) -> Vector:
    """One of some hundred directions: many twins, and cosines that fall together."""
    return unit(rng.integers(-1, 3, size=4) + np.array([0.5, 0, 0, 0]))


def spread(rng: np.random.Generator) -> Vector:
    return unit(rng.normal(size=4) + 1.0)


def a_bank(seed: int, settings: VectorSettings) -> Bank:
    """Nodes and segments, some of them twins, of few moments and few words; a twentieth has no vector."""
    rng = np.random.default_rng(seed)
    direction = crowded if seed % 2 else spread
    steps: list[Step] = []
    for number in range(int(rng.integers(1, 220))):
        put = node_put(
            f"n{number}",
            summary=" ".join(rng.choice(WORDS, size=3)),
            source=str(rng.choice(("web", "memo"))),
            event_time=START + timedelta(days=int(rng.integers(3))),
        )
        steps.append(replace(put, vector=None if rng.random() < 0.05 else direction(rng)))
    for number in range(int(rng.integers(1, 40))):
        said = (" ".join(rng.choice(WORDS, size=2)) + ". " for _ in range(4))
        told = interaction(f"i{number}", *said, event_time=START + timedelta(days=int(rng.integers(3))))
        steps.append(InteractionAdd(interaction=told))
    if seed % 3 == 0:
        refuted = SegmentRefute(ref=ref("i0", int(rng.integers(4))), conflict_id=ConflictId("c"))
        steps.append(refuted)
    story = Story()
    founding = story.founding(*steps)
    steps = [BankPut(record=record(space=SPACE)) if isinstance(s, BankPut) else s for s in founding.steps]
    bank = Bank.found(replace(founding, steps=tuple(steps)), story.uid, Tuning(vectors=settings))
    refs = [r for i in bank.tree.interactions for r in bank.tree.refs(i)]
    bank.put_vectors(SEGMENTS, {r: direction(rng) for r in refs})
    for compaction in bank.indexes.compactions(at_rest=True):
        compaction.job.build()
        bank.indexes.adopt(compaction)
    return bank


def queries(seed: int) -> list[Query]:
    rng = np.random.default_rng((seed, 1))
    direction = crowded if seed % 2 else spread
    chosen = Filter(sources=frozenset({"web"}), since=START + timedelta(days=1))
    return [
        Query(
            top_k=top_k,
            alpha=alpha,
            vector=direction(rng),
            text=" ".join(rng.choice(WORDS, size=2)),
            mode=mode,
            fusion=fusion,
            filter=admitted,
            exclude=frozenset(NodeId(f"n{n}") for n in rng.integers(200, size=3))
            if top_k == 3
            else frozenset(),
            min_score=min_score,
        )
        for top_k, mode, (alpha, fusion), admitted, min_score in product(
            (1, 3, 10, 70),
            Mode,
            ((0.0, Fusion.WEIGHTED), (0.3, Fusion.WEIGHTED), (0.5, Fusion.RECIPROCAL_RANK)),
            (Filter(), chosen),
            (0.0, 0.4),
        )
    ]


def all_scored(
    bank: Bank, query: Query, words: KeywordIndex[K], vectors: VectorIndex[K], allowed: object
) -> list[ScoredCandidate[K]]:
    """Every one of the widest candidates, scored by the formula as it is written down."""
    said = terms_of(query)
    alpha = scoring.effective_alpha(query.mode, query.alpha, has_terms=bool(said), has_vector=True)
    assert alpha is not None
    assert query.vector is not None
    wide = max(FEWEST, query.top_k + min(query.top_k, BEYOND))
    by_words = [k for k, _ in words.search(said, wide, allowed)] if alpha > 0.0 else []  # type: ignore[arg-type]
    by_vector = [k for k, _ in vectors.search(query.vector, wide, allowed)] if alpha < 1.0 else []  # type: ignore[arg-type]
    keys = list(dict.fromkeys((*by_words, *by_vector)))
    attribute = scoring.attribute_scores(words.scores(said, keys), words.best(said)) * (alpha > 0.0)
    cosines = vectors.similarities(query.vector, keys)
    embedding = scoring.embedding_scores(cosines, SPACE.cosine_floor, SPACE.cosine_ceiling) * (alpha < 1.0)
    scores = alpha * attribute + (1.0 - alpha) * embedding
    sides = zip(keys, scores.tolist(), attribute.tolist(), embedding.tolist(), strict=True)
    found = [ScoredCandidate(*each) for each in sides]
    if query.fusion is Fusion.WEIGHTED:
        return found
    ranks = scoring.fused((by_words, by_vector))
    return [hit._replace(score=ranks[hit.key] / (2.0 / (scoring.RRF_K + 1.0))) for hit in found]


def best_nodes(bank: Bank, query: Query) -> list[ScoredCandidate[NodeId]]:
    found = all_scored(bank, query, bank.node_words, bank.node_vectors, node_filter(bank, query))
    return fitting(
        scoring.in_order(found, lambda n: bank.nodes[n].event_time, k=query.top_k, min_score=query.min_score)
    )


def best_segments(bank: Bank, query: Query) -> list[ScoredCandidate[SegmentRef]]:
    allowed = segment_filter(bank, query)
    found = all_scored(bank, query, bank.verbatim.words, bank.verbatim.vectors, allowed)
    refuted = [s._replace(score=s.score * REFUTED) if s.key in bank.tree.refuted else s for s in found]
    return fitting(
        scoring.in_order(
            refuted, lambda r: bank.tree.segment(r).event_time, k=query.top_k, min_score=query.min_score
        )
    )


def fitting(found: list[ScoredCandidate[K]]) -> list[ScoredCandidate[K]]:
    """Those that fit by words or by meaning at all."""
    return [one for one in found if one.attribute_score or one.embedding_score]


@pytest.mark.parametrize("compiled", [False, True], ids=["scanned", "compiled"])
@pytest.mark.parametrize("seed", range(12))
def test_few_candidates_give_the_very_answer_that_all_of_them_would(seed: int, compiled: bool) -> None:
    settings = VectorSettings(exact_up_to=20, scan_share=1.0) if compiled else VectorSettings()
    bank = a_bank(seed, settings)

    for query in queries(seed):
        nodes = search(bank, query).hits
        segments = search(bank, query._replace(target=Target.SEGMENTS)).hits

        assert [
            (hit.node.node_id, hit.score, hit.attribute_score, hit.embedding_score)
            for hit in nodes
            if hit.node
        ] == [(s.key, s.score, s.attribute_score, s.embedding_score) for s in best_nodes(bank, query)]
        assert [
            (hit.segment.ref, hit.score, hit.attribute_score, hit.embedding_score)
            for hit in segments
            if hit.segment
        ] == [(s.key, s.score, s.attribute_score, s.embedding_score) for s in best_segments(bank, query)]


def test_of_twins_that_do_not_all_find_room_the_newest_are_found() -> None:
    east = np.array([1, 0, 0, 0], dtype=np.float32)
    aslant = np.array([0.6, 0.8, 0, 0], dtype=np.float32)
    puts = [node_put(f"n{n}", event_time=START + timedelta(days=n)) for n in range(20)]
    story = Story()
    bank = Bank.found(story.founding(*(replace(put, vector=aslant) for put in puts)), story.uid, Tuning())

    found = search(bank, Query(top_k=2, alpha=0.5, vector=east))

    assert [hit.node.node_id for hit in found.hits if hit.node] == ["n19", "n18"]
