"""What was measured, as Markdown and as JSON: the same figures, with every setting they depend on.

Law: pure. Tables are Markdown, so that what the documentation shows is what the command prints.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from core.bank.structure import Structure
from service.evaluation import contradictions
from service.evaluation.asking import DEEPEST, STRUCTURED, Method, Run
from service.evaluation.figures import BUDGETS, DEPTHS, SAMPLES, Figures, Outcome, figures, gain
from service.evaluation.sets import Question

TOTAL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What the figures were measured under."""

    version: str
    embedding_space: str
    alpha: float
    seed: int
    structure: Structure = Structure()
    counter: str = "estimate, errs high"

    def line(self) -> str:
        return (
            f"memorybank {self.version} · {self.embedding_space} · α = {self.alpha:g} · "
            f"structure: {self._weights()} · tokens: {self.counter} · "
            f"95 % intervals: {SAMPLES:,} bootstrap samples, seed {self.seed}"
        )

    def _weights(self) -> str:
        on = {name: weight for name, weight in asdict(self.structure).items() if weight}
        return ", ".join(f"{name} {weight:g}" for name, weight in on.items()) or "none"


def overall(outcomes: Sequence[Outcome], questions: Sequence[Question], seed: int) -> Figures | None:
    """Over the questions that are not apart; None where there are none."""
    counted = [o for o, q in zip(outcomes, questions, strict=True) if not q.apart]
    return figures(counted, seed) if counted else None


def by_category(outcomes: Sequence[Outcome], questions: Sequence[Question], seed: int) -> dict[str, Figures]:
    """For every category, in the order of their names."""
    parts: dict[str, list[Outcome]] = {}
    for outcome, question in zip(outcomes, questions, strict=True):
        parts.setdefault(question.category, []).append(outcome)
    return {name: figures(parts[name], seed) for name in sorted(parts)}


# ---- Markdown ----


def markdown(run: Run, methods: Sequence[Method], conditions: Conditions, worst: int = 0) -> str:
    """Everything about one set."""
    chosen = run.chosen
    asked = sum(not question.apart for question in chosen.questions)
    skipped = f", {chosen.skipped} skipped for want of evidence" if chosen.skipped else ""
    head = (
        f"## {chosen.name}\n\n{len(chosen.worlds)} worlds, "
        f"{sum(world.message_count for world in chosen.worlds):,} messages, {asked} questions "
        f"(and {len(chosen.questions) - asked} apart{skipped}); sha256 {chosen.digest}; "
        f"memorized in {run.memorizing:.0f} s\\\n{conditions.line()}"
    )
    parts = [head, _methods_table(run, methods, conditions.seed), _categories_table(run, methods, conditions)]
    if any(o.in_prompt for outcomes in run.outcomes.values() for o in outcomes):
        parts.append(_prompts_table(run, methods, conditions.seed))
    if worst:
        shown = next((method for method in methods if method.name == STRUCTURED), methods[-1])
        parts.append(_worst_list(run, shown, worst))
    return "\n\n".join(parts)


def _methods_table(run: Run, methods: Sequence[Method], seed: int) -> str:
    negatives = any(question.hard_negatives for question in run.chosen.questions)
    embed = _milliseconds(run.embedding)
    head = ["method", *(f"R@{d}" for d in DEPTHS), "R@10 95 %", f"MRR@{DEEPEST}", "hit@10"]
    head += ["hard negative first"] if negatives else []
    head += ["messages a hit", f"R@10 over {methods[0].name}"]
    head += [f"search p50/p95 ms (+ embedding {embed})"]
    rows = []
    for method in methods:
        found = overall(run.outcomes[method.name], run.chosen.questions, seed)
        if found is None:
            continue
        row = [method.name, *map(_share, found.recall), f"{found.recall10.low:.3f}–{found.recall10.high:.3f}"]
        row += [_share(found.mrr), _share(found.hit10)]
        if negatives:
            row += ["" if found.negatives_first is None else _share(found.negatives_first)]
        row += [f"{found.breadth:.1f}", _gained(run, method, methods[0], seed)]
        rows.append([*row, _milliseconds(run.searching[method.name])])
    return table(head, rows)


def _gained(run: Run, method: Method, over: Method, seed: int) -> str:
    """How much more than the first method, in points of a hundred, with its interval."""
    if method is over:
        return ""
    counted = [number for number, question in enumerate(run.chosen.questions) if not question.apart]
    one, other = run.outcomes[method.name], run.outcomes[over.name]
    more = gain([one[n] for n in counted], [other[n] for n in counted], seed)
    return f"{100 * more.mean:+.1f} ({100 * more.low:+.1f} to {100 * more.high:+.1f})"


def _categories_table(run: Run, methods: Sequence[Method], conditions: Conditions) -> str:
    parts = {
        method.name: by_category(run.outcomes[method.name], run.chosen.questions, conditions.seed)
        for method in methods
    }
    categories = next(iter(parts.values()))
    head = ["R@10 (MRR)", *(f"{name}, {one.count}" for name, one in categories.items())]
    rows = [
        [name, *(f"{_share(one.recall[1])} ({_share(one.mrr)})" for one in found.values())]
        for name, found in parts.items()
    ]
    return table(head, rows)


