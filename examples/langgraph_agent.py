"""The same task with LangGraph's prebuilt agent: the memory is its middleware.

`make examples` runs it in an environment of its own, for LangChain is no dependency of the service.
"""

import sys
from collections.abc import Iterator
from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import AnyMessage, HumanMessage
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from langgraph.graph.state import CompiledStateGraph
from pydantic import SecretStr

from examples.research import PROMPT, search
from examples.scripted_model import Endpoint, model_endpoint
from memorybank_client import SyncMemoryBankClient
from memorybank_client.adapters.langgraph import MemoryMiddleware
from memorybank_client.adapters.react import SyncReActAdapter


def agent_with(memory: SyncReActAdapter, endpoint: Endpoint) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The prebuilt agent, its search tool beside the memory's own."""
    return create_agent(
        ChatOpenAI(base_url=endpoint.base_url, api_key=SecretStr(endpoint.api_key), model=endpoint.model),
        tools=[StructuredTool.from_function(search)],
        middleware=[MemoryMiddleware(memory)],
    )


def solve(address: str, endpoint: Endpoint) -> Iterator[AnyMessage]:
    """The messages of the conversation, of all steps, as they come."""
    with SyncMemoryBankClient(address) as client:
        agent = agent_with(SyncReActAdapter(client), endpoint)
        for update in agent.stream({"messages": [HumanMessage(PROMPT)]}, stream_mode="updates"):
            for change in update.values():
                yield from (change or {}).get("messages", ())


def main(address: str) -> None:
    with model_endpoint() as endpoint:
        for message in solve(address, endpoint):
            message.pretty_print()


if __name__ == "__main__":
    main(sys.argv[1])
