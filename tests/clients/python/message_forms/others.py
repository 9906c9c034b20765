"""Messages of Gemini, LangChain, MCP and AutoGen."""

from tests.clients.python.message_forms.writing import ASK, ASKED, CALL, Form, asks, model

FORMS: dict[str, Form] = {
    # ---- Gemini ----
    "gemini text": (model({"text": "九点开船。"}), [("assistant", "", "九点开船。")]),
    "gemini thought": (model({"text": "hm", "thought": True}, {"text": "Yes."}), [("assistant", "", "Yes.")]),
    "gemini function_call": (
        model({"function_call": {"name": "ferry_prices", "args": ASK}, "thought_signature": b"s"}),
        [("assistant", "", ASKED)],
    ),
    "gemini functionCall": (
        model({"functionCall": {"name": "ferry_prices", "args": ASK}}),
        [("assistant", "", ASKED)],
    ),
    "gemini function_response": (
        {
            "role": "user",
            "parts": [
                {"function_response": {"name": "ferry_prices", "response": {"result": "42 euros\none way"}}}
            ],
        },
        [("tool", "ferry_prices", "42 euros\none way")],
    ),
    "gemini functionResponse": (
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "tides", "response": {"high": "noon", "low": "six"}}}],
        },
        [("tool", "tides", '{"high": "noon", "low": "six"}')],
    ),
    "gemini executable_code": (
        model(
            {"executable_code": {"language": "PYTHON", "code": "print(42)"}},
            {"code_execution_result": {"outcome": "OUTCOME_OK", "output": "42"}},
        ),
        [("assistant", "", "[tool code_execution] print(42)"), ("tool", "code_execution", "42\nOUTCOME_OK")],
    ),
    "gemini inline_data": (
        {
            "role": "user",
            "parts": [{"text": "See"}, {"inline_data": {"mime_type": "image/png", "data": b"PNG"}}],
        },
        [("user", "", "See\n[inline_data image/png]")],
    ),
    "gemini fileData": (
        {
            "role": "user",
            "parts": [{"fileData": {"fileUri": "gs://b/map.pdf", "mimeType": "application/pdf"}}],
        },
        [("user", "", "[file_data gs://b/map.pdf]")],
    ),
    "gemini tool_call": (
        model(
            {"tool_call": {"id": "g1", "tool_type": "GOOGLE_SEARCH", "args": {"q": "wind"}}},
            {
                "tool_response": {
                    "id": "g1",
                    "tool_type": "GOOGLE_SEARCH",
                    "response": {"output": "force four"},
                }
            },
        ),
        [("assistant", "", '[tool GOOGLE_SEARCH] {"q": "wind"}'), ("tool", "GOOGLE_SEARCH", "force four")],
    ),
    "gemini audio_transcription": (
        model({"audio_transcription": {"text": "Cast off."}}),
        [("assistant", "", "Cast off.")],
    ),
    # ---- LangChain and LangGraph ----
    "langchain human": ({"type": "human", "content": "Which boat?"}, [("user", "", "Which boat?")]),
    "langchain ai": (
        {"type": "ai", "content": "", "tool_calls": [CALL], "invalid_tool_calls": [], "id": "run-1"},
        [("assistant", "", ASKED)],
    ),
    "langchain call in content too": (
        {
            "type": "ai",
            "content": [{"type": "tool_use", "id": "c1", "name": "ferry_prices", "input": ASK}],
            "tool_calls": [CALL],
        },
        [("assistant", "", ASKED)],
    ),
    "langchain invalid call": (
        {
            "type": "ai",
            "content": "",
            "invalid_tool_calls": [
                {"type": "invalid_tool_call", "id": "c8", "name": "tides", "args": "{day", "error": "no JSON"}
            ],
        },
        [("assistant", "", "[tool tides] {day"), ("tool", "tides", "no JSON")],
    ),
    "langchain tool": (
        {"type": "tool", "name": "tides", "tool_call_id": "c1", "content": "low at six", "status": "success"},
        [("tool", "tides", "low at six")],
    ),
    "langchain wrapped": (
        {"type": "human", "data": {"type": "human", "content": "Back on Sunday?"}},
        [("user", "", "Back on Sunday?")],
    ),
    "langchain constructor": (
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "messages", "HumanMessage"],
            "kwargs": {"type": "human", "content": "And on Monday?"},
        },
        [("user", "", "And on Monday?")],
    ),
    "langchain refusal": (
        {"type": "ai", "content": "", "additional_kwargs": {"refusal": "I will not sink it."}},
        [("assistant", "", "[refusal] I will not sink it.")],
    ),
    "langchain blocks": (
        {
            "type": "ai",
            "content": [
                {"type": "reasoning", "reasoning": "hm"},
                {"type": "text-plain", "title": "Menu", "mime_type": "text/plain", "text": "Soup of the day"},
                {"type": "server_tool_call", "id": "s1", "name": "web_search", "args": {"q": "soup"}},
                {"type": "server_tool_result", "tool_call_id": "s1", "output": [{"title": "Lentil soup"}]},
                {"type": "video", "url": "https://host/v.mp4"},
                {"type": "audio", "base64": "UklG", "mime_type": "audio/wav"},
                {"type": "non_standard", "value": {"type": "refusal", "refusal": "No fish."}},
            ],
        },
        [
            ("assistant", "", '[document Menu] Soup of the day\n[tool web_search] {"q": "soup"}'),
            ("tool", "web_search", '[{"title": "Lentil soup"}]'),
            ("assistant", "", "[video https://host/v.mp4]\n[audio audio/wav]\n[refusal] No fish."),
        ],
    ),
    "langchain media": (
        {"type": "human", "content": [{"type": "media", "mime_type": "application/pdf", "data": "JVBE"}]},
        [("user", "", "[media application/pdf]")],
    ),
    # ---- MCP ----
    "mcp prompt": (
        {"role": "user", "content": {"type": "text", "text": "Plan a crossing."}},
        [("user", "", "Plan a crossing.")],
    ),
    "mcp result": (
        {
            "content": [{"type": "text", "text": "Sea state two."}],
            "structuredContent": {"state": 2},
            "isError": False,
        },
        [("tool", "", 'Sea state two.\n{"state": 2}')],
    ),
    "mcp result told twice": (
        {
            "content": [{"type": "text", "text": '{"state": 3}'}],
            "structuredContent": {"state": 3},
            "isError": False,
        },
        [("tool", "", '{"state": 3}')],
    ),
    "mcp resource": (
        asks(
            {
                "type": "resource",
                "resource": {"uri": "file:///log.txt", "mimeType": "text/plain", "text": "Fog at dawn."},
            }
        ),
        [("user", "", "[resource file:///log.txt] Fog at dawn.")],
    ),
    "mcp resource of bytes": (
        asks({"type": "resource", "resource": {"uri": "file:///chart.bin", "blob": "AAEC"}}),
        [("user", "", "[resource file:///chart.bin]")],
    ),
    "mcp resource_link": (
        asks(
            {
                "type": "resource_link",
                "name": "chart",
                "uri": "file:///c.svg",
                "description": "Depths of the bay",
            }
        ),
        [("user", "", "[resource_link] chart\nDepths of the bay\nfile:///c.svg")],
    ),
    "mcp image": (
        asks({"type": "image", "data": "iVBO", "mimeType": "image/png"}),
        [("user", "", "[image image/png]")],
    ),
    # ---- AutoGen ----
    "autogen TextMessage": (
        {"type": "TextMessage", "source": "user", "content": "Book it."},
        [("user", "user", "Book it.")],
    ),
    "autogen agent": (
        {"type": "TextMessage", "source": "mate", "content": "Booked."},
        [("assistant", "mate", "Booked.")],
    ),
    "autogen MultiModalMessage": (
        {"type": "MultiModalMessage", "source": "user", "content": ["Look:", {"data": "iVBO"}]},
        [("user", "user", "Look:\n[image]")],
    ),
    "autogen ToolCallRequestEvent": (
        {
            "type": "ToolCallRequestEvent",
            "source": "mate",
            "content": [{"id": "a1", "name": "ferry_prices", "arguments": '{"to": "Naxos"}'}],
        },
        [("assistant", "mate", ASKED)],
    ),
    "autogen ToolCallExecutionEvent": (
        {
            "type": "ToolCallExecutionEvent",
            "source": "mate",
            "content": [{"call_id": "a1", "name": "ferry_prices", "content": "38 euros", "is_error": False}],
        },
        [("tool", "ferry_prices", "38 euros")],
    ),
    "autogen MemoryQueryEvent": (
        {
            "type": "MemoryQueryEvent",
            "source": "mate",
            "content": [{"content": "Ada gets seasick.", "mime_type": "text/plain"}],
        },
        [("tool", "memory", "Ada gets seasick.")],
    ),
    "autogen ThoughtEvent": ({"type": "ThoughtEvent", "source": "mate", "content": "hm"}, []),
    "autogen CodeExecutionEvent": (
        {"type": "CodeExecutionEvent", "source": "mate", "result": "knots: 14"},
        [("tool", "", "knots: 14")],
    ),
    "autogen StructuredMessage": (
        {"type": "StructuredMessage[Fare]", "source": "mate", "content": {"fare": 38}},
        [("assistant", "mate", '{"fare": 38}')],
    ),
    "autogen UserInputRequestedEvent": (
        {"type": "UserInputRequestedEvent", "source": "user", "content": ""},
        [],
    ),
    "autogen AssistantMessage": (
        {
            "type": "AssistantMessage",
            "source": "mate",
            "content": [{"id": "a2", "name": "tides", "arguments": "{}"}],
        },
        [("assistant", "mate", "[tool tides] {}")],
    ),
    "autogen FunctionExecutionResultMessage": (
        {
            "type": "FunctionExecutionResultMessage",
            "content": [{"call_id": "a2", "name": "tides", "content": "high at one", "is_error": False}],
        },
        [("tool", "tides", "high at one")],
    ),
}
