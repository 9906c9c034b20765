"""What assembled contexts hold, in Markdown and in JSON.

Law: pure. Shares are over questions that are not apart; intervals are those of `figures`.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from evaluation.contexts import CONTEXT_BUDGETS, NAMES, TIMED, Contexts
from evaluation.figures import Figures
from evaluation.report import Conditions, heading, overall
from evaluation.tables import interval, milliseconds, quantiles, share, table


def markdown(found: Contexts, conditions: Conditions) -> str:
    """Renders everything about one set."""
    head = [
        "all evidence word for word in a context of",
        *(f"{budget:,} tokens" for budget in CONTEXT_BUDGETS),
    ]
    head += [f"{TIMED:,}: 95 %", f"some evidence, {TIMED:,}", "without a context"]
    head += [f"an answer out of it, {TIMED:,}: F1, BLEU-1"]
    head += [f"assembled at {TIMED:,}, p50/p95 ms"]
    rows = []
    for name in NAMES:
        figures = overall(found.outcomes[name], found.chosen.questions, conditions.seed)
        if figures is not None:
            rows.append([name, *_row(figures), milliseconds(found.took.get(name, ()))])
    return f"{heading(found.chosen)}\\\n{conditions.line()}\n\n{table(head, rows)}"


def _row(figures: Figures) -> list[str]:
    at = figures.prompts[CONTEXT_BUDGETS.index(TIMED)]
    without = max(one.without for one in figures.prompts)
    shares = [share(one.whole.mean) for one in figures.prompts]
    worth = ", ".join(map(share, at.worth)) if at.worth else "–"
    return [*shares, interval(at.whole), share(at.some), f"{without:,}", worth]


def plain(found: Contexts, conditions: Conditions) -> Mapping[str, Any]:
    """Returns the same figures."""
    chosen = found.chosen
    return {
        "set": {"name": chosen.name, "sha256": chosen.digest, "limit": chosen.limit, "split": chosen.split},
        "conditions": asdict(conditions),
        "contexts": {
            name: _plain(figures, found, name)
            for name in NAMES
            if (figures := overall(found.outcomes[name], chosen.questions, conditions.seed)) is not None
        },
    }


def _plain(figures: Figures, found: Contexts, name: str) -> Mapping[str, Any]:
    return {
        "questions": figures.count,
        "whole": {
            budget: one.whole.mean for budget, one in zip(CONTEXT_BUDGETS, figures.prompts, strict=True)
        },
        "some": {budget: one.some for budget, one in zip(CONTEXT_BUDGETS, figures.prompts, strict=True)},
        "without": max(one.without for one in figures.prompts),
        "answers": {
            budget: one.worth._asdict()
            for budget, one in zip(CONTEXT_BUDGETS, figures.prompts, strict=True)
            if one.worth is not None
        },
        "seconds": quantiles(found.took.get(name, ())),
    }
