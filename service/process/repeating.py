"""Periodic tasks.

Law: a failure is logged and ends one run of a task, never the task.
"""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from core.errors import MemoryBankError, StoreUnavailable

log: structlog.stdlib.BoundLogger = structlog.get_logger("memorybank.periodic")


async def repeat(name: str, task: Callable[[], Awaitable[object]], pause: float) -> None:
    """Runs the task until cancelled, with `pause` seconds between two runs."""
    while True:
        try:
            await task()
        except MemoryBankError as failure:
            # What it concerns stays out of the log; a store's own words hold nothing that is remembered.
            error = str(failure) if isinstance(failure, StoreUnavailable) else type(failure).__name__
            log.warning("a periodic task failed", task=name, error=error)
        except Exception as defect:  # a defect of one run, logged as such, does not prevent the next
            log.error("defect", task=name, exc_info=defect)
        await asyncio.sleep(pause)
