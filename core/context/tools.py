"""Declarations of the tools of long-term memory: RetrieveFacts, RecallEpisodes, StoreFact.

Law: pure. A tool's arguments are fields of the request of the same name; the user is never one of them.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.context.prompt import ToolFormat


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """`parameters`: a JSON schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


def _object(required: Sequence[str], **properties: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


MEMORY_TOOLS = (
    Tool(
        name="RetrieveFacts",
        description="Find facts remembered about the user that bear on a question. 检索关于用户的已知事实。",
        parameters=_object(
            ["query"],
            query={"type": "string", "description": "What to look for, in a sentence. 要查找的内容。"},
            top_k={"type": "integer", "minimum": 1, "maximum": 50, "description": "How many at most."},
        ),
    ),
    Tool(
        name="RecallEpisodes",
        description=(
            "Find earlier attempts at similar tasks, with their steps, outcomes and lessons. "
            "回忆以往处理类似任务的经过与教训。"
        ),
        parameters=_object(
            ["query"],
            query={"type": "string", "description": "What is to be done. 要完成的任务。"},
            state={"type": "string", "description": "Where things stand now. 当前状态。"},
            top_k={"type": "integer", "minimum": 1, "maximum": 50, "description": "How many at most."},
        ),
    ),
    Tool(
        name="StoreFact",
        description=(
            "Remember a fact for later conversations: one plain statement, no secrets. "
            "记住一条以后有用的事实，不含敏感信息。"
        ),
        parameters=_object(
            ["content"],
            content={"type": "string", "description": "The fact, complete in itself. 完整的一句陈述。"},
            category={
                "type": "string",
                "enum": ["work", "life", "preference", "emotion", "strategy"],
                "description": "Its domain.",
            },
        ),
    ),
)


def declared(tools: Sequence[Tool], form: ToolFormat) -> list[str]:
    """Renders each tool as a JSON object in the form of one provider's API."""
    return [json.dumps(_declaration(tool, form), ensure_ascii=False) for tool in tools]


def _declaration(tool: Tool, form: ToolFormat) -> Mapping[str, Any]:
    named = {"name": tool.name, "description": tool.description}
    if form is ToolFormat.ANTHROPIC:
        return named | {"input_schema": tool.parameters}
    return {"type": "function", "function": named | {"parameters": tool.parameters}}
