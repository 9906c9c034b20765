import asyncio
from collections.abc import Iterator

import structlog

from core.errors import StoreUnavailable
from service.process.repeating import repeat


async def test_a_task_is_repeated_whatever_a_run_failed_with_and_failures_are_logged() -> None:
    outcomes: Iterator[Exception | None] = iter([ZeroDivisionError(), StoreUnavailable("disk full"), None])
    succeeded = asyncio.Event()

    async def task() -> None:
        outcome = next(outcomes)
        if outcome is not None:
            raise outcome
        succeeded.set()
        await asyncio.Event().wait()

    with structlog.testing.capture_logs() as logged:
        repeating = asyncio.create_task(repeat("sweeping", task, pause=0.0))
        await succeeded.wait()
        repeating.cancel()

    assert [(line["event"], line["task"]) for line in logged] == [
        ("defect", "sweeping"),
        ("a periodic task failed", "sweeping"),
    ]
    assert isinstance(logged[0]["exc_info"], ZeroDivisionError)
    assert "disk full" in logged[1]["error"]
