from pathlib import Path

import pytest

from core.text.tokens import estimate
from memorybank.v1.types_pb2 import TASK_STATUS_FAILED
from tests.long_tasks.running import BUDGET, OUTCOMES, SHOWN, STEPS, Ran, golden, run, settled
from tests.long_tasks.script import NAMES, LongTask, read


@pytest.mark.slow
@pytest.mark.parametrize("on_model", [False, True], ids=["offline", "model"])
@pytest.mark.parametrize("name", NAMES)
async def test_a_task_of_forty_steps_ends_as_written_and_its_prompts_ask_what_the_golden_ones_do(
    name: str, on_model: bool, tmp_path: Path
) -> None:
    task = read(name)

    ran = await run(task, tmp_path, on_model=on_model)

    check_the_run(task, ran)
    for step in SHOWN:
        assert frame(settled(ran.prompts[step - 1])) == frame(golden(name, on_model, step).read_text())


def check_the_run(task: LongTask, ran: Ran) -> None:
    failed = sum(step.status == "failed" for step in task.steps)
    assert len(ran.prompts) == STEPS == len(task.steps) + len(task.conflicts)
    assert (ran.insight.finished, ran.insight.outcome) == (True, OUTCOMES[task.outcome])
    assert (ran.verdicts, ran.unplanted) == (len(task.conflicts), [])
    assert sum(done.status == TASK_STATUS_FAILED for done in ran.insight.completed) == failed
    assert max(map(estimate, ran.prompts)) <= BUDGET


def frame(prompt: str) -> list[str]:
    """What a prompt is made of and what it asks for now: its titles, its goal and its last section, ids aside.

    How many memories and finished tasks it holds beside these follows its tokens, which those of ids are among.
    """
    lines = prompt.strip().splitlines()
    now = max(number for number, line in enumerate(lines) if line.startswith("## "))
    kept = [line for line in lines[:now] if line.startswith(("## ", "Goal:", "总目标:"))]
    return [*kept, *(line for line in lines[now:] if not line.startswith("["))]
