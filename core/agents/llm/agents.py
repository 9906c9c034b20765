"""The five agents on language models, put together."""

from collections.abc import Mapping

from core.agents.llm.clusterer import LlmClusterer
from core.agents.llm.consolidator import LlmConsolidator
from core.agents.llm.judge import LlmJudge
from core.agents.llm.planner import LlmPlanner
from core.agents.llm.prompts import SHIPPED, Prompts
from core.agents.llm.structurer import LlmStructurer
from core.agents.roles import Agents
from core.ports.chat import ChatModel


def llm_agents(models: Mapping[str, ChatModel], prompts: Prompts = SHIPPED) -> Agents:
    """Makes one of each. `models` holds each role's model under its name: `clusterer`, `structurer`, `judge`,
    `consolidator`, `planner`; one model may serve several."""
    return Agents(
        clusterer=LlmClusterer(models["clusterer"], prompts),
        structurer=LlmStructurer(models["structurer"], prompts),
        judge=LlmJudge(models["judge"], prompts),
        consolidator=LlmConsolidator(models["consolidator"], prompts),
        planner=LlmPlanner(models["planner"], prompts),
    )
