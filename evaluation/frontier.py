"""Quality against latency: one row for each embedder, with and without structure, and for words alone.

Law: all rows ask the same questions of banks made by the embedder they name; words alone are asked of the first
embedder's. Latency is of the search in this process: by itself, the question's vector at hand, and with making it.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from core.errors import EmbedderUnavailable
from core.index.scoring import Mode
from core.usecases.house import House
from core.verbatim.structure import Structure
from evaluation.asking import Run, ask_set
from evaluation.figures import Figures, Outcome, figures
from evaluation.methods import Method
from evaluation.pacing import Progress, Took
from evaluation.sets import EvaluationSet

MULTI_HOP = "multi-hop"  # stands in the names of the categories that need several messages

OpenHouse = Callable[[str], AbstractAsyncContextManager[House]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """An embedder, and the alphas it is asked with beside the configured one."""

    kind: str
    name: str
    alphas: tuple[float, ...] = ()


ENGINES = (
    Engine(kind="local", name="e5-small int8 (`local`)"),
    # Its own best on the development conversations of LoCoMo, by `memorybank eval --sweep`.
    Engine(kind="light", name="Universal Sentence Encoder (`light`)", alphas=(0.5,)),
)
WORDS_ALONE = "none: words alone (BM25)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One point. Times by question; `alpha` and `embedding` are None where there is no vector."""

    embedder: str
    structure: bool
    alpha: float | None
    all: Figures
    multi_hop: float | None
    searching: Sequence[Took]
    embedding: Sequence[Took] | None

    @property
    def whole(self) -> Sequence[Took]:
        """Of searching and making the vector, if there is one."""
        if self.embedding is None:
            return self.searching
        return [one + other for one, other in zip(self.searching, self.embedding, strict=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontier:
    """The rows, and of embedders that could not be had, why."""

    chosen: EvaluationSet
    rows: Sequence[Row]
    missing: Sequence[str]


async def frontier(open_house: OpenHouse, chosen: EvaluationSet, seed: int, progress: Progress) -> Frontier:
    """Asks with every embedder. Raises what the use cases raise."""
    rows: list[Row] = []
    missing = []
    for engine in ENGINES:
        try:
            async with open_house(engine.kind) as house:
                rows += await _rows(house, engine, chosen, seed, progress, words=engine is ENGINES[0])
        except EmbedderUnavailable as problem:
            missing.append(f"{engine.name}: {problem}")
    return Frontier(chosen=chosen, rows=rows, missing=missing)


async def _rows(
    house: House, engine: Engine, chosen: EvaluationSet, seed: int, progress: Progress, *, words: bool
) -> list[Row]:
    progress.began(f"{chosen.name}: {engine.name}")
    configured = house.settings.retrieval.alpha
    points: list[tuple[str, float | None]] = [
        (engine.name, a) for a in (configured, *(a for a in engine.alphas if a != configured))
    ]
    if words:
        points.insert(0, (WORDS_ALONE, None))
    methods = {(name, alpha, on): _method(name, alpha, on) for name, alpha in points for on in (False, True)}
    run = await ask_set(house, chosen, tuple(methods.values()), prompts=False, progress=progress)
    return [
        _row(name, alpha, on, run, run.outcomes[method.name], run.searching[method.name], seed)
        for (name, alpha, on), method in methods.items()
        if any(not question.apart for question in chosen.questions)
    ]


def _row(
    embedder: str,
    alpha: float | None,
    structure: bool,
    run: Run,
    outcomes: Sequence[Outcome],
    searching: Sequence[Took],
    seed: int,
) -> Row:
    asked = [
        (question, outcome)
        for question, outcome in zip(run.chosen.questions, outcomes, strict=True)
        if not question.apart
    ]
    several = [outcome.recall(10) for question, outcome in asked if MULTI_HOP in question.category]
    return Row(
        embedder=embedder,
        structure=structure,
        alpha=alpha,
        all=figures([outcome for _, outcome in asked], seed),
        multi_hop=sum(several) / len(several) if several else None,
        searching=searching,
        embedding=None if alpha is None else run.embedding,
    )


def _method(embedder: str, alpha: float | None, structured: bool) -> Method:
    return Method(
        name=f"{embedder}, {alpha}, {structured}",
        mode=Mode.ATTRIBUTE if alpha is None else Mode.HYBRID,
        structure=None if structured else Structure(),
        alpha=alpha,
    )
