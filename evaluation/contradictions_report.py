"""How contradictions were found, and their sides brought, as Markdown and as JSON.

Law: pure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from core.bank.query import Target
from evaluation.both_sides import SETTINGS, BothSides, Setting
from evaluation.contradictions import FEW, Result, both_sides, shares
from evaluation.figures import Estimate, estimate
from evaluation.report import SPLITS, Conditions
from evaluation.sets import Contradictions
from evaluation.tables import interval, share, table

TOTAL = "all"


def markdown(
    chosen: Contradictions, results: Sequence[Result], brought: BothSides | None, conditions: Conditions
) -> str:
    """Renders everything about one set."""
    some = f" (at most {chosen.limit})" if chosen.limit else ""
    head = (
        f"## {chosen.name}\n\n{SPLITS[chosen.split]}\\\n{len(results)} contradicting facts{some}, agents as "
        f"configured; sha256 {chosen.digest}\\\n{conditions.line()}"
    )
    parts = [head, found_table(results, conditions.seed), first_hits(results)]
    parts += [_prompts(brought, conditions.seed)] if brought else []
    return "\n\n".join(part for part in parts if part)


def found_table(results: Sequence[Result], seed: int) -> str:
    """Tabulates halves of the worlds, and all."""
    worlds = sorted({result.case.world for result in results})
    rows = []
    for part, chosen in {"first half": worlds[::2], "second half": worlds[1::2], TOTAL: worlds}.items():
        of_it = [result for result in results if result.case.world in set(chosen)]
        if of_it:
            right, false = shares(of_it)
            bounds = interval(estimate(np.array([float(result.right) for result in of_it]), seed))
            suspected = share(sum(result.suspected for result in of_it) / len(of_it))
            rows.append([part, str(len(of_it)), share(right), bounds, suspected, f"{false:.2%}"])
    heads = ["worlds", "questions", "right partner", "95 %", "only suspected", "facts falsely in conflict"]
    return table(heads, rows)


def first_hits(results: Sequence[Result]) -> str:
    """Whether both sides of right conflicts come; nothing where there are none."""
    sides = both_sides(results)
    if sides is None:
        return ""
    alone, brought, seen = sides
    return (
        f"Both sides of a right conflict among the first {FEW} hits for its question: {share(brought)}, and "
        f"{share(alone)} if they are not brought (where a side was found: {share(seen)})."
    )


def _prompts(brought: BothSides, seed: int) -> str:
    if not brought.task_tokens:
        return ""
    head = ["prompt", "one side alone, before", "both sides now", "95 %", "both, if not brought"]
    rows = [
        [_name(setting), f"{one.mean:.3f}", share(now.mean), interval(now), share(unbrought)]
        for setting in SETTINGS
        if (made := _by_setting(brought, setting, seed))
        for one, now, unbrought in (made,)
    ]
    return (
        f"Both sides where one came alone: a bank of {brought.crowd} facts ({brought.dismissed} conflicts among them "
        "dismissed) is told one that contradicts it, and the conflict is recorded "
        f"({len(brought.task_tokens)} cases, one of each world; {brought.unrecorded} unrecorded ones left out). Of the "
        "questions whose prompt showed the contradicted fact before, the share whose prompt of as many tokens now "
        "shows both, word for word. The conflict's task in the insight document takes "
        f"{np.median(brought.task_tokens):.0f} of the tokens (median).{_needed(brought)}\n\n"
        f"{table(head, rows)}"
    )


def _needed(brought: BothSides) -> str:
    if not brought.needed:
        return ""
    one, both = np.median(np.array(brought.needed), axis=0).tolist()
    return (
        f" The smallest prompt that shows the one side, before, has {one:.0f} tokens, and the smallest that shows "
        f"both, now, {both:.0f} (medians)."
    )


def _name(setting: Setting) -> str:
    target, budget = setting
    return f"{_searched(target)}, {budget:,} tokens"


def _searched(target: Target | None) -> str:
    return target.value if target else "as by default"


def _by_setting(brought: BothSides, setting: Setting, seed: int) -> tuple[Estimate, Estimate, float] | None:
    """Returns of all cases those with one side before; of those with both now, brought and not. None where no side
    came before."""
    came = brought.came[setting]
    had = [one for one in came if one.before]
    if not had:
        return None
    return (
        estimate(np.array([float(one.before) for one in came]), seed),
        estimate(np.array([float(one.both) for one in had]), seed),
        sum(one.unbrought for one in had) / len(had),
    )


def plain(
    chosen: Contradictions, results: Sequence[Result], brought: BothSides | None, conditions: Conditions
) -> Mapping[str, Any]:
    """Returns the same figures."""
    right, false = shares(results)
    return {
        "set": {"name": chosen.name, "sha256": chosen.digest, "limit": chosen.limit, "split": chosen.split},
        "conditions": asdict(conditions),
        "questions": len(results),
        "right_partner": right,
        "facts_falsely_in_conflict": false,
        "both_sides_in_first_hits": both_sides(results),
        "both_sides_in_prompts": _plain_prompts(brought, conditions.seed) if brought else None,
    }


def _plain_prompts(brought: BothSides, seed: int) -> Mapping[str, Any]:
    return {
        "crowd": brought.crowd,
        "cases": len(brought.task_tokens),
        "crowd_conflicts_dismissed": brought.dismissed,
        "unrecorded": brought.unrecorded,
        "task_tokens": list(brought.task_tokens),
        "smallest_prompts": [list(pair) for pair in brought.needed],
        "settings": [_plain_setting(brought, setting, seed) for setting in SETTINGS],
    }


def _plain_setting(brought: BothSides, setting: Setting, seed: int) -> Mapping[str, Any]:
    target, budget = setting
    made = _by_setting(brought, setting, seed) if brought.task_tokens else None
    if made is None:
        return {"target": _searched(target), "tokens": budget}
    one, now, unbrought = made
    return {
        "target": _searched(target),
        "tokens": budget,
        "one_side_before": one.mean,
        "both_sides_now": now.mean,
        "both_sides_now_interval": [now.low, now.high],
        "both_sides_unbrought": unbrought,
    }
