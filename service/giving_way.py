"""Work that gives way to calls: what takes long goes on in a thread of low priority, or on the loop a little at a time.

Law: nobody waits for any of it who does not ask for it.
"""

import asyncio
import os
import sys
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from core.bank.bank import Bank

T = TypeVar("T")

NICE = 10  # of a thread that gives way: a tenth of the processor's time, where others want all of it
FEW = 100  # nodes or interactions that are let go of in one go, which takes 0.1 ms


async def giving_way(act: Callable[[], T]) -> T:
    """What `act` gives, in a thread of its own that leaves the processors to others (on Linux: elsewhere threads
    of a process are alike). For what holds Python's lock hardly ever: while it waits for a processor with the lock
    in its hands, everyone waits."""
    thread = ThreadPoolExecutor(1, "giving-way", _step_back)
    try:
        return await asyncio.get_running_loop().run_in_executor(thread, act)
    finally:
        thread.shutdown(wait=False)


def _step_back() -> None:
    if sys.platform == "linux":  # where a thread has a priority of its own
        with suppress(OSError):  # a sandbox that forbids it: then it is a thread like others
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)


def leave_by_and_by(bank: Bank) -> None:
    """See to it that what the bank holds goes in turns with other work of this loop, once nobody has the bank any more.

    All at once it would hold up the loop for 10 ms at 10,000 nodes.
    """
    loop = asyncio.get_running_loop()
    many: list[dict[Any, Any]] = [bank.nodes, bank.tree.interactions]
    words, vectors = [bank.node_words, bank.segment_words], [bank.node_vectors, bank.segment_vectors]
    parts = [bank.graph, bank.tree, *words, *vectors]
    weakref.finalize(bank, _begin, loop, many, parts).atexit = False


def _begin(loop: asyncio.AbstractEventLoop, many: list[dict[Any, Any]], parts: list[Any]) -> None:
    """On whichever thread had the bank last."""
    if not loop.is_closed():  # else the process ends
        loop.call_soon_threadsafe(_go_on, loop, many, parts)


def _go_on(loop: asyncio.AbstractEventLoop, many: list[dict[Any, Any]], parts: list[Any]) -> None:
    if many:
        each = many[-1]
        for _ in range(min(FEW, len(each))):
            each.popitem()
        if not each:
            many.pop()
    elif parts:
        parts.pop()
    else:
        return
    loop.call_soon(_go_on, loop, many, parts)
