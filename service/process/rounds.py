"""What comes round again and again, unasked.

Law: whatever a round fails of is told to the log, and the next one comes.
"""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from core.errors import MemoryBankError, StoreUnavailable

log: structlog.stdlib.BoundLogger = structlog.get_logger("memorybank.rounds")


async def again_and_again(name: str, one_round: Callable[[], Awaitable[object]], pause: float) -> None:
    """Rounds until cancelled, `pause` seconds between them."""
    while True:
        try:
            await one_round()
        except (
            MemoryBankError
        ) as failure:  # what it is of stays out of the log, but for the store's own words
            error = str(failure) if isinstance(failure, StoreUnavailable) else type(failure).__name__
            log.warning("a round failed", of=name, error=error)
        except (
            Exception
        ) as defect:  # a defect of one round, logged as such, is no reason to have no further one
            log.error("defect", of=name, exc_info=defect)
        await asyncio.sleep(pause)
