"""A real HTTP server on the loopback that speaks OpenAI's chat API, or misbehaves as told.

As a process: `python -m tests.support.chat_endpoint [--port N] [--rule MODULE:FUNCTION]` says where it
listens, in one line, and answers by the rule until it is stopped.
"""

import argparse
import json
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from tests.support.loopback import Reply, failing, listening

__all__ = ["ChatEndpoint", "Reply", "completion", "failing", "plainest", "serving"]

Rule = Callable[[Mapping[str, Any]], "str | Reply"]
"""What answers a request's body (`messages`, `response_format`, …): a text as the model's, or a reply as it is."""


def completion(text: str | None, *, counted: bool = True, end: str = "stop", **message: Any) -> Reply:
    """A model's answer. `counted`: with its tokens, 7 and 11. `message`: more fields of the message."""
    said = {"role": "assistant", "content": text, **message}
    answer: dict[str, Any] = {
        "id": "c",
        "object": "chat.completion",
        "model": "m",
        "choices": [{"index": 0, "message": said, "finish_reason": end}],
    }
    if counted:
        answer["usage"] = {"prompt_tokens": 7, "completion_tokens": 11, "total_tokens": 18}
    return Reply(body=json.dumps(answer, ensure_ascii=False).encode())


class ChatEndpoint:
    """Gives the scripted replies, a text as the model's answer; then what the rule says.

    `lacks` names the kinds of response_format that are refused, with `refusal` as the status.
    """

    def __init__(self, rule: Rule) -> None:
        self.url = ""
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []  # what each request came with as its authorization
        self.traces: list[str] = []  # and as its traceparent
        self.script: list[Reply | str] = []
        self.lacks: set[str] = set()
        self.refusal = 400
        self.rule = rule
        self.arrived = threading.Event()  # a request is here

    @property
    def forms(self) -> list[str]:
        """Which response_format each request asked for."""
        return [form_of(body) for body in self.requests]

    def reply(self, body: dict[str, Any], key: str) -> Reply:
        self.requests.append(body)
        self.keys.append(key)
        self.arrived.set()
        if (form := form_of(body)) in self.lacks:
            message = f"This response_format type is unavailable: {form}"
            return Reply(status=self.refusal, body=json.dumps({"error": {"message": message}}).encode())
        coming = self.script.pop(0) if self.script else self.rule(body)
        return completion(coming) if isinstance(coming, str) else coming


def form_of(body: Mapping[str, Any]) -> str:
    return str(body.get("response_format", {}).get("type", "text"))


def plainest(body: Mapping[str, Any]) -> str:
    """A reply of the shape asked for with as little in it as can be, where a schema is given."""
    asked = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
    return json.dumps(_plainest(asked))


def _plainest(schema: Mapping[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type", "object"):
        case "object":
            return {name: _plainest(inner) for name, inner in schema.get("properties", {}).items()}
        case "array":
            return [_plainest(schema["items"])] * int(schema.get("minItems", 0))
        case "string":
            return ""
        case "boolean":
            return False
        case _:
            return schema.get("minimum", 0)


@contextmanager
def serving(rule: Rule = plainest, port: int = 0) -> Iterator[ChatEndpoint]:
    """An endpoint, gone with the context. Port 0: any free one."""
    endpoint = ChatEndpoint(rule)
    with listening(endpoint.reply, port, traces=endpoint.traces) as address:
        endpoint.url = f"{address}/v1"
        yield endpoint


def main() -> None:
    options = argparse.ArgumentParser(description="An OpenAI-compatible endpoint that answers by a rule.")
    options.add_argument("--port", type=int, default=0)
    options.add_argument("--rule", default="tests.support.chat_endpoint:plainest", metavar="MODULE:FUNCTION")
    given = options.parse_args()
    module, _, name = given.rule.partition(":")
    stops = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, stops)  # before any thread is started, so that none takes them
    with serving(getattr(import_module(module), name), given.port) as endpoint:
        print(f"listening on {endpoint.url}", flush=True)
        signal.sigwait(stops)


if __name__ == "__main__":
    main()
