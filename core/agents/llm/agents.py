"""The five agents on language models, put together."""

from collections.abc import Mapping

from core.agents.llm.clusterer import LlmClusterer
from core.agents.llm.consolidator import LlmConsolidator
from core.agents.llm.judge import LlmJudge
from core.agents.llm.planner import LlmPlanner
from core.agents.llm.structurer import LlmStructurer
from core.agents.roles import Agents
from core.ports.chat import ChatModel


def llm_agents(models: Mapping[str, ChatModel]) -> Agents:
    """Makes one of each. `models` holds each role's model under its name: `clusterer`, `structurer`, `judge`,
    `consolidator`, `planner`; one model may serve several."""
    return Agents(
        clusterer=LlmClusterer(models["clusterer"]),
        structurer=LlmStructurer(models["structurer"]),
        judge=LlmJudge(models["judge"]),
        consolidator=LlmConsolidator(models["consolidator"]),
        planner=LlmPlanner(models["planner"]),
    )
