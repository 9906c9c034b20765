"""How late the loop is: what every call waits for besides its own work."""

import asyncio
from collections.abc import Mapping

EVERY = 0.25  # seconds between two looks
FIGURES = {"memorybank_loop_lag_seconds": "How late the loop was at the worst since the last scrape."}


class LoopLag:
    """Looks at the loop again and again, until it is cancelled."""

    def __init__(self) -> None:
        self._worst = 0.0

    async def watch(self) -> None:
        now = asyncio.get_running_loop().time
        while True:
            expected = now() + EVERY
            await asyncio.sleep(EVERY)
            self._worst = max(self._worst, now() - expected)

    def reading(self) -> Mapping[str, float]:
        """Returns the worst lag since the last reading. Any thread may call it."""
        worst, self._worst = self._worst, 0.0
        return {"memorybank_loop_lag_seconds": worst}
