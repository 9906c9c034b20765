"""The offline Summariser, Distiller and Extractor: whole sentences as they were said. No network."""

from collections.abc import Mapping, Sequence
from functools import partial

from core.agents.memory_roles import (
    Distillation,
    Execution,
    KeyOpinion,
    MemoryAgents,
    Passage,
    PassageKind,
    Purpose,
    Unit,
)
from core.agents.offline.distilling import distilled
from core.agents.offline.exchanges import Piece
from core.agents.offline.extracting import OfflineExtractor
from core.agents.offline.overtaking import overtaking
from core.agents.offline.summarising import asked_for, key, said, summary, telling
from core.agents.offline.thinking import think
from core.ports.comparer import Comparer, NoComparer
from core.ports.reader import NoReader, Reader
from core.text.questions import asks

MOST_NEWER = 60
"""Sentences that one of a key is compared with: the newest."""


class OfflineSummariser:
    async def summarise(self, passages: Sequence[Passage], limit: int, unit: Unit, purpose: Purpose) -> str:
        """See `summary`; an episode's outcome has no keywords before it."""
        return await think(partial(summary, named=purpose is not Purpose.EPISODE), passages, limit, unit)


class OfflineDistiller:
    """Without a `reader` a key holds what says most, whether it lasts or not; without a `comparer` it may hold what a
    newer statement takes the place of. Raises EmbedderUnavailable."""

    def __init__(self, reader: Reader | None = None, comparer: Comparer | None = None) -> None:
        self._reader = reader or NoReader()
        self._comparer = comparer or NoComparer()

    async def key(self, passages: Sequence[Passage]) -> KeyOpinion:
        sentences = await think(said, passages)
        readings = await self._reader.read(sentences)
        worth_of = {
            text: reading.worth
            for text, reading in zip(sentences, readings, strict=True)
            if reading is not None
        }
        worths = worth_of if len(worth_of) == len(sentences) else None
        asked = asked_for(passages)
        overtaken: set[str] = set()
        chosen = await think(telling, passages, worths, overtaken, asked)
        while changed := await self._changed(chosen, passages):
            overtaken |= changed.keys()
            for old, new in changed.items():  # what takes a place lasts, and is asked for, as what had it
                worth_of[new] = max(worth_of.get(new, 0.0), worth_of.get(old, 0.0))
                asked[new] = max(asked.get(new, 0), asked.get(old, 0))
            chosen = await think(telling, passages, worths, overtaken, asked)
        return key(chosen)

    async def _changed(self, chosen: Sequence[Piece], passages: Sequence[Passage]) -> Mapping[str, str]:
        """Returns those sentences of pieces of which a newer input says that it is otherwise, with that."""
        inputs = [one for one in passages if one.kind is not PassageKind.REPLY]
        found: dict[str, str] = {}
        for line in (line for each in chosen for line in each.lines if not asks(line.text)):
            newer = said([one for one in inputs if one.step > line.passage.step])
            newer = [text for text in newer if text != line.text and not asks(text)][-MOST_NEWER:]
            if found_newer := await overtaking(self._comparer, [line.text], newer):
                found[line.text] = newer[max(found_newer)[1]]
        return found

    async def distil(self, execution: Execution) -> Distillation:
        return await think(distilled, execution)


def offline_memory_agents(reader: Reader | None = None, comparer: Comparer | None = None) -> MemoryAgents:
    """Makes one of each. Without a `reader` no facts are found in what users say; without a `comparer` a key may hold
    what has changed since."""
    return MemoryAgents(
        summariser=OfflineSummariser(),
        distiller=OfflineDistiller(reader, comparer),
        extractor=OfflineExtractor(reader or NoReader()),
    )
