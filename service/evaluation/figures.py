"""What a ranking is worth, and how sure we are.

Law: pure. Recall is the share of a question's evidence among the first k; a mean is over questions. Intervals
are percentiles of means over questions drawn again with replacement, from a seed: they say how far other
questions about the same worlds might differ, not other worlds.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DEPTHS = (5, 10, 20)
BUDGETS = (1_000, 2_000, 4_000)
SAMPLES = 2_000
_OUTER = (2.5, 97.5)  # percentiles between which 95 % lie


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One question's answer by one method.

    `ranks`: of the evidence found, from 1, ascending. `needed`: how many pieces of evidence there are.
    `negative_first`: whether a hard negative came before all evidence; None where there is none.
    `in_prompt`: whether all evidence stood in a prompt, by budget. `breadth`: messages that a hit stood for,
    on average.
    """

    ranks: tuple[int, ...]
    needed: int
    negative_first: bool | None = None
    in_prompt: tuple[bool, ...] = ()
    breadth: float = 1.0

    def recall(self, depth: int) -> float:
        return sum(rank <= depth for rank in self.ranks) / self.needed

    @property
    def reciprocal_rank(self) -> float:
        return 1.0 / self.ranks[0] if self.ranks else 0.0

    def hit(self, depth: int) -> float:
        return float(bool(self.ranks) and self.ranks[0] <= depth)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean, and the interval it lies in with 95 % confidence."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Means over `count` questions. `recall` by DEPTHS, `in_prompt` by BUDGETS (empty where not measured)."""

    count: int
    recall: tuple[float, ...]
    mrr: float
    hit10: float
    recall10: Estimate
    in_prompt: tuple[float, ...]
    negatives_first: float | None
    breadth: float


def figures(outcomes: Sequence[Outcome], seed: int) -> Figures:
    """The figures of at least one outcome."""
    tens = np.array([outcome.recall(10) for outcome in outcomes])
    judged = [o.negative_first for o in outcomes if o.negative_first is not None]
    measured = [o.in_prompt for o in outcomes if o.in_prompt]
    return Figures(
        count=len(outcomes),
        recall=tuple(float(np.mean([o.recall(depth) for o in outcomes])) for depth in DEPTHS),
        mrr=float(np.mean([o.reciprocal_rank for o in outcomes])),
        hit10=float(np.mean([o.hit(10) for o in outcomes])),
        recall10=estimate(tens, seed),
        in_prompt=tuple(np.mean(np.array(measured, dtype=np.float64), axis=0).tolist()) if measured else (),
        negatives_first=float(np.mean(judged)) if judged else None,
        breadth=float(np.mean([o.breadth for o in outcomes])),
    )


def estimate(values: NDArray[np.float64], seed: int) -> Estimate:
    """The mean of `values`, shape (n,), n ≥ 1, with its bootstrap interval (Efron 1979)."""
    drawn = np.random.default_rng(seed).integers(len(values), size=(SAMPLES, len(values)))
    low, high = np.percentile(values[drawn].mean(axis=1), _OUTER).tolist()
    return Estimate(mean=float(values.mean()), low=low, high=high)


def gain(outcomes: Sequence[Outcome], over: Sequence[Outcome], seed: int) -> Estimate:
    """How much more recall@10 than another method on the same questions, paired."""
    pairs = zip(outcomes, over, strict=True)
    return estimate(np.array([one.recall(10) - other.recall(10) for one, other in pairs]), seed)
