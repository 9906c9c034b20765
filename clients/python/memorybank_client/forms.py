"""Where each kind of part of a vendor's message keeps its words: for `parts.py` alone.

A part is known by its `type`, or by the one field that holds it (Gemini). What is not in these tables is not known.
"""

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What a part is. HIDDEN: it is no word of the turn."""

    SAID = "said"
    CALL = "call"
    RESULT = "result"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class Form:
    """Where a kind of part keeps its words.

    `fields` hold them, in order: text, or parts again, where those without a `type` are of the form `untyped`. With
    `data` they hold any JSON, which is shown as such. `mark` stands in brackets before what is said, with the first of
    the `labels`. `tool` is a call's or result's name, or the field that has it. `brings`: a call's fields with its
    result.
    """

    kind: Kind
    fields: tuple[str, ...] = ()
    mark: str = ""
    labels: tuple[str, ...] = ()
    tool: str = "name"
    data: bool = False
    untyped: str = ""
    brings: tuple[str, ...] = ()


LABELS = (
    "title",
    "filename",
    "display_name",
    "name",
    "url",
    "uri",
    "file_uri",
    "source",
    "file_id",
    "mime_type",
)
"""What says of a thing without words which it is; the first that is there stands with its name."""


def _said(*fields: str, mark: str = "", data: bool = False, untyped: str = "") -> Form:
    return Form(Kind.SAID, fields, mark=mark, labels=LABELS if mark else (), data=data, untyped=untyped)


def _named(mark: str) -> Form:
    return Form(Kind.SAID, mark=mark, labels=LABELS)


def _call(*fields: str, tool: str = "name", brings: tuple[str, ...] = (), untyped: str = "") -> Form:
    return Form(Kind.CALL, fields, tool=tool, data=True, brings=brings, untyped=untyped)


def _result(*fields: str, tool: str = "name", data: bool = False, untyped: str = "") -> Form:
    return Form(Kind.RESULT, fields, tool=tool, data=data, untyped=untyped)


HIDDEN = Form(Kind.HIDDEN)

FORMS: dict[str, Form] = {
    # what is said
    "text": _said("text", "data"),  # a document's source has `data`
    **dict.fromkeys(("input_text", "output_text", "advisor_result"), _said("text")),
    "refusal": _said("refusal", mark="refusal"),
    "text-plain": _said("context", "text", mark="document"),
    "document": _said("context", "source", mark="document"),
    "content": _said("content"),  # a document's source
    "search_result": _said("content", mark="search_result"),
    "resource": _said("resource", mark="resource", untyped="resource"),
    "resource_link": _said("name", "description", "uri", mark="resource_link"),
    "compaction": _said("content", mark="compaction"),
    "mcp_approval_response": _said("approve", "reason", mark="mcp_approval_response"),
    "image_generation_call": _said("revised_prompt", mark="image_generation_call"),
    "additional_tools": _said("tools", mark="additional_tools", data=True),
    "configuration_update": _said("reasoning", "text", mark="configuration_update", data=True),
    "tool_addition": _said("tool", mark="tool_addition", data=True),
    "tool_removal": _said("tool", mark="tool_removal", data=True),
    "fallback": _said("trigger", mark="fallback", data=True),
    "browser_state": _said("tabs", "state_changes", mark="browser_state", data=True),
    "non_standard": _said("value"),
    # what has no words, and is named
    **{
        each: _named(each)
        for each in (
            *("image", "image_url", "input_image", "audio", "input_audio", "video", "file", "input_file"),
            *("computer_screenshot", "container_upload", "item_reference", "compaction_trigger"),
            *("media", "base64", "url", "code_execution_output", "bash_code_execution_output"),
            "text_editor_code_execution_create_result",
        )
    },
    # thoughts, and what is encrypted
    **dict.fromkeys(
        (
            *("thinking", "redacted_thinking", "reasoning", "reasoning_text", "summary_text"),
            "advisor_redacted_result",
        ),
        HIDDEN,
    ),
    # calls
    **dict.fromkeys(("tool_use", "server_tool_use", "mcp_tool_use", "custom_tool_call"), _call("input")),
    **dict.fromkeys(("function_call", "mcp_approval_request"), _call("arguments")),
    **dict.fromkeys(
        ("tool_call", "tool_call_chunk", "server_tool_call", "server_tool_call_chunk"), _call("args")
    ),
    "invalid_tool_call": _call("args", brings=("error",)),
    "mcp_call": _call("arguments", brings=("output", "error")),
    "tool_search_call": _call("arguments", tool="tool_search"),
    "web_search_call": _call("action", tool="web_search"),
    "file_search_call": _call(
        "queries", tool="file_search", brings=("results",), untyped="file_search_result"
    ),
    "computer_call": _call("action", "actions", tool="computer"),
    "code_interpreter_call": _call("code", tool="code_interpreter", brings=("outputs",)),
    "local_shell_call": _call("action", tool="local_shell"),
    "shell_call": _call("action", tool="shell"),
    "apply_patch_call": _call("operation", tool="apply_patch"),
    "program": _call("code", tool="program"),
    "executable_code": _call("executable_code", tool="code_execution"),  # LangChain's of Gemini
    # results
    **dict.fromkeys(("tool_result", "mcp_tool_result"), _result("content")),
    **dict.fromkeys(
        ("function_call_output", "custom_tool_call_output", "computer_call_output"), _result("output")
    ),
    "local_shell_call_output": _result("output", tool="local_shell"),
    "shell_call_output": _result("output", tool="shell", untyped="shell_output"),
    "apply_patch_call_output": _result("output", tool="apply_patch"),
    "program_output": _result("result", tool="program"),
    "tool_search_output": _result("tools", tool="tool_search", data=True),
    "mcp_list_tools": _result("tools", "error", tool="server_label", data=True),
    "mcp_tool_listing": _result("tools", tool="mcp_server_name", data=True),
    "server_tool_result": _result("output", data=True),
    **{
        f"{each}_tool_result": _result("content", tool=each)
        for each in (
            *(
                "web_search",
                "web_fetch",
                "code_execution",
                "bash_code_execution",
                "text_editor_code_execution",
            ),
            *("tool_search", "advisor"),
        )
    },
    # what stands inside results
    **{
        f"{each}_tool_result_error": _said("error_code", "error_message")
        for each in (
            *(
                "web_search",
                "web_fetch",
                "code_execution",
                "bash_code_execution",
                "text_editor_code_execution",
            ),
            *("tool_search", "advisor"),
        )
    },
    "web_search_result": _said("title", "url", "page_age"),
    "web_fetch_result": _said("url", "content"),
    **dict.fromkeys(
        ("code_execution_result", "bash_code_execution_result", "encrypted_code_execution_result"),
        _said("stdout", "stderr", "return_code", "content", "code_execution_result"),
    ),
    "text_editor_code_execution_view_result": _said("content"),
    "text_editor_code_execution_str_replace_result": _said("lines"),
    "tool_search_tool_search_result": _said("tool_references"),
    "tool_reference": _said("tool_name"),
    "logs": _said("logs"),
    "exit": _said("exit_code", mark="exit"),
    "timeout": _named("timeout"),
}

UNTYPED: dict[str, Form] = {
    "file_search_result": _said("text", mark="file"),
    "shell_output": _said("stdout", "stderr", "outcome"),
    "resource": _said("text"),
    "function": _call("arguments"),  # a call of OpenAI's chat, inside its own field; AutoGen's
    "custom": _call("input"),
    "execution": _result("content"),  # AutoGen's
    "remembered": _result("content", tool="memory"),
    "picture": _named("image"),
}
"""Of what has no `type` of its own: its place says what it is."""

KEYED: dict[str, Form] = {
    "text": _said("text"),
    "function_call": _call("args"),
    "function_response": _result("response", "parts", data=True),
    "tool_call": _call("args", tool="tool_type"),
    "tool_response": _result("response", tool="tool_type", data=True),
    "executable_code": _call("code", tool="code_execution"),
    "code_execution_result": _result("output", "outcome", tool="code_execution"),
    "inline_data": _named("inline_data"),
    "file_data": _named("file_data"),
    "audio_transcription": _said("text"),
}
"""Gemini's parts, by the field that holds one."""
