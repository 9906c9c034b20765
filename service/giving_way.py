"""Work of the loop that gives way to calls: what takes long goes on a little at a time.

Law: nobody waits for any of it.
"""

import asyncio
import weakref
from typing import Any

from core.bank.bank import Bank

FEW = 100  # nodes or interactions that are let go of in one go, which takes 0.1 ms


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
