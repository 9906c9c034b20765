from pathlib import Path

import pytest

from core.text.tokens import estimate
from memorybank.v1.types_pb2 import TASK_STATUS_FAILED
from tests.long_tasks.running import BUDGET, OUTCOMES, SHOWN, STEPS, Ran, golden, run, settled
from tests.long_tasks.script import NAMES, LongTask, read


@pytest.mark.slow
@pytest.mark.parametrize("on_model", [False, True], ids=["offline", "model"])
@pytest.mark.parametrize("name", NAMES)
async def test_a_task_of_forty_steps_ends_as_written_and_its_prompts_are_the_golden_ones(
    name: str, on_model: bool, tmp_path: Path
) -> None:
    task = read(name)

    ran = await run(task, tmp_path, on_model=on_model)

    check_the_run(task, ran)
    for step in SHOWN:
        assert settled(ran.prompts[step - 1]) + "\n" == golden(name, on_model, step).read_text()


def check_the_run(task: LongTask, ran: Ran) -> None:
    failed = sum(step.status == "failed" for step in task.steps)
    assert len(ran.prompts) == STEPS == len(task.steps) + len(task.conflicts)
    assert (ran.insight.finished, ran.insight.outcome) == (True, OUTCOMES[task.outcome])
    assert (ran.verdicts, ran.unplanted) == (len(task.conflicts), [])
    assert sum(done.status == TASK_STATUS_FAILED for done in ran.insight.completed) == failed
    assert max(map(estimate, ran.prompts)) <= BUDGET
