"""What was measured, as Markdown and as JSON: the same figures, with every setting they depend on.

Law: pure. Tables are Markdown, so that what the documentation shows is what the command prints.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from core.verbatim.structure import Structure
from evaluation.asking import DEEPEST, Run
from evaluation.figures import BUDGETS, DEPTHS, SAMPLES, Figures, Outcome, figures, gain
from evaluation.methods import SEARCHED, STRUCTURED, WORDS, Method
from evaluation.sets import EvaluationSet, Question, Split
from evaluation.tables import interval, milliseconds, points, quantiles, share, table

SPLITS = {
    Split.DEVELOPMENT: "**Development set**: settings were chosen on these worlds, so the figures are optimistic.",
    Split.HELD_OUT: "**Held out**: none of the shipped settings was chosen on these worlds.",
}


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
        parts = (
            f"memorybank {self.version}",
            self.embedding_space,
            f"α = {self.alpha:g}",
            f"structure: {self._weights()}",
            f"tokens: {self.counter}",
            f"95 % intervals: {SAMPLES:,} bootstrap samples of the questions, seed {self.seed}",
        )
        return " · ".join(part for part in parts if part)

    def _weights(self) -> str:
        on = {name: weight for name, weight in asdict(self.structure).items() if weight}
        return ", ".join(f"{name} {weight:g}" for name, weight in on.items()) or "none"


def overall(outcomes: Sequence[Outcome], questions: Sequence[Question], seed: int) -> Figures | None:
    """Returns the means over the questions that are not apart; None where there are none."""
    counted = [o for o, q in zip(outcomes, questions, strict=True) if not q.apart]
    return figures(counted, seed) if counted else None


def by_category(outcomes: Sequence[Outcome], questions: Sequence[Question], seed: int) -> dict[str, Figures]:
    """Returns the figures of every category, in the order of their names."""
    parts: dict[str, list[Outcome]] = {}
    for outcome, question in zip(outcomes, questions, strict=True):
        parts.setdefault(question.category, []).append(outcome)
    return {name: figures(parts[name], seed) for name in sorted(parts)}


# ---- Markdown ----


def markdown(run: Run, methods: Sequence[Method], conditions: Conditions, worst: int = 0) -> str:
    """Renders everything about one set."""
    head = f"{heading(run.chosen)}; memorized in {run.memorizing:.0f} s\\\n{conditions.line()}"
    parts = [head, _methods_table(run, methods, conditions.seed), _categories_table(run, methods, conditions)]
    if any(o.prompts for outcomes in run.outcomes.values() for o in outcomes):
        parts.append(_prompts_table(run, methods, conditions.seed))
        parts.append(_searched_table(run, conditions.seed))
    if worst:
        shown = next((method for method in methods if method.name == STRUCTURED), methods[-1])
        parts.append(_worst_list(run, shown, worst))
    return "\n\n".join(part for part in parts if part)


def heading(chosen: EvaluationSet) -> str:
    """Returns the set, whether settings were chosen on it, and how large it is."""
    asked = sum(not question.apart for question in chosen.questions)
    skipped = f", {chosen.skipped} of the file skipped for want of evidence" if chosen.skipped else ""
    some = f", at most {chosen.limit} of a world" if chosen.limit else ""
    return (
        f"## {chosen.name}\n\n{SPLITS[chosen.split]}\\\n{len(chosen.worlds)} worlds, "
        f"{sum(world.message_count for world in chosen.worlds):,} messages, {asked} questions "
        f"(and {len(chosen.questions) - asked} apart{skipped}{some}); sha256 {chosen.digest}"
    )


def _methods_table(run: Run, methods: Sequence[Method], seed: int) -> str:
    negatives = any(question.hard_negatives for question in run.chosen.questions)
    embed = milliseconds(run.embedding)
    head = ["method", *(f"R@{d}" for d in DEPTHS), "R@10 95 %", f"MRR@{DEEPEST}", "hit@10"]
    head += ["hard negative first"] if negatives else []
    head += ["messages a hit", f"R@10 over {methods[0].name}"]
    head += [f"search p50/p95 ms (+ embedding {embed})"]
    rows = []
    for method in methods:
        found = overall(run.outcomes[method.name], run.chosen.questions, seed)
        if found is None:
            continue
        row = [method.name, *map(share, found.recall), interval(found.recall10)]
        row += [share(found.mrr), share(found.hit10)]
        if negatives:
            row += ["" if found.negatives_first is None else share(found.negatives_first)]
        row += [f"{found.breadth:.1f}", _gained(run, method, methods[0], seed)]
        rows.append([*row, milliseconds(run.searching[method.name])])
    return table(head, rows)


def _gained(run: Run, method: Method, over: Method, seed: int) -> str:
    """Returns how much more it found than the first method."""
    if method is over:
        return ""
    counted = _counted(run)
    one, other = run.outcomes[method.name], run.outcomes[over.name]
    return points(gain([one[n] for n in counted], [other[n] for n in counted], seed))


def _counted(run: Run) -> list[int]:
    """Numbers of the questions that are not apart."""
    return [number for number, question in enumerate(run.chosen.questions) if not question.apart]


def _categories_table(run: Run, methods: Sequence[Method], conditions: Conditions) -> str:
    parts = {
        method.name: by_category(run.outcomes[method.name], run.chosen.questions, conditions.seed)
        for method in methods
    }
    categories = next(iter(parts.values()))
    head = ["R@10 (MRR)", *(f"{name}, {one.count}" for name, one in categories.items())]
    rows = [
        [name, *(f"{share(one.recall[1])} ({share(one.mrr)})" for one in found.values())]
        for name, found in parts.items()
    ]
    return table(head, rows)


def _prompts_table(run: Run, methods: Sequence[Method], seed: int) -> str:
    over = f"over {WORDS} at {BUDGETS[0]:,}, points"
    head = ["all evidence word for word in a prompt of", *(f"{budget:,} tokens" for budget in BUDGETS)]
    head += [f"{BUDGETS[0]:,}: 95 %", over, f"some evidence, {BUDGETS[-1]:,}"]
    rows, without = [], 0
    for method in methods:
        found = overall(run.outcomes[method.name], run.chosen.questions, seed)
        if found is not None and found.prompts:
            shares = [share(one.whole.mean) for one in found.prompts]
            bounds = interval(found.prompts[0].whole)
            rows.append(
                [method.name, *shares, bounds, _shown_more(run, method, seed), share(found.prompts[-1].some)]
            )
            without = max(without, *(one.without for one in found.prompts))
    return table(head, rows) + _without_prompt(without)


def _shown_more(run: Run, method: Method, seed: int) -> str:
    if method.name == WORDS or WORDS not in run.outcomes:
        return ""
    counted = _counted(run)
    one, other = run.outcomes[method.name], run.outcomes[WORDS]
    return points(
        gain([one[n] for n in counted], [other[n] for n in counted], seed, lambda o: o.shows_all(BUDGETS[0]))
    )


def _without_prompt(count: int) -> str:
    if not count:
        return ""
    return (
        f"\n\nUp to {count} questions had no prompt, because tools and insight document alone are longer than the "
        "smallest one: they count as misses."
    )


def _searched_table(run: Run, seed: int) -> str:
    """Returns what a memory is searched for, beside each other; empty where not all of it was asked."""
    if not all(name in run.outcomes for name in SEARCHED.values()):
        return ""
    head = ["searched", "R@10", f"MRR@{DEEPEST}", "hit@10", "messages a hit"]
    head += [f"word for word, {budget:,} tokens" for budget in BUDGETS]
    head += [f"or behind a node of the prompt, {budget:,}" for budget in BUDGETS]
    rows = []
    for searched, method in SEARCHED.items():
        found = overall(run.outcomes[method], run.chosen.questions, seed)
        if found is not None:
            row = [
                searched,
                share(found.recall[1]),
                share(found.mrr),
                share(found.hit10),
                f"{found.breadth:.1f}",
            ]
            row += [share(one.whole.mean) for one in found.prompts]
            rows.append([*row, *(share(one.reachable) for one in found.prompts)])
    return table(head, rows)


def worst_of(run: Run, method: str, count: int) -> list[tuple[str, Question, Outcome]]:
    """Returns the questions of which a method found least, with their world; those apart left out."""
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


# ---- JSON ----


def plain(run: Run, methods: Sequence[Method], conditions: Conditions) -> Mapping[str, Any]:
    """Returns everything about one set, every question with its ranks."""
    chosen, seed = run.chosen, conditions.seed
    return {
        "set": {
            "name": chosen.name,
            "language": chosen.language,
            "sha256": chosen.digest,
            "worlds": len(chosen.worlds),
            "messages": sum(world.message_count for world in chosen.worlds),
            "skipped": chosen.skipped,
            "limit": chosen.limit,
            "split": chosen.split,
        },
        "conditions": asdict(conditions),
        "seconds": {"memorizing": run.memorizing, "embedding": quantiles(run.embedding)},
        "methods": {
            method.name: {
                "settings": asdict(method),
                "all": plain_figures(overall(run.outcomes[method.name], chosen.questions, seed)),
                "by_category": {
                    name: plain_figures(one)
                    for name, one in by_category(run.outcomes[method.name], chosen.questions, seed).items()
                },
                "search_seconds": quantiles(run.searching[method.name]),
            }
            for method in methods
        },
        "questions": _plain_questions(run),
    }


def plain_figures(found: Figures | None) -> Mapping[str, Any] | None:
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
        "prompts": {
            str(budget): {
                "all_evidence": one.whole.mean,
                "all_evidence_interval": [one.whole.low, one.whole.high],
                "some_evidence": one.some,
                "all_evidence_reachable": one.reachable,
                "questions_without_prompt": one.without,
            }
            for budget, one in zip(BUDGETS, found.prompts, strict=False)
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
