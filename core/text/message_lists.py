"""Lists of chat messages written as JSON: OpenAI's, Anthropic's, LangChain's and Gemini's forms.

Law: reads, never rewrites; what is no list of messages is none. Objects may stand in an array, one on each line, or
be what is left of either after cutting; a line break inside a string is no error.
"""

import json
import re
from bisect import bisect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.text.storable import storable
from core.text.words import words

OPENING = re.compile(r"\s*(?:\{\s*\"(?:messages|input|contents|history)\"\s*:\s*)?[\[,\s]*(?=\{)")
BETWEEN = re.compile(r"[\s,\[]*")
CLOSING = re.compile(r"[\s,\]}]*\Z")
CUT_ESCAPE = re.compile(r"(\\(?:u[0-9A-Fa-f]{0,3})?)\n|(?<=\\u[0-9A-Fa-f]{4})\n(?=\\u)")  # a cut at an escape
FIRST_KEY = re.compile(r"\s*[\[{]")

ROLES = words("system developer user assistant tool function model human ai ipython observation")
ITEMS = words("message function_call function_call_output reasoning tool_use tool_result text thinking")

_decoder = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMessage:
    """One message: where its object lies in the text, and what it says, in order, as (what it is, text).

    What it is: "thinking", "call", "result", or the role of the message for its own words.
    """

    start: int
    end: int
    said: tuple[tuple[str, str], ...]


def messages(text: str) -> tuple[ListedMessage, ...]:
    """Returns the messages of a text that is a list of them, and nothing else; none for any other text."""
    if not FIRST_KEY.match(text) or '"' not in text:
        return ()
    if "\\" not in text or (mended := CUT_ESCAPE.sub(lambda cut: cut[1] or "", text)) == text:
        return _messages(text)
    # Each break taken out stands, in the mended text, as many places earlier as there were before it.
    gone = [cut.end() - 1 - n for n, cut in enumerate(CUT_ESCAPE.finditer(text))]
    return tuple(
        replace(one, start=one.start + bisect(gone, one.start), end=one.end + bisect(gone, one.end - 1))
        for one in _messages(mended)
    )


def _messages(text: str) -> tuple[ListedMessage, ...]:
    opening = OPENING.match(text)
    if opening is None:
        return ()
    found: list[ListedMessage] = []
    place = opening.end()
    while place < len(text) and text[place] == "{":
        try:
            decoded, end = _decoder.raw_decode(text, place)
            said = _said(decoded)
        except (ValueError, RecursionError):  # no JSON, or so deeply nested that nobody wrote it
            return ()
        if said is None:
            return ()
        found.append(ListedMessage(start=place, end=end, said=said))
        place = between.end() if (between := BETWEEN.match(text, end)) else end
    return tuple(found) if found and CLOSING.match(text, found[-1].end) else ()


def _said(decoded: Any) -> tuple[tuple[str, str], ...] | None:
    """Returns a message's content; None for an object that is none."""
    if not isinstance(decoded, Mapping):
        return None
    inner = decoded.get("data")
    message: Mapping[str, Any] = inner if isinstance(inner, Mapping) else decoded
    role = str(message.get("role") or decoded.get("role") or decoded.get("type") or "").lower()
    if role not in ROLES and role not in ITEMS:
        return None
    if role not in ITEMS and not {"content", "parts", "tool_calls", "function_call"} & set(message):
        return None
    parts = list(_of_item(message, role) if role in ITEMS - {"message"} else _of_content(message, role))
    calls = message.get("tool_calls") or ([message["function_call"]] if message.get("function_call") else [])
    parts += [("call", json.dumps(call, ensure_ascii=False)) for call in calls]
    return tuple((kind, storable(spoken)) for kind, spoken in parts if spoken.strip())


def _of_content(message: Mapping[str, Any], role: str) -> Iterator[tuple[str, str]]:
    reasoning = message.get("reasoning_content")
    if isinstance(reasoning, str):
        yield "thinking", reasoning
    own = str(message.get("role") or role).lower()
    content = message.get("content", message.get("parts"))
    for block in content if isinstance(content, list) else [content]:
        if isinstance(block, str):
            yield own, block
        elif isinstance(block, Mapping):
            yield from _of_item(block, own)


def _of_item(block: Mapping[str, Any], role: str) -> Iterator[tuple[str, str]]:
    """Yields what one block of a message holds: text, thinking, a call, or a call's result."""
    kind = str(block.get("type") or "")
    if kind in ("thinking", "reasoning", "redacted_thinking"):
        yield "thinking", _text(block.get("thinking") or block.get("summary") or block.get("content"))
    elif kind in ("tool_use", "function_call", "tool_call") or "functionCall" in block:
        yield "call", json.dumps(dict(block), ensure_ascii=False)
    elif kind in ("tool_result", "function_call_output") or "functionResponse" in block:
        brought = block.get("content", block.get("output", block.get("functionResponse")))
        yield "result", _text(brought)
    elif "text" in block:
        yield role, _text(block["text"])


def _text(content: Any) -> str:
    """Returns the words of what may be a text, a list of blocks, or any JSON."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(filter(None, map(_text, content)))
    if isinstance(content, Mapping) and isinstance(content.get("text"), str):
        return str(content["text"])
    return json.dumps(content, ensure_ascii=False)
