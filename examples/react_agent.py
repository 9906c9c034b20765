"""A ReAct loop with a memory: think, act, observe; what a step went through is remembered, not carried along.

Run it beside a service (`make serve`): `python examples/react_agent.py 127.0.0.1:7700`. The model follows
a script here, so that no key is needed; put any chat model in its place.
"""

import json
import re
import sys
from collections.abc import Callable
from typing import Any

from memorybank_client import SyncMemoryBankClient
from memorybank_client.adapters.react import SyncReActAdapter

QUESTION = "What does a day trip to Naxos cost a family of two adults and two children?"
NOTES = "The ferry to Naxos leaves at nine from pier 3.\n\nA ticket costs 42 euro; children pay half."

Turn = tuple[str, str, str]
"""A thought, then a tool with its arguments, or no tool and the answer."""
Model = Callable[[str], Turn]


def scripted_model(prompt: str) -> Turn:
    """Reads the first memory's record, then answers."""
    if "Observation:" in prompt:
        fare = int(re.findall(r"costs (\d+) euro", prompt)[-1])
        return "Two full fares and two halves.", "", f"{2 * fare + 2 * fare // 2} euro"
    node_id = re.findall(r"^- \[([^\]]+)\] \d{4}-", prompt, re.MULTILINE)[0]
    return "I need the exact fare.", "deep_retrieval", json.dumps({"node_id": node_id})


def run_step(
    model: Model, prompt: str, tools: list[dict[str, Any]], call_tool: Callable[[str, str], str]
) -> str:
    """One step: the model's turns until it answers. Returns its transcript."""
    transcript = ""
    for _ in range(8):
        thought, tool, said = model(prompt + transcript)
        transcript += f"\nThought: {thought}"
        if not tool:
            return f"{transcript}\nAnswer: {said}".strip()
        transcript += f"\nAction: {tool} {said}\nObservation: {call_tool(tool, said)}"
    return transcript.strip()


def solve(model: Model, address: str) -> list[str]:
    """The transcripts of the steps it took."""
    steps: list[str] = []
    with SyncMemoryBankClient(address) as client:
        memory = SyncReActAdapter(client)
        prompt = memory.enhance(QUESTION, context=NOTES)
        while not memory.finished:
            steps.append(run_step(model, prompt, memory.tools, memory.call_tool))
            prompt = memory.intercept(steps[-1])
    return steps


if __name__ == "__main__":
    print("\n\n".join(solve(scripted_model, sys.argv[1])))  # noqa: T201  an example talks to people