def _prompts_table(run: Run, methods: Sequence[Method], seed: int) -> str:
    head = ["all evidence word for word in a prompt of", *(f"{budget:,} tokens" for budget in BUDGETS)]
    rows = []
    for method in methods:
        found = overall(run.outcomes[method.name], run.chosen.questions, seed)
        if found is not None:
            rows.append([method.name, *map(_share, found.in_prompt)])
    return table(head, rows)


def worst_of(run: Run, method: str, count: int) -> list[tuple[str, Question, Outcome]]:
    """The questions of which a method found least, with their world; those apart left out."""
    named = [(world.world_id, question) for world in run.chosen.worlds for question in world.questions]
    asked = [
        (world, question, outcome)
        for (world, question), outcome in zip(named, run.outcomes[method], strict=True)
        if not question.apart
    ]
    asked.sort(key=lambda one: (one[2].recall(10), one[2].reciprocal_rank, one[2].recall(DEEPEST)))
    return asked[:count]


def _worst_list(run: Run, method: Method, count: int) -> str:
    lines = [f"Worst by {method.name}:"]
    for world, question, outcome in worst_of(run, method.name, count):
        ranks = ", ".join(map(str, outcome.ranks)) or "none"
        evidence = ", ".join(sorted(question.evidence))
        lines.append(
            f"- {world} {question.question_id} ({question.category}): {question.text} [{evidence}; found at: {ranks}]"
        )
    return "\n".join(lines)


def contradictions_markdown(name: str, results: Sequence[contradictions.Result]) -> str:
    """How contradictions were found, over halves of the worlds and over all."""
    worlds = sorted({result.case.world for result in results})
    rows = []
    for part, chosen in {
        "first half": worlds[::2],
        "second half": worlds[1::2],
        TOTAL: worlds,
    }.items():
        of_it = [result for result in results if result.case.world in set(chosen)]
        if of_it:
            right, false = contradictions.shares(of_it)
            rows.append([part, str(len(of_it)), _share(right), f"{false:.2%}"])
    found = table(["worlds", "questions", "right partner", "facts falsely in conflict"], rows)
    sides = contradictions.both_sides(results)
    if sides is None:
        return f"## {name}\n\n{found}"
    alone, brought, seen = sides
    return (
        f"## {name}\n\n{found}\n\nBoth sides of a right conflict among the first {contradictions.FEW} hits for its "
        f"question: {_share(brought)}, and {_share(alone)} if they are not brought (where a side was found: "
        f"{_share(seen)})."
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table, numbers to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _share(value: float) -> str:
    return f"{value:.3f}"


def _milliseconds(seconds: Sequence[float]) -> str:
    if not seconds:
        return ""
    middle, high = np.percentile(np.array(seconds) * 1_000, (50, 95)).tolist()
    return f"{middle:.2f}/{high:.2f}"


# ---- JSON ----


def plain(run: Run, methods: Sequence[Method], conditions: Conditions) -> Mapping[str, Any]:
    """Everything about one set, every question with its ranks."""
    chosen, seed = run.chosen, conditions.seed
    return {
        "set": {
            "name": chosen.name,
            "language": chosen.language,
            "sha256": chosen.digest,
            "worlds": len(chosen.worlds),
            "messages": sum(world.message_count for world in chosen.worlds),
            "skipped": chosen.skipped,
        },
        "conditions": asdict(conditions),
        "seconds": {"memorizing": run.memorizing, "embedding": _quantiles(run.embedding)},
        "methods": {
            method.name: {
                "settings": asdict(method),
                "all": _plain_figures(overall(run.outcomes[method.name], chosen.questions, seed)),
                "by_category": {
                    name: _plain_figures(one)
                    for name, one in by_category(run.outcomes[method.name], chosen.questions, seed).items()
                },
                "search_seconds": _quantiles(run.searching[method.name]),
            }
            for method in methods
        },
        "questions": _plain_questions(run),
    }


def plain_contradictions(name: str, results: Sequence[contradictions.Result]) -> Mapping[str, Any]:
    right, false = contradictions.shares(results)
    return {
        "set": {"name": name},
        "questions": len(results),
        "right_partner": right,
        "facts_falsely_in_conflict": false,
        "both_sides": contradictions.both_sides(results),
    }


def _plain_figures(found: Figures | None) -> Mapping[str, Any] | None:
    if found is None:
        return None
    return {
        "questions": found.count,
        "recall": {str(depth): value for depth, value in zip(DEPTHS, found.recall, strict=True)},
        "recall_10_interval": [found.recall10.low, found.recall10.high],
        "mrr": found.mrr,
        "hit_10": found.hit10,
        "messages_a_hit": found.breadth,
        "hard_negative_first": found.negatives_first,
        "all_evidence_in_prompt": {
            str(budget): value for budget, value in zip(BUDGETS, found.in_prompt, strict=False)
        },
    }


def _plain_questions(run: Run) -> list[Mapping[str, Any]]:
    named = [(world.world_id, question) for world in run.chosen.worlds for question in world.questions]
    return [
        {
            "world_id": world_id,
            "question_id": question.question_id,
            "category": question.category,
            "needed": len(question.evidence),
            "ranks": {method: outcomes[number].ranks for method, outcomes in run.outcomes.items()},
        }
        for number, (world_id, question) in enumerate(named)
    ]


def _quantiles(seconds: Sequence[float]) -> Mapping[str, float]:
    if not seconds:
        return {}
    return dict(zip(("p50", "p95"), np.percentile(np.array(seconds), (50, 95)).tolist(), strict=True))
