"""Where the offline agents think: one thread for the whole process, off the loop.

Python runs one thread at a time, so more of them would not think faster; they would only make
reads of a bank meanwhile wait for several turns instead of one.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Thought = TypeVar("Thought")


async def think(work: Callable[Given, Thought], *args: Given.args, **kwargs: Given.kwargs) -> Thought:
    """Returns what `work` makes, when its turn has come. Cancelled while it waits, it never begins."""
    return await asyncio.wrap_future(_thread().submit(work, *args, **kwargs))


@cache
def _thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="thinking")
