"""Messages of Anthropic's API."""

from tests.clients.python.message_forms.writing import ASK, ASKED, PNG, TEXT, Form, answers, asks, brings

FORMS: dict[str, Form] = {
    "anthropic text": (answers(TEXT), [("assistant", "", "Ferries leave at nine.")]),
    "anthropic tool_use": (
        answers(TEXT, {"type": "tool_use", "id": "t0", "name": "ferry_prices", "input": ASK}),
        [("assistant", "", f"Ferries leave at nine.\n{ASKED}")],
    ),
    "anthropic tool_result": (
        asks({"type": "tool_result", "tool_use_id": "t0", "content": "42 euros each way"}, TEXT),
        [("tool", "", "42 euros each way"), ("user", "", "Ferries leave at nine.")],
    ),
    "anthropic tool_result of blocks": (
        asks(
            brings(
                "tool_result",
                [{"type": "text", "text": "渡轮票四十二欧元"}, {"type": "image", "source": PNG}],
            )
        ),
        [("tool", "", "渡轮票四十二欧元\n[image]")],
    ),
    "anthropic thinking": (
        answers({"type": "thinking", "thinking": "hm", "signature": "s"}, TEXT),
        [("assistant", "", TEXT["text"])],
    ),
    "anthropic redacted_thinking": (answers({"type": "redacted_thinking", "data": "E"}), []),
    "anthropic image": (asks({"type": "image", "source": PNG}), [("user", "", "[image]")]),
    "anthropic document of text": (
        asks(
            {
                "type": "document",
                "title": "Fares",
                "context": "Summer",
                "source": {"type": "text", "media_type": "text/plain", "data": "A cabin costs 90 euros."},
            }
        ),
        [("user", "", "[document Fares] Summer\nA cabin costs 90 euros.")],
    ),
    "anthropic document of blocks": (
        asks(
            {
                "type": "document",
                "source": {"type": "content", "content": [{"type": "text", "text": "Bikes cost 5 euros."}]},
            }
        ),
        [("user", "", "[document] Bikes cost 5 euros.")],
    ),
    "anthropic document elsewhere": (
        asks(
            {"type": "document", "title": "Rules", "source": {"type": "url", "url": "https://host/rules.pdf"}}
        ),
        [("user", "", "[document Rules] [url https://host/rules.pdf]")],
    ),
    "anthropic search_result": (
        asks(
            {
                "type": "search_result",
                "title": "Piers",
                "source": "https://host/piers",
                "content": [{"type": "text", "text": "Pier 3 is closed."}],
            }
        ),
        [("user", "", "[search_result Piers] Pier 3 is closed.")],
    ),
    "anthropic server tools": (
        answers(
            {"type": "server_tool_use", "id": "t1", "name": "web_search", "input": {"query": "storm"}},
            brings(
                "web_search_tool_result",
                [
                    {
                        "type": "web_search_result",
                        "title": "Storm warning",
                        "url": "https://host/storm",
                        "encrypted_content": "E",
                        "page_age": None,
                    }
                ],
            ),
            {"type": "text", "text": "A storm comes."},
        ),
        [
            ("assistant", "", '[tool web_search] {"query": "storm"}'),
            ("tool", "web_search", "Storm warning\nhttps://host/storm"),
            ("assistant", "", "A storm comes."),
        ],
    ),
    "anthropic web_search error": (
        answers(
            brings(
                "web_search_tool_result",
                {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"},
            )
        ),
        [("tool", "web_search", "max_uses_exceeded")],
    ),
    "anthropic web_fetch": (
        answers(
            brings(
                "web_fetch_tool_result",
                {
                    "type": "web_fetch_result",
                    "url": "https://host/a",
                    "content": {
                        "type": "document",
                        "title": "Log",
                        "source": {"type": "text", "media_type": "text/plain", "data": "Winds of force six."},
                    },
                },
            )
        ),
        [("tool", "web_fetch", "https://host/a\n[document Log] Winds of force six.")],
    ),
    "anthropic code_execution": (
        answers(
            brings(
                "code_execution_tool_result",
                {
                    "type": "code_execution_result",
                    "stdout": "126\n",
                    "stderr": "slow",
                    "return_code": 0,
                    "content": [{"type": "code_execution_output", "file_id": "f3"}],
                },
            )
        ),
        [("tool", "code_execution", "126\n\nslow\n0\n[code_execution_output f3]")],
    ),
    "anthropic bash_code_execution": (
        answers(
            brings(
                "bash_code_execution_tool_result",
                {
                    "type": "bash_code_execution_result",
                    "stdout": "anchors aweigh",
                    "stderr": "",
                    "return_code": 0,
                    "content": [],
                },
            )
        ),
        [("tool", "bash_code_execution", "anchors aweigh\n0")],
    ),
    "anthropic text_editor view": (
        answers(
            brings(
                "text_editor_code_execution_tool_result",
                {
                    "type": "text_editor_code_execution_view_result",
                    "content": "line of the log",
                    "file_type": "text",
                },
            )
        ),
        [("tool", "text_editor_code_execution", "line of the log")],
    ),
    "anthropic text_editor replace": (
        answers(
            brings(
                "text_editor_code_execution_tool_result",
                {"type": "text_editor_code_execution_str_replace_result", "lines": ["-port", "+starboard"]},
            )
        ),
        [("tool", "text_editor_code_execution", "-port\n+starboard")],
    ),
    "anthropic tool_search": (
        answers(
            brings(
                "tool_search_tool_result",
                {
                    "type": "tool_search_tool_search_result",
                    "tool_references": [{"type": "tool_reference", "tool_name": "sextant"}],
                },
            )
        ),
        [("tool", "tool_search", "sextant")],
    ),
    "anthropic advisor": (
        answers(brings("advisor_tool_result", {"type": "advisor_result", "text": "Take the early boat."})),
        [("tool", "advisor", "Take the early boat.")],
    ),
    "anthropic advisor, encrypted": (
        answers(brings("advisor_tool_result", {"type": "advisor_redacted_result", "encrypted_content": "E"})),
        [],
    ),
    "anthropic mcp": (
        answers(
            {"type": "mcp_tool_use", "id": "t2", "name": "berths", "server_name": "harbour", "input": {}},
            {
                "type": "mcp_tool_result",
                "tool_use_id": "t2",
                "is_error": False,
                "content": [{"type": "text", "text": "Berth nine is free."}],
            },
        ),
        [("assistant", "", "[tool berths] {}"), ("tool", "berths", "Berth nine is free.")],
    ),
    "anthropic mcp_tool_listing": (
        answers({"type": "mcp_tool_listing", "mcp_server_name": "harbour", "tools": [{"name": "cranes"}]}),
        [("tool", "harbour", '[{"name": "cranes"}]')],
    ),
    "anthropic compaction": (
        answers({"type": "compaction", "content": "So far: the ferry was booked."}),
        [("assistant", "", "[compaction] So far: the ferry was booked.")],
    ),
    "anthropic container_upload": (
        asks({"type": "container_upload", "file_id": "f9"}),
        [("user", "", "[container_upload f9]")],
    ),
    "anthropic browser_state": (
        asks(
            brings(
                "tool_result",
                [{"type": "browser_state", "tabs": [{"title": "Blue Star", "url": "https://host/b"}]}],
            )
        ),
        [("tool", "", '[browser_state] [{"title": "Blue Star", "url": "https://host/b"}]')],
    ),
}
