"""Whether a reported task is one that failed before, in other words: then it counts as its next attempt.

Law: by meaning, not by letter. Vectors alone cannot tell "the price of apples" from "the price of pears", so most of
what the shorter one speaks of must be in the other, too, and every number.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from core.agents.usage import Ledger
from core.index.scoring import embedding_scores
from core.model.insight import CompletedTask, Insight, TaskType
from core.model.interaction import TaskReport
from core.text.analysis import terms
from core.text.words import words
from core.usecases.bank.plans.planning import not_made_good
from core.usecases.ports import HasEmbedder

SHARED = 0.7  # of the terms of the one that has fewer
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
ERRANDS = words(
    """answer ask call check determin download fetch find get identifi investig locat look read research retriev
    search solv work 查找 搜索 检索 查询 调查 确认 解决 回答 获取 下载 阅读"""
)
"""Terms of what one does to find something, whatever it is."""


async def as_attempt(ports: HasEmbedder, insight: Insight, report: TaskReport, ledger: Ledger) -> TaskReport:
    """Returns the report, naming in `retry_of` the failed task that it repeats, if it names none.

    Raises EmbedderUnavailable.
    """
    planned = next((task for task in insight.pending if task.task_id == report.task_id), None)
    if report.retry_of or (planned is not None and (planned.retry_of or planned.conflict_id)):
        return report
    failed = [
        task
        for task in not_made_good(insight.done)
        if task.task_id != report.task_id
        and task.type != TaskType.CROSS_VALIDATION
        and report.type.upper() in ("", task.type.upper())
    ]
    if not failed or not report.description.strip():
        return report
    same = await _same(ports, report.description, failed, ledger)
    return report if same is None else replace(report, retry_of=same.task_id)


async def _same(
    ports: HasEmbedder, description: str, failed: Sequence[CompletedTask], ledger: Ledger
) -> CompletedTask | None:
    """Returns the latest with the same description."""
    for task in reversed(failed):
        if _folded(task.description) == _folded(description):
            return task
    alike = [task for task in failed if _speak_of_the_same(task.description, description)]
    if not alike:
        return None
    space = ports.embedder.space
    with ledger.spending("embedder"):
        vectors = await ports.embedder.embed_passages([description, *(task.description for task in alike)])
    likeness = embedding_scores(vectors[1:] @ vectors[0], space.cosine_floor, space.cosine_ceiling)
    near = likeness >= ports.embedder.thresholds.same
    return next((task for task, is_near in reversed(list(zip(alike, near, strict=True))) if is_near), None)


def _speak_of_the_same(one: str, other: str) -> bool:
    ours, theirs = frozenset(terms(one)) - ERRANDS, frozenset(terms(other)) - ERRANDS
    if not ours or not theirs or set(NUMBER.findall(one)) != set(NUMBER.findall(other)):
        return False
    return len(ours & theirs) >= SHARED * min(len(ours), len(theirs))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
