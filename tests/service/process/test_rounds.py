import asyncio
from collections.abc import Iterator

import structlog

from core.errors import StoreUnavailable
from service.process.rounds import again_and_again


async def test_rounds_go_on_whatever_one_failed_of_and_the_log_is_told() -> None:
    outcomes: Iterator[Exception | None] = iter([ZeroDivisionError(), StoreUnavailable("disk full"), None])
    came_through = asyncio.Event()

    async def one_round() -> None:
        outcome = next(outcomes)
        if outcome is not None:
            raise outcome
        came_through.set()
        await asyncio.Event().wait()

    with structlog.testing.capture_logs() as told:
        rounds = asyncio.create_task(again_and_again("sweeping", one_round, pause=0.0))
        await came_through.wait()
        rounds.cancel()

    assert [(line["event"], line["of"]) for line in told] == [
        ("defect", "sweeping"),
        ("a round failed", "sweeping"),
    ]
    assert isinstance(told[0]["exc_info"], ZeroDivisionError)
    assert "disk full" in told[1]["error"]
