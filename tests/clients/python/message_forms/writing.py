"""How messages are written down here, in few words."""

from typing import Any

Read = tuple[str, str, str]
Form = tuple[Any, list[Read]]


def asks(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(parts)}


def answers(*parts: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(parts)}


def brings(type_: str, content: Any) -> dict[str, Any]:
    return {"type": type_, "tool_use_id": "t1", "content": content}


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


TEXT = {"type": "text", "text": "Ferries leave at nine."}
PNG = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
ASK = {"to": "Naxos"}
ASKED = '[tool ferry_prices] {"to": "Naxos"}'
CALL = {"id": "c1", "name": "ferry_prices", "args": ASK, "type": "tool_call"}
