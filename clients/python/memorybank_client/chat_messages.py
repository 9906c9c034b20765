"""Messages as chat APIs have them, `{"role": …, "content": …}`, in the contract's form.

What was said stays word for word. What is no text is named by its kind in brackets, a tool's call by its name and
arguments; a message that says nothing is left out.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memorybank.v1.types_pb2 import Message


def chat_messages(given: Iterable[Any]) -> list[Any]:
    """Messages for the contract: those of chat APIs (dicts, or objects that `model_dump` makes dicts of), and others as
    they are. Raises TypeError for what is neither."""
    if not isinstance(given, Iterable):
        raise TypeError(f"messages={given!r}: they are a list")
    made: list[Any] = []
    for place, each in enumerate(given):
        try:
            made += _taken(each)
        except (TypeError, ValueError, AttributeError) as problem:
            raise TypeError(f"messages[{place}], which is no message of a chat API: {problem}") from None
    return made


def _taken(given: Any) -> Iterator[Any]:
    plain = given.model_dump() if hasattr(given, "model_dump") else given
    if not isinstance(plain, Mapping) or "content" not in plain:
        yield given
        return
    content = "\n".join([*_texts(plain["content"]), *_calls(plain.get("tool_calls"))])
    if content:
        names = {"message_id": plain.get("id"), "role": plain.get("role"), "speaker": plain.get("name")}
        yield Message(text=content, **{field: name for field, name in names.items() if name})


def _texts(content: Any) -> Iterator[str]:
    """Yields the texts of a content: a text itself, or parts of several kinds."""
    for part in [content] if isinstance(content, str | Mapping) else content or ():
        text = part.get("text") if isinstance(part, Mapping) else part
        kind = part.get("type", "attachment") if isinstance(part, Mapping) else ""
        if text or kind not in ("", "text"):
            yield text or f"[{kind}]"


def _calls(calls: Any) -> Iterator[str]:
    for call in calls or ():
        function = call.get("function") or call
        yield f"{function.get('name', 'tool')}({function.get('arguments', '')})"
