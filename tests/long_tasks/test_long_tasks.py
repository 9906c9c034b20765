import re
from pathlib import Path

import pytest

from core.text.tokens import estimate
from memorybank.v1.types_pb2 import TASK_STATUS_FAILED
from tests.long_tasks.running import BUDGET, OUTCOMES, SHOWN, STEPS, Ran, golden, run, settled
from tests.long_tasks.script import NAMES, LongTask, read
from tests.support.scale import scaled

MEMORIES = ("Relevant memories", "相关记忆", "Related to those", "与之相关")
RELATED_TO = re.compile(r"(?: \(related to .*\)|（与.*相关）)$")
RUNS = [
    pytest.param(name, on_model, id=f"{name}-{'model' if on_model else 'offline'}")
    for number, name in enumerate(NAMES)
    for on_model in (False, True)
    if scaled(1) > 1 or number % 2 == on_model  # each task once, half of them on a model; in soak all
]
AT_THE_EDGE = 4
"""Lines by which the memories of a prompt may differ: the last that fit, on a processor that rounds otherwise."""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "on_model"), RUNS)
async def test_a_task_of_forty_steps_ends_as_written_and_its_prompts_ask_what_the_golden_ones_do(
    name: str, on_model: bool, tmp_path: Path
) -> None:
    task = read(name)

    ran = await run(task, tmp_path, on_model=on_model)

    check_the_run(task, ran)
    for step in SHOWN:
        shown, kept = settled(ran.prompts[step - 1]), golden(name, on_model, step).read_text()
        assert frame(shown) == frame(kept)
        assert len(memories(shown) ^ memories(kept)) <= AT_THE_EDGE


def check_the_run(task: LongTask, ran: Ran) -> None:
    failed = sum(step.status == "failed" for step in task.steps)
    assert len(ran.prompts) == STEPS == len(task.steps) + len(task.conflicts)
    assert (ran.insight.finished, ran.insight.outcome) == (True, OUTCOMES[task.outcome])
    assert (ran.verdicts, ran.unplanted) == (len(task.conflicts), [])
    assert sum(done.status == TASK_STATUS_FAILED for done in ran.insight.completed) == failed
    assert max(map(estimate, ran.prompts)) <= BUDGET


def frame(prompt: str) -> list[str]:
    """Every line of a prompt but the memories and those that they relate to."""
    shown = prompt.strip().split("\n\n## ")
    return [line for section in shown if not section.startswith(MEMORIES) for line in section.splitlines()]


def memories(prompt: str) -> set[str]:
    """The memories and what was said under them, in whatever order: another processor may weigh two the other way
    round. Without what they are related to: who is named there follows from which are near the edge."""
    sections = [each for each in prompt.strip().split("\n\n## ") if each.startswith(MEMORIES)]
    lines = [line for section in sections for line in section.splitlines()[1:]]
    return {RELATED_TO.sub("", line) for line in lines if line.startswith(("- ", "[", "  ["))}
