"""A model by script behind OpenAI's chat API, over real HTTP: the examples run without a key.

It reads what a model would read: the step that the prompt says is next, the tools' answers and the node ids.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from uuid import uuid4

NEXT = re.compile(r"^## Now\n\[[^\]]+\] (\w+)", re.MULTILINE)
MEMORY = re.compile(r"^\[([0-9a-z]{5,})\]", re.MULTILINE)
FARE = re.compile(r"(\d+) euro")
TICKET = re.compile(r"门票(\d+)欧元")

Said = tuple[str, str, Mapping[str, str]]
"""What the model says; then a tool with its arguments, or no tool."""

Reply = Callable[[Mapping[str, Any]], dict[str, Any]]
"""From a request of the chat API to the message that answers it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a model is: what an OpenAI client wants to be told."""

    base_url: str
    api_key: str
    model: str


def turn(prompt: str, found: Sequence[str]) -> Said:
    """The next turn in a step, after what its tools have found."""
    step = NEXT.search(prompt)
    match step[1] if step else "", len(found):
        case "SOLVE", 0:
            return (
                "The notes may be old: what does the harbour say?",
                "search",
                {"query": "ferry ticket fares"},
            )
        case "SOLVE", 1:
            return "And the museum?", "search", {"query": "博物馆门票"}
        case "SOLVE", _:
            return f"A ferry ticket to Naxos costs {_last(FARE, found)} euro.", "", {}
        case "CROSS_VALIDATION", 0:
            return "Two fares: which is today's?", "search", {"query": "fare raised since when"}
        case "CROSS_VALIDATION", _:
            return f"A ferry ticket to Naxos costs {_last(FARE, found)} euro since 1 May.", "", {}
        case "ANSWER", 0:
            ids = MEMORY.findall(prompt)
            return "I want the ticket's price in the original.", "deep_retrieval", {"node_id": ids[-1]}
    fare, ticket = _last(FARE, [prompt]), _last(TICKET, [prompt, *found])
    return f"{3 * fare + 2 * ticket} euro: ferry {3 * fare}, museum {2 * ticket}.", "", {}


def reply(body: Mapping[str, Any]) -> dict[str, Any]:
    """The message that answers a request of the chat API."""
    messages = body["messages"]
    found = [message["content"] for message in messages if message["role"] == "tool"]
    return said(*turn(messages[0]["content"], found))


def said(thought: str, tool: str, arguments: Mapping[str, str]) -> dict[str, Any]:
    """What the model says, as a message of the chat API."""
    if not tool:
        return {"role": "assistant", "content": thought}
    called = {"name": tool, "arguments": json.dumps(arguments, ensure_ascii=False)}
    call = {"id": f"call_{uuid4().hex}", "type": "function", "function": called}
    return {"role": "assistant", "content": thought, "tool_calls": [call]}


@contextmanager
def model_endpoint(reply: Reply = reply) -> Iterator[Endpoint]:
    """The model that OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL name; without them, the script `reply`."""
    if model := os.environ.get("OPENAI_MODEL"):
        base_url = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
        yield Endpoint(base_url=base_url, api_key=os.environ.get("OPENAI_API_KEY", "none"), model=model)
        return
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Chat", (_Chat,), {"reply": staticmethod(reply)}))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield Endpoint(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none", model="script")
    finally:
        server.shutdown()
        server.server_close()


class _Chat(BaseHTTPRequestHandler):
    reply: Reply

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = self.reply(body)
        reason = "tool_calls" if "tool_calls" in message else "stop"
        choice = {"index": 0, "message": message, "finish_reason": reason}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        answer = {
            "id": "chat",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [choice],
            "usage": usage,
        }
        content = json.dumps(answer, ensure_ascii=False).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args: Any) -> None:
        """Says nothing."""


def _last(pattern: re.Pattern[str], texts: Sequence[str]) -> int:
    """The last number that a pattern finds."""
    return int(pattern.findall("\n".join(texts))[-1])
