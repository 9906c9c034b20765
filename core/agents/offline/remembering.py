"""The offline Summariser, Distiller and Extractor: whole sentences as they were said. No network."""

from collections.abc import Sequence
from functools import partial

from core.agents.memory_roles import (
    Distillation,
    Execution,
    KeyOpinion,
    MemoryAgents,
    Passage,
    Purpose,
    Unit,
)
from core.agents.offline.distilling import distilled
from core.agents.offline.extracting import OfflineExtractor
from core.agents.offline.summarising import key, said, summary
from core.agents.offline.thinking import think
from core.ports.reader import NoReader, Reader


class OfflineSummariser:
    async def summarise(self, passages: Sequence[Passage], limit: int, unit: Unit, purpose: Purpose) -> str:
        """See `summary`; an episode's outcome has no keywords before it."""
        return await think(partial(summary, named=purpose is not Purpose.EPISODE), passages, limit, unit)


class OfflineDistiller:
    """Without a `reader` a key holds what says most, whether it lasts or not."""

    def __init__(self, reader: Reader | None = None) -> None:
        self._reader = reader or NoReader()

    async def key(self, passages: Sequence[Passage]) -> KeyOpinion:
        sentences = await think(said, passages)
        readings = await self._reader.read(sentences)
        worth_of = {
            text: reading.worth
            for text, reading in zip(sentences, readings, strict=True)
            if reading is not None
        }
        return await think(key, passages, worth_of if len(worth_of) == len(sentences) else None)

    async def distil(self, execution: Execution) -> Distillation:
        return await think(distilled, execution)


def offline_memory_agents(reader: Reader | None = None) -> MemoryAgents:
    """Makes one of each. Without a `reader` no facts are found in what users say."""
    return MemoryAgents(
        summariser=OfflineSummariser(),
        distiller=OfflineDistiller(reader),
        extractor=OfflineExtractor(reader or NoReader()),
    )
