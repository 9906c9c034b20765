"""What the service does unasked: finish what was left, forget what has run out.

Law: every replica may do it at any time; doing it twice does nothing twice.
"""

import asyncio
import json
from datetime import timedelta

import structlog

from core.aggregate.codec import encode_text
from core.errors import AggregateNotFound, MemoryBankError
from core.keys import Key
from core.usecases.bank.structuring.leftovers import take_up_leftovers
from core.usecases.deletions import Deletion
from core.usecases.house import House
from core.usecases.retractions import RetractionNotice
from service.settings.memories import BanksSection

AT_ONCE = 64  # banks purged in one round

log: structlog.stdlib.BoundLogger = structlog.get_logger("memorybank.upkeep")


async def one_round(house: House, settings: BanksSection) -> None:
    """Takes up unfinished interactions and chores, forgets versions, banks and runs whose time is over."""
    if resumed := await take_up_leftovers(house, settings.resume_after):
        log.info("interactions taken up", count=resumed)
    await house.chores.take_up(house.banks.overdue(house.time.now()))
    if not await house.claims.take("expiry"):
        return  # another process does these for all
    now = house.time.now()
    due = await house.store.expired(now, settings.finished_ttl.total_seconds(), AT_ONCE)
    # At once: purges that gather share a scrub of the file.
    await asyncio.gather(*(_purge(house, key, uid) for key, uid in due))


async def trim(house: House, settings: BanksSection) -> None:
    """Forgets feed entries and answers to requests whose time is over."""
    if not await house.claims.take("trimming"):
        return  # another process does it for all
    if trimmed := await house.store.trim(house.time.now() - settings.feed_retention):
        log.info("feed trimmed", entries=trimmed)


def told_of_clock(ahead: timedelta) -> None:
    """Says in the log that the clock is distrusted."""
    log.warning(
        "the clock is far ahead of all that the store was told: nothing is forgotten by it", ahead=str(ahead)
    )


def told_of_deletion(deletion: Deletion) -> None:
    """Says in the log what a caller deleted of a memory: by ids, for a restore from an older backup."""
    log.info("deleted", kind=deletion.kind, uid=deletion.uid, items=deletion.items)


def told_of_retraction(notice: RetractionNotice) -> None:
    """Says in the log what a caller took back, released or erased: by ids, for a restore from an older backup."""
    log.info("retracted", **json.loads(encode_text(notice)))


def told_of_failure(key: Key, chore: str, failure: Exception) -> None:
    """Says in the log that a chore failed; of what stays out of it."""
    if isinstance(failure, MemoryBankError):
        log.warning("a chore failed", kind=key.kind, chore=chore, error=type(failure).__name__)
    else:
        log.error("defect", kind=key.kind, chore=chore, exc_info=failure)


async def _purge(house: House, key: Key, uid: str) -> None:
    try:
        await house.banks.delete(key, uid)
    except AggregateNotFound:
        return  # another process was quicker
    finally:
        house.workshop.patience.gone(key)
    log.info("purged", kind=key.kind, tenant=key.tenant, key=key.name)
