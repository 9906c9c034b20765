"""A ReAct agent with a memory: think, act, observe; what a step went through is remembered, not carried along.

Beside a service (`make serve`): `python -m examples.react_agent 127.0.0.1:7700`. A script plays the model, so that no
key is needed; OPENAI_MODEL, OPENAI_API_KEY and OPENAI_BASE_URL put another one in its place.
"""

import json
import sys
from collections.abc import Iterator
from typing import Any

from openai import OpenAI

from examples.research import PROMPT, SEARCH, search
from examples.scripted_model import Endpoint, model_endpoint
from memorybank_client import SyncMemoryBankClient
from memorybank_client.adapters.react import SyncReActAdapter
from memorybank_client.adapters.transcript import transcript

TURNS = 8  # of one step; a step that takes more has failed


class Agent:
    """The loop of one step, over any model that speaks OpenAI's chat API."""

    def __init__(self, endpoint: Endpoint, memory: SyncReActAdapter) -> None:
        self._chat = OpenAI(base_url=endpoint.base_url, api_key=endpoint.api_key).chat.completions
        self._model = endpoint.model
        self._memory = memory

    def step(self, prompt: str) -> list[dict[str, Any]]:
        """The messages of a step, from its prompt to the first that asks for no tool."""
        messages: list[Any] = [{"role": "user", "content": prompt}]
        tools: list[Any] = [*self._memory.tools, SEARCH]
        for _ in range(TURNS):
            answer = self._chat.create(model=self._model, messages=messages, tools=tools)
            said = answer.choices[0].message.model_dump(exclude_none=True)
            messages.append(said)
            if not said.get("tool_calls"):
                break
            for call in said["tool_calls"]:
                found = self._observe(call["function"]["name"], call["function"]["arguments"])
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": found})
        return messages

    def _observe(self, name: str, arguments: str) -> str:
        """What a tool brings; what is wrong with the call, for the model to read."""
        try:
            if name == "search":
                return search(str(json.loads(arguments)["query"]))
            return self._memory.call_tool(name, arguments)
        except (ValueError, LookupError, TypeError) as error:
            return f"error: {error}"


def solve(address: str, endpoint: Endpoint) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Each step's kind and messages, until the task is finished."""
    with SyncMemoryBankClient(address) as client:
        memory = SyncReActAdapter(client)
        prompt, agent = memory.enhance(PROMPT), Agent(endpoint, memory)
        while task := memory.task:
            messages = agent.step(prompt)
            yield task.type, messages
            context = transcript(messages[1:], verdict=bool(task.conflict_id))
            answered = messages[-1]["role"] == "assistant" and bool(messages[-1].get("content"))
            prompt = memory.intercept(context, succeeded=answered)


def main(address: str) -> None:
    with model_endpoint() as endpoint:
        for kind, messages in solve(address, endpoint):
            print(f"== {kind}")
            for message in transcript(messages[1:]):
                print(f"{message.speaker or message.role}: {message.text}")


if __name__ == "__main__":
    main(sys.argv[1])
