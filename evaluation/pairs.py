"""One set beside another that asks the same questions, of the same messages in another language for instance.

Law: pure. Sets are pairs when their worlds and questions have the same ids; differences are paired by question.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.asking import Run
from evaluation.figures import Estimate, Outcome, gain
from evaluation.sets import EvaluationSet
from evaluation.tables import points, share, table


def is_pair(one: Run, other: Run) -> bool:
    return _ids(one.chosen) == _ids(other.chosen) and one.outcomes.keys() == other.outcomes.keys()


def _ids(chosen: EvaluationSet) -> list[tuple[str, str, bool]]:
    return [(world.world_id, q.question_id, q.apart) for world in chosen.worlds for q in world.questions]


def markdown(one: Run, other: Run, seed: int) -> str:
    """Tabulates R@10 of both by method, and how much more the second finds."""
    head = ["R@10", one.chosen.name, other.chosen.name, "difference, points"]
    rows = [
        [method, share(first), share(second), points(more)]
        for method, (first, second, more) in _compared(one, other, seed).items()
    ]
    return f"## {one.chosen.name} and {other.chosen.name}, question by question\n\n{table(head, rows)}"


def plain(one: Run, other: Run, seed: int) -> Mapping[str, Any]:
    """Returns the same figures."""
    return {
        "pair": [one.chosen.name, other.chosen.name],
        "recall_10": {
            method: {
                "of_each": [first, second],
                "difference": more.mean,
                "difference_interval": [more.low, more.high],
            }
            for method, (first, second, more) in _compared(one, other, seed).items()
        },
    }


def _compared(one: Run, other: Run, seed: int) -> Mapping[str, tuple[float, float, Estimate]]:
    made = {}
    for method in one.outcomes:
        first, second = _counted(one, method), _counted(other, method)
        if first:
            made[method] = (_recall(first), _recall(second), gain(second, first, seed))
    return made


def _counted(run: Run, method: str) -> Sequence[Outcome]:
    pairs = zip(run.chosen.questions, run.outcomes[method], strict=True)
    return [outcome for question, outcome in pairs if not question.apart]


def _recall(outcomes: Sequence[Outcome]) -> float:
    return sum(outcome.recall(10) for outcome in outcomes) / len(outcomes)
