"""Waiting for work that goes on when its caller leaves.

Law: a failure that no caller is left to hear of is no defect, and asyncio says nothing of it: the next caller is told.
A defect is logged.
"""

import asyncio
from typing import TypeVar

import structlog

from core.errors import MemoryBankError

Done = TypeVar("Done")

log: structlog.stdlib.BoundLogger = structlog.get_logger("memorybank")


async def shielded(task: asyncio.Task[Done]) -> Done:
    """Returns what a task brings, or raises what it raises; a caller that is cancelled leaves it at work."""
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.add_done_callback(_unheard)
        raise


def _unheard(task: asyncio.Task[Done]) -> None:
    failure = None if task.cancelled() else task.exception()
    if failure is not None and not isinstance(failure, MemoryBankError):
        log.error("defect", exc_info=failure)
