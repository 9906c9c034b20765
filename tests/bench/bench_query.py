"""What a search costs inside the bank, the query's vector at hand: kinds of query by the size of the bank.

    python -m tests.bench.bench_query [size | set…]

Processor time of the searching thread. A bank has as many nodes as segments (the corpus's texts, twenty segments an
interaction, the structure at its shipped weights), English and Chinese by turns, and no embedder. A set is a file in
LoCoMo's form: its conversations are memorized as `memorybank eval` does it, with the configured embedder, and all of
their questions asked of the segments, PASSES times over; shown is each question's median.
"""

import asyncio
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from core.aggregate.aggregate import Tuning
from core.aggregate.change import Head
from core.bank.bank import Bank
from core.bank.loading import load as load_bank
from core.bank.query import Query, Target
from core.bank.search import search
from core.bank.state import BankState
from core.bank.steps import NodePut
from core.ids import ChangeId, InteractionId, SegmentRef
from core.index.scoring import Mode
from core.model.bank import EmbeddingSpace
from core.model.insight import Insight
from core.model.interaction import Interaction
from core.usecases.house import House
from core.verbatim.structure import Structure
from evaluation import locomo
from evaluation.asking import memorized
from evaluation.pacing import Progress
from evaluation.sets import World
from service.assembly.bootstrap import open_house
from service.config import load_settings
from service.settings.retrieval import StructureSection
from tests.bench.corpus import Corpus
from tests.bench.measuring import table
from tests.support.changes import START, edge, interaction, node, record

SIZES = (1_000, 10_000)
SPACE = EmbeddingSpace(name="bench", dimension=384, cosine_floor=0.2, cosine_ceiling=0.9)
TURNS = 20
QUESTIONS = 200
STRUCTURE = Structure(**dict(StructureSection()))
PASSES = 5
DEPTHS = (10, 20)  # what a search asks for by default, and what the evaluation asks for


def filled(corpus: Corpus) -> Bank:
    """A bank of the corpus, its indexes compiled."""
    told = [corpus.node(number) for number in range(len(corpus))]
    puts = [
        NodePut(
            node=node(
                new.node_id,
                summary=new.summary,
                context=new.context,
                keywords=tuple(new.keywords),
                event_time=START + timedelta(hours=number),
            ),
            vector=corpus.vectors[number],
        )
        for number, new in enumerate(told)
    ]
    said = [interactions_of(start, [new.context for new in told]) for start in range(0, len(told), TURNS)]
    related = [(new.node_id, other) for new in told for other in new.related_node_ids if other != new.node_id]
    state = BankState(
        head=Head(uid="u", revision=1, change_id=ChangeId("c")),
        record=record(space=SPACE),
        insight=Insight(goal="measure"),
        nodes=tuple(puts),
        edges=tuple((put.node_id, put.other_node_id) for put in (edge(*pair) for pair in related)),
        interactions=tuple(said),
        segment_vectors={
            SegmentRef(InteractionId(f"i{number // TURNS}"), number % TURNS): corpus.vectors[-1 - number]
            for number in range(len(told))
        },
    )
    bank = load_bank(state, Tuning())
    for compaction in bank.indexes.compactions(at_rest=True):
        compaction.build()
        bank.indexes.adopt(compaction)
    return bank


def interactions_of(start: int, texts: Sequence[str]) -> Interaction:
    when = START + timedelta(hours=start)
    return interaction(f"i{start // TURNS}", *texts[start : start + TURNS], event_time=when)


def kinds(corpus: Corpus) -> dict[str, list[Query]]:
    asked = [(q.text, np.frombuffer(q.vector, np.float32), q.keywords) for q in corpus.questions(QUESTIONS)]
    return {
        "nodes, vector": [Query(top_k=10, alpha=0.3, vector=v, mode=Mode.EMBEDDING) for _, v, _ in asked],
        "nodes, vector + two keywords": [
            Query(top_k=10, alpha=0.3, vector=v, keywords=k) for _, v, k in asked
        ],
        "nodes, text": [Query(top_k=10, alpha=0.3, vector=v, text=t) for t, v, _ in asked],
        "nodes, words alone": [Query(top_k=10, alpha=0.3, text=t, mode=Mode.ATTRIBUTE) for t, _, _ in asked],
        "segments, text": [
            Query(top_k=10, alpha=0.3, vector=v, text=t, target=Target.SEGMENTS) for t, v, _ in asked
        ],
        "segments, text + structure": [
            Query(top_k=10, alpha=0.3, vector=v, text=t, target=Target.SEGMENTS, structure=STRUCTURE)
            for t, v, _ in asked
        ],
    }


def microseconds(bank: Bank, queries: Sequence[Query]) -> list[float]:
    taken = []
    for query in queries:
        start = time.thread_time_ns()
        search(bank, query)
        taken.append((time.thread_time_ns() - start) / 1e3)
    return taken


def measure(size: int) -> None:
    corpus = Corpus(size)
    bank = filled(corpus)
    rows = []
    for name, queries in kinds(corpus).items():
        microseconds(bank, queries)
        rows.append((name, *(f"{p:.0f}" for p in np.percentile(microseconds(bank, queries), (50, 95)))))
    print(table((f"{size:,} nodes, as many segments", "p50 µs", "p95"), rows), end="\n\n")


# ---- a set ----


async def measure_set(text: str) -> None:
    rows = []
    with TemporaryDirectory() as folder:
        settings = load_settings(None, store={"kind": "memory"}, data_dir=Path(folder))
        async with open_house(settings) as house:
            for world in locomo.read(text).worlds:
                rows += await of_world(house, world)
    columns = ("conversation", "segments", "questions", "search", "top", "p50 µs", "p95")
    print(table(columns, rows), end="\n\n")


async def of_world(house: House, world: World) -> list[tuple[str, ...]]:
    """A row for each depth, by the plain formula and as configured."""
    key = (await memorized(house, world, Progress())).key
    vectors = [(await house.embedder.embed_queries([each.text]))[0] for each in world.questions]
    rows = []
    async with house.banks.reading(key) as bank:
        for top_k in DEPTHS:
            for name, structure in (
                ("plain", Structure()),
                ("structure", house.settings.retrieval.structure),
            ):
                queries = [
                    Query(
                        top_k=top_k,
                        alpha=house.settings.retrieval.alpha,
                        text=question.text,
                        vector=vector,
                        target=Target.SEGMENTS,
                        hops=0,
                        structure=structure,
                        now=house.clock.now(),
                    )
                    for question, vector in zip(world.questions, vectors, strict=True)
                ]
                what = (world.world_id, str(bank.tree.segment_count), str(len(queries)), name, str(top_k))
                rows.append((*what, *(f"{p:.0f}" for p in np.percentile(medians(bank, queries), (50, 95)))))
    return rows


def medians(bank: Bank, queries: Sequence[Query]) -> NDArray[np.float64]:
    """Of each query. Never twice in a row, when it would find the words' sums made."""
    microseconds(bank, queries)
    taken: NDArray[np.float64] = np.median([microseconds(bank, queries) for _ in range(PASSES)], axis=0)
    return taken


if __name__ == "__main__":
    for asked in sys.argv[1:] or map(str, SIZES):
        if asked.isdecimal():
            measure(int(asked))
        else:
            asyncio.run(measure_set(Path(asked).read_text("utf-8")))
