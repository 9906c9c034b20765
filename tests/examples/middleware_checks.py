"""Run in the environment of the examples: steps of LangGraph's middleware, one a language, each with a long result.

Prints what the completed step says, a line each.
"""

import sys
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from memorybank_client import SyncMemoryBankClient
from memorybank_client.adapters.langgraph import MemoryMiddleware
from memorybank_client.adapters.react import SyncReActAdapter

LOG = "The harbour log says that a crane of 40 tons was hired for 900 euros on 3 May 2024. " * 20
ZH_LOG = "港口日志记载：2024年5月3日以九百欧元租用四十吨起重机一台。" * 20
STEPS = (
    ("What does the ferry cost?", LOG, "The ferry ticket costs 42 euros."),
    ("渡轮票多少钱？", ZH_LOG, "渡轮票价为四十二欧元。"),
)


def step(client: SyncMemoryBankClient, asked: str, read: str, said: str) -> str:
    middleware = MemoryMiddleware(SyncReActAdapter(client))
    state: dict[str, Any] = {"messages": [HumanMessage(asked)]}
    middleware.before_agent(state, None)
    for block in (
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "text", "text": "I look."},
    ):
        state["messages"] += [
            AIMessage([block], tool_calls=[{"name": "log", "args": {"q": asked}, "id": "c1"}]),
            ToolMessage([{"type": "text", "text": read}], tool_call_id="c1"),
        ]
    state["messages"].append(AIMessage([{"type": "text", "text": said}]))
    middleware.after_model(state, None)
    return middleware.memory.insight.completed[0].context


if __name__ == "__main__":
    with SyncMemoryBankClient(sys.argv[1]) as made:
        for each in STEPS:
            print(step(made, *each))
