"""What a ranking is worth, and how sure we are.

Law: pure. Recall is the share of a question's evidence among the first k; a mean is over questions. Intervals
are percentiles of means over questions drawn again with replacement, from a seed: they say how far other
questions about the same worlds might differ, not other worlds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.answers import Worth

DEPTHS = (5, 10, 20)
BUDGETS = (1_000, 2_000, 4_000)
SAMPLES = 2_000
_OUTER = (2.5, 97.5)  # percentiles between which 95 % lie


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The shares of a question's evidence that a prompt shows word for word, and that it shows or leads to. `worth`: of
    an answer out of it; None where no answer is known."""

    shown: float
    reachable: float
    worth: Worth | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One question's answer by one method.

    `ranks`: of the evidence found, from 1, ascending. `needed`: how many pieces of evidence there are.
    `negative_first`: whether a hard negative came before all evidence; None where there is none.
    `prompts`: what stood in them, by budget, None where there was none; empty where not measured. `breadth`:
    messages that a hit stood for, on average.
    """

    ranks: tuple[int, ...]
    needed: int
    negative_first: bool | None = None
    prompts: tuple[Standing | None, ...] = ()
    breadth: float = 1.0

    def recall(self, depth: int) -> float:
        return sum(rank <= depth for rank in self.ranks) / self.needed

    @property
    def reciprocal_rank(self) -> float:
        return 1.0 / self.ranks[0] if self.ranks else 0.0

    def hit(self, depth: int) -> float:
        return float(bool(self.ranks) and self.ranks[0] <= depth)

    def shows_all(self, budget: int) -> float:
        """Returns 1 where a prompt of so many tokens (of BUDGETS) shows all evidence; without a prompt 0."""
        stands = self.prompts[BUDGETS.index(budget)]
        return float(stands is not None and stands.shown == 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean, and the interval it lies in with 95 % confidence."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptFigures:
    """Of questions, the shares whose prompt shows all their evidence, some of it, and shows or leads to all of it.

    `without`: how many have no prompt: they count as misses. `worth`: of answers on average; None where none is known.
    """

    whole: Estimate
    some: float
    reachable: float
    without: int
    worth: Worth | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Means over `count` questions. `recall` by DEPTHS, `prompts` by BUDGETS (empty where not measured)."""

    count: int
    recall: tuple[float, ...]
    mrr: float
    hit10: float
    recall10: Estimate
    prompts: tuple[PromptFigures, ...]
    negatives_first: float | None
    breadth: float


def figures(outcomes: Sequence[Outcome], seed: int) -> Figures:
    """Returns the figures of at least one outcome."""
    tens = np.array([outcome.recall(10) for outcome in outcomes])
    judged = [o.negative_first for o in outcomes if o.negative_first is not None]
    return Figures(
        count=len(outcomes),
        recall=tuple(float(np.mean([o.recall(depth) for o in outcomes])) for depth in DEPTHS),
        mrr=float(np.mean([o.reciprocal_rank for o in outcomes])),
        hit10=float(np.mean([o.hit(10) for o in outcomes])),
        recall10=estimate(tens, seed),
        prompts=_prompt_figures([o.prompts for o in outcomes if o.prompts], seed),
        negatives_first=float(np.mean(judged)) if judged else None,
        breadth=float(np.mean([o.breadth for o in outcomes])),
    )


def _prompt_figures(measured: Sequence[tuple[Standing | None, ...]], seed: int) -> tuple[PromptFigures, ...]:
    return tuple(_of_budget(column, seed) for column in zip(*measured, strict=True))


def _of_budget(stands: Sequence[Standing | None], seed: int) -> PromptFigures:
    made = [stand for stand in stands if stand is not None]
    return PromptFigures(
        whole=estimate(np.array([float(s is not None and s.shown == 1.0) for s in stands]), seed),
        some=sum(stand.shown > 0.0 for stand in made) / len(stands),
        reachable=sum(stand.reachable == 1.0 for stand in made) / len(stands),
        without=len(stands) - len(made),
        worth=_mean([stand.worth for stand in made if stand.worth is not None]),
    )


def _mean(each: Sequence[Worth]) -> Worth | None:
    if not each:
        return None
    return Worth(*(sum(column) / len(each) for column in zip(*each, strict=True)))


def estimate(values: NDArray[np.float64], seed: int) -> Estimate:
    """Returns the mean of `values`, shape (n,), n ≥ 1, with its bootstrap interval (Efron 1979)."""
    drawn = np.random.default_rng(seed).integers(len(values), size=(SAMPLES, len(values)))
    low, high = np.percentile(values[drawn].mean(axis=1), _OUTER).tolist()
    return Estimate(mean=float(values.mean()), low=low, high=high)


def recall_at_ten(outcome: Outcome) -> float:
    return outcome.recall(10)


def gain(
    outcomes: Sequence[Outcome],
    over: Sequence[Outcome],
    seed: int,
    worth: Callable[[Outcome], float] = recall_at_ten,
) -> Estimate:
    """Returns how much more an answer is worth than another method's on the same questions, paired."""
    pairs = zip(outcomes, over, strict=True)
    return estimate(np.array([worth(one) - worth(other) for one, other in pairs]), seed)
