"""A Deep Agent whose AGENTS.md lives in the service: it keeps a preference in one run and follows it in the next.

Its MemoryMiddleware and its file tools are the package's own; the service is the backend under them. `make examples`
runs it in an environment of its own, for Deep Agents is no dependency of the service.
"""

import sys
from collections.abc import Iterator
from typing import Any

from deepagents import create_deep_agent
from langchain_core.messages import AnyMessage, HumanMessage
from langchain_openai import ChatOpenAI
from langgraph.graph.state import CompiledStateGraph
from pydantic import SecretStr

from examples.preference import BEFORE, PATH, QUESTION, STATED, reply
from examples.scripted_model import Endpoint, model_endpoint
from memorybank.v1.instructions_pb2 import Owner
from memorybank_client import SyncMemoryBankClient
from memorybank_client.adapters.deepagents import InstructionsBackend

ADA = Owner(user="ada")


def agent_with(client: SyncMemoryBankClient, endpoint: Endpoint) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The prebuilt agent: what it is told before every run are ada's documents."""
    model = ChatOpenAI(
        base_url=endpoint.base_url,
        api_key=SecretStr(endpoint.api_key),
        model=endpoint.model,
        use_responses_api=False,
    )
    return create_deep_agent(model, backend=InstructionsBackend(client, {"/": ADA}), memory=[PATH])


def runs(address: str, endpoint: Endpoint) -> Iterator[AnyMessage]:
    """The messages of three runs: a question, a preference, the same question again."""
    with SyncMemoryBankClient(address) as client:
        client.put_source(owner=ADA, path=PATH, text=BEFORE, update_by="ada")
        for said in (QUESTION, STATED, QUESTION):
            agent = agent_with(client, endpoint)
            yield from agent.invoke({"messages": [HumanMessage(said)]})["messages"]


def main(address: str) -> None:
    with model_endpoint(reply) as endpoint:
        for message in runs(address, endpoint):
            message.pretty_print()
    with SyncMemoryBankClient(address) as client:
        print("\n" + client.get_source(owner=ADA, path=PATH).source.text)


if __name__ == "__main__":
    main(sys.argv[1])
