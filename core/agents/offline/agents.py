"""The five offline agents, put together."""

from core.agents.offline.clusterer import OfflineClusterer
from core.agents.offline.consolidator import OfflineConsolidator
from core.agents.offline.judge import OfflineJudge
from core.agents.offline.planner import OfflinePlanner
from core.agents.offline.structurer import OfflineStructurer
from core.agents.roles import Agents
from core.ports.comparer import Comparer, NoComparer
from core.ports.embedder import Embedder


def offline_agents(embedder: Embedder, comparer: Comparer | None = None) -> Agents:
    """Makes one of each. They embed through `embedder`, which had better remember what it embedded last.

    Without a `comparer` no sentences are compared."""
    comparer = comparer or NoComparer()
    return Agents(
        clusterer=OfflineClusterer(embedder),
        structurer=OfflineStructurer(),
        judge=OfflineJudge(embedder, comparer),
        consolidator=OfflineConsolidator(comparer),
        planner=OfflinePlanner(),
    )
