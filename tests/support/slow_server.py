"""The server with a Structurer that takes its time once: `python -m tests.support.slow_server SECONDS serve …`.

Everything else is as it is served: settings, embedder, the other agents.
"""

import asyncio
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

from core.agents.offline.agents import offline_agents
from core.agents.roles import Agents, Structurer
from core.ports.embedder import Embedder
from tests.support.embedders import local_comparer
from tests.support.hashing_server import run


class SlowStructurer:
    """Answers as the other does, its first answer `seconds` later, as one of a busy model may come."""

    def __init__(self, inner: Structurer, seconds: float) -> None:
        self._inner = inner
        self._seconds = seconds

    async def structure(self, content: str, context: str, keywords: Sequence[str]) -> str:
        seconds, self._seconds = self._seconds, 0.0
        await asyncio.sleep(seconds)
        return await self._inner.structure(content, context, keywords)


def slow(seconds: float) -> Callable[[Embedder], Agents]:
    def agents(embedder: Embedder) -> Agents:
        usual = offline_agents(embedder, local_comparer())
        return replace(usual, structurer=SlowStructurer(usual.structurer, seconds))

    return agents


def main(seconds: str, _serve: str, _listen: str, listen: str, _data: str, folder: str) -> None:
    run(listen, folder, agents=slow(float(seconds)))


if __name__ == "__main__":
    main(*sys.argv[1:])
