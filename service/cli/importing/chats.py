"""Conversations as ChatGPT and Claude export them: `conversations.json`."""

from typing import Any

from service.cli.importing.found import FileContents, FileDamaged, Saying, Talk, id_of
from service.cli.importing.json_items import Item, each_of

SPEAKERS = ("user", "assistant")
TEXTS = ("text", "multimodal_text", "code")
"""ChatGPT's kinds of content that hold words of the conversation; others are thoughts and tools' own."""


def chatgpt(text: str) -> FileContents:
    """A conversation is the branch that was shown last, that of `current_node`; the others are counted."""
    found = FileContents()

    def talk(item: Item) -> Talk:
        mapping = item.object("mapping")
        branch = _branch(item, mapping)
        sayings = [
            saying for node in branch if (saying := _said(Item(node, f"{item.path}.mapping"))) is not None
        ]
        messages = [node for node in mapping.values() if isinstance(node, dict) and node.get("message")]
        shown = sum(1 for node in branch if node.get("message"))
        found.leave_out("messages of other branches", len(messages) - shown)
        found.leave_out("messages without words, or of tools", shown - len(sayings))
        name = item.optional("conversation_id", "id") or item.text("title")
        return Talk(id=id_of("chatgpt", name), title=item.optional("title"), sayings=tuple(sayings))

    found.talks = each_of(text, ("conversations",), talk)
    return found


def _branch(item: Item, mapping: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the nodes from the root to `current_node`."""
    at, branch, seen = item.text("current_node"), [], set[str]()
    while at:
        node = mapping.get(at)
        if not isinstance(node, dict) or at in seen:
            raise FileDamaged(f"{item.path}.mapping", f"has no way from {at!r} to its root")
        seen.add(at)
        branch.append(node)
        at = Item(node, f"{item.path}.mapping.{at}").optional("parent")
    return branch[::-1]


def _said(node: Item) -> Saying | None:
    if not node.fields.get("message"):
        return None
    message = Item(node.object("message"), f"{node.path}.message")
    role = Item(message.object("author"), f"{message.path}.author").optional("role")
    content = message.object("content")
    if role not in SPEAKERS or content.get("content_type", "text") not in TEXTS:
        return None
    parts = content.get("parts") or [content.get("text")]
    words = "\n".join(part for part in parts if isinstance(part, str) and part.strip())
    if not words:
        return None
    return Saying(
        id=message.text("id"), is_reply=role == "assistant", text=words, time=message.time("create_time")
    )


def claude(text: str) -> FileContents:
    """A conversation is a list of messages of `human` and `assistant`."""
    found = FileContents()

    def talk(item: Item) -> Talk:
        sayings = []
        for message in item.items("chat_messages"):
            if words := _words(message):
                is_reply = message.text("sender") == "assistant"
                said = Saying(
                    id=message.text("uuid"), is_reply=is_reply, text=words, time=message.time("created_at")
                )
                sayings.append(said)
            else:
                found.leave_out("messages without words, or of tools")
            found.leave_out("attached files", len(message.fields.get("files") or []))
        name = id_of("claude", item.text("uuid"))
        return Talk(id=name, title=item.optional("name"), sayings=tuple(sayings))

    found.talks = each_of(text, ("conversations",), talk)
    return found


def _words(message: Item) -> str:
    told = [part.optional("text") for part in message.items("content") if part.optional("type") == "text"]
    return "\n".join(each for each in told if each.strip()) or message.optional("text").strip()
