"""Prints, as JSON, the types of the parts that the vendors' SDKs know, by SDK, for those that can be imported here.

Run by the Python of any environment: it imports nothing else.
"""

import importlib
import json
import typing
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

INNER = ("content", "output", "outputs", "source", "tool_references")
"""The fields that hold parts again."""
UNIONS = {
    "openai": (
        "openai.types.chat:ChatCompletionContentPartParam",
        "openai.types.responses.response_input_item_param:ResponseInputItemParam",
        "openai.types.responses:ResponseOutputItem",
        "openai.types.responses:ResponseItem",
        "openai.types.responses:ResponseInputContentParam",
        "openai.types.responses.response_output_message:Content",
    ),
    "anthropic": (
        "anthropic.types:ContentBlock",
        "anthropic.types:ContentBlockParam",
        "anthropic.types.beta:BetaContentBlock",
        "anthropic.types.beta:BetaContentBlockParam",
    ),
    "langchain-core": ("langchain_core.messages.content:ContentBlock",),
    "mcp-types": ("mcp_types:ContentBlock", "mcp_types:SamplingMessageContentBlock"),
    "autogen-agentchat": (
        "autogen_agentchat.messages:ChatMessage",
        "autogen_agentchat.messages:AgentEvent",
        "autogen_core.models:LLMMessage",
    ),
}


def members(annotation: Any) -> Iterator[Any]:
    """Yields the classes of an annotation, taken out of unions and lists."""
    annotation = getattr(annotation, "__value__", annotation)
    arguments = typing.get_args(annotation)
    if typing.get_origin(annotation) is typing.Annotated:
        arguments = arguments[:1]
    if typing.get_origin(annotation) is typing.Literal or not arguments:
        yield annotation
        return
    for argument in arguments:
        yield from members(argument)


def fields(kind: Any) -> dict[str, Any]:
    if hasattr(kind, "model_fields"):
        return {name: field.annotation for name, field in kind.model_fields.items()}
    return typing.get_type_hints(kind) if isinstance(kind, type) and hasattr(kind, "__annotations__") else {}


def types_of(annotation: Any, seen: set[Any]) -> Iterator[str]:
    """Yields the `type` of every class that an annotation names, and of what these hold."""
    for kind in members(annotation):
        if kind in seen or not isinstance(kind, type):
            continue
        seen.add(kind)
        held = fields(kind)
        for literal in members(held.get("type")):
            yield from (each for each in typing.get_args(literal) if isinstance(each, str))
        for name in INNER:
            if name in held:
                yield from types_of(held[name], seen)


def known() -> Iterator[tuple[str, list[str]]]:
    for sdk, unions in UNIONS.items():
        found: set[str] = set()
        try:
            release = version(sdk)
            for union in unions:
                module, _, name = union.partition(":")
                found.update(types_of(getattr(importlib.import_module(module), name), set()))
        except ImportError:
            continue
        yield f"{sdk} {release}", sorted(found)
    try:
        types = importlib.import_module("google.genai.types")
    except ImportError:
        return
    yield f"google-genai {version('google-genai')}", sorted(types.Part.model_fields)


if __name__ == "__main__":
    print(json.dumps(dict(known())))
