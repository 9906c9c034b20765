"""A comparer that answers about a sentence when it is let: nothing contradicts anything, whatever it is asked."""

import asyncio
from collections.abc import Sequence

from core.ports.comparer import Likelihood

NOTHING = Likelihood(contradiction=0.0, sameness=0.0)


class HeldComparer:
    """Waits for `is_open`; what is asked of sentences with `free` in them alone is answered at once, and closes it."""

    model = "held"
    size = 0

    def __init__(self, free: str = "") -> None:
        self._free = free
        self.is_open = asyncio.Event()
        self.asked = asyncio.Event()

    async def compare(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Likelihood | None]:
        self.asked.set()
        if self._free and all(self._free in "".join(pair) for pair in pairs):
            self.is_open.clear()
        else:
            await self.is_open.wait()
        return [NOTHING] * len(pairs)

    def forget(self) -> None:
        """There is nothing to drop."""
