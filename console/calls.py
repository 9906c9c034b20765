"""Several calls at once, no more than eight of one page in flight."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

MOST = 8

Asked = TypeVar("Asked")
Answered = TypeVar("Answered")


async def each(ask: Callable[[Asked], Awaitable[Answered]], asked: Iterable[Asked]) -> list[Answered]:
    """Asks for each, and returns the answers in the same order. Raises what the first that fails raised; the others
    are cancelled then."""
    limit = asyncio.Semaphore(MOST)

    async def one(item: Asked) -> Answered:
        async with limit:
            return await ask(item)

    tasks = [asyncio.ensure_future(one(item)) for item in asked]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
