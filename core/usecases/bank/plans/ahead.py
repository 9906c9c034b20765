"""Work begun before its turn: while one result is used, the next are on their way.

Law: results come in the order of the works, whichever is done first; so what is made of them does
not depend on who answered quickest.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from itertools import islice
from typing import Any, TypeVar

Made = TypeVar("Made")


async def ahead(
    works: Iterable[Callable[[], Coroutine[Any, Any, Made]]], at_once: int
) -> AsyncGenerator[Made, None]:
    """Yields what each work makes, in order; up to `at_once` are under way at a time.

    A work's failure is raised in its turn. Leave it through `aclosing`: what is under way is cancelled then.
    """
    coming = iter(works)
    begun: deque[asyncio.Task[Made]] = deque()
    try:
        begun.extend(asyncio.create_task(work()) for work in islice(coming, at_once))
        while begun:
            made = await begun[0]  # a cancelled waiting cancels the work
            begun.popleft()
            begun.extend(asyncio.create_task(work()) for work in islice(coming, 1))
            yield made
    finally:
        for task in begun:
            task.cancel()
        await asyncio.gather(*begun, return_exceptions=True)
