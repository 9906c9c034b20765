"""What the tests of the language model's roles share: replies as JSON, and questions as text."""

import json
import re
from collections.abc import Sequence
from typing import Any

from core.ports.chat import ChatMessage
from tests.support.scripted_chat import ScriptedChat


def said(**fields: Any) -> str:
    """A reply of these fields."""
    return json.dumps(fields, ensure_ascii=False)


def question(chat: ScriptedChat, number: int = 0) -> str:
    """The user's first message of a call."""
    return chat.asked[number][0][1].text


def objections(chat: ScriptedChat) -> list[str]:
    """What the model was told was wrong, call by call."""
    return [messages[-1].text for messages, _ in chat.asked if len(messages) > 2]


def bytes_of(chat: ScriptedChat) -> str:
    """Everything that was asked, to compare runs."""
    return json.dumps([(_said(messages), shape.name, shape.schema) for messages, shape in chat.asked])


def _said(messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in messages]


def fences(text: str) -> list[tuple[str, str]]:
    """A message as its reader is told to read it: the names and texts of its fences."""
    first, body = text.split("\n", 1)
    mark = first.removeprefix("Fence mark: ")
    found = re.findall(
        rf"^\[\[{mark} ([^\n\]]+)\]\]\n(.*?)(?=\n\[\[{mark} )", body, flags=re.DOTALL | re.MULTILINE
    )
    return [(name, content) for name, content in found if name != "end"]
