"""A step's chat messages, in OpenAI's form, as the context that goes to memory.

Words stay verbatim. What the deep retrieval tool brought stays out: it came from memory, and lies there. What
is handed over as a verdict begins with the last words said; the rest stands behind it as its evidence.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from memorybank.v1.types_pb2 import Message
from memorybank_client.adapters.reading import TOOL_NAME

EVIDENCE = "evidence"
"""The role of a message that a verdict rests on."""

ChatMessage = Mapping[str, Any]


def transcript(messages: Sequence[ChatMessage], *, verdict: bool = False) -> list[Message]:
    """Returns the messages, calls and results as text; messages without words, and those of the system, bring
    nothing.

    `verdict`: of a CROSS_VALIDATION step, whose last message is the verdict.
    """
    tools = {call["id"]: call["function"] for each in messages for call in each.get("tool_calls") or ()}
    made = [_message(each, tools) for each in messages if each["role"] != "system"]
    worded = [message for message in made if message.text]
    if not verdict or not worded:
        return worded
    for message in worded[:-1]:
        message.role = EVIDENCE
    return [worded[-1], *worded[:-1]]


def _message(given: ChatMessage, tools: Mapping[str, Mapping[str, str]]) -> Message:
    name = tools.get(given.get("tool_call_id", ""), {}).get("name", "")
    if name == TOOL_NAME:
        return Message()
    called = [
        f"{call['function']['name']} {call['function']['arguments']}"
        for call in given.get("tool_calls") or ()
    ]
    text = "\n".join(filter(None, (_words(given.get("content")), *called)))
    return Message(role=given["role"], speaker=name, text=text)


def _words(content: Any) -> str:
    """Returns a content's text, where it comes in parts, without what is no text."""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content or () if part.get("type") == "text")
