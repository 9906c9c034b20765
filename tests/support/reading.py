"""The real Reader, one for all tests of a process."""

from collections.abc import Sequence
from functools import cache

from core.agents.memory_roles import Candidate, Passage
from core.agents.offline.extracting import OfflineExtractor
from service.adapters.local_embedder import LocalReader, ReadingNetwork
from tests.support.embedders import local_embedder


@cache
def local_reader() -> LocalReader:
    return LocalReader(local_embedder, ReadingNetwork.load())


async def candidates(passages: Sequence[Passage]) -> Sequence[Candidate]:
    """What the offline Extractor takes for a fact."""
    found = await OfflineExtractor(local_reader()).extract(passages, ())
    return [one for one in found if not one.is_doubtful]
