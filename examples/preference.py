"""A user who states a preference once, and a model by script that keeps it and follows it.

The script reads what a model would read: the system message with the user's instruction document, and the conversation.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from examples.scripted_model import said

PATH = "/AGENTS.md"
BEFORE = (Path(__file__).parent / "preferences.md").read_text(encoding="utf-8")
STATED = "From now on, please answer in Chinese."
QUESTION = "When does the ferry leave?"


def reply(body: Mapping[str, Any]) -> dict[str, Any]:
    """The message that answers a request of the chat API."""
    messages = body["messages"]
    system, last = words(messages[0]), messages[-1]
    if last["role"] == "tool":
        return said(f"Noted ({words(last)})", "", {})
    if words(last) == STATED:
        edit = {"file_path": PATH, "old_string": "Answer in English.", "new_string": "Answer in Chinese."}
        return said("That is worth keeping.", "edit_file", edit)
    chinese = "Answer in Chinese." in system
    return said("渡轮九点从三号码头出发。" if chinese else "The ferry leaves at nine from pier 3.", "", {})


def words(message: Mapping[str, Any]) -> str:
    """A message's text, whether it comes whole or in blocks."""
    content = message["content"]
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)
