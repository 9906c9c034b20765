"""Items of OpenAI's Responses."""

from tests.clients.python.message_forms.writing import ASKED, Form, answers, asks

FORMS: dict[str, Form] = {
    "openai input_text": (
        asks({"type": "input_text", "text": "去纳克索斯多少钱？"}, {"type": "input_image", "file_id": "f1"}),
        [("user", "", "去纳克索斯多少钱？\n[input_image f1]")],
    ),
    "openai output_text": (
        {"type": "message", "id": "m1", **answers({"type": "output_text", "text": "It costs 42 euros."})},
        [("assistant", "", "It costs 42 euros.")],
    ),
    "openai function_call": (
        {"type": "function_call", "call_id": "c3", "name": "ferry_prices", "arguments": '{"to": "Naxos"}'},
        [("assistant", "", ASKED)],
    ),
    "openai function_call_output": (
        {"type": "function_call_output", "call_id": "c3", "output": "Children pay half."},
        [("tool", "", "Children pay half.")],
    ),
    "openai output of parts": (
        {
            "type": "function_call_output",
            "call_id": "c4",
            "output": [{"type": "input_text", "text": "Dogs ride free."}],
        },
        [("tool", "", "Dogs ride free.")],
    ),
    "openai custom_tool_call": (
        {"type": "custom_tool_call", "call_id": "c5", "name": "sql", "input": "SELECT fare"},
        [("assistant", "", "[tool sql] SELECT fare")],
    ),
    "openai custom_tool_call_output": (
        {"type": "custom_tool_call_output", "call_id": "c5", "output": "17 rows"},
        [("tool", "", "17 rows")],
    ),
    "openai web_search_call": (
        {"type": "web_search_call", "id": "w1", "action": {"type": "search", "query": "Naxos timetable"}},
        [("assistant", "", '[tool web_search] {"type": "search", "query": "Naxos timetable"}')],
    ),
    "openai file_search_call": (
        {
            "type": "file_search_call",
            "id": "f1",
            "queries": ["luggage"],
            "results": [{"filename": "rules.md", "text": "Two bags are free.", "score": 0.9}],
        },
        [
            ("assistant", "", '[tool file_search] ["luggage"]'),
            ("tool", "file_search", "[file rules.md] Two bags are free."),
        ],
    ),
    "openai code_interpreter_call": (
        {
            "type": "code_interpreter_call",
            "id": "k1",
            "code": "print(3 * 42)",
            "outputs": [{"type": "logs", "logs": "126"}],
        },
        [("assistant", "", "[tool code_interpreter] print(3 * 42)"), ("tool", "code_interpreter", "126")],
    ),
    "openai computer_call": (
        {"type": "computer_call", "call_id": "c6", "action": {"type": "type", "text": "Paros"}},
        [("assistant", "", '[tool computer] {"type": "type", "text": "Paros"}')],
    ),
    "openai computer_call_output": (
        {
            "type": "computer_call_output",
            "call_id": "c6",
            "output": {"type": "computer_screenshot", "file_id": "f7"},
        },
        [("tool", "", "[computer_screenshot f7]")],
    ),
    "openai local_shell_call": (
        {"type": "local_shell_call", "call_id": "c7", "action": {"type": "exec", "command": ["ls", "piers"]}},
        [("assistant", "", '[tool local_shell] {"type": "exec", "command": ["ls", "piers"]}')],
    ),
    "openai local_shell_call_output": (
        {"type": "local_shell_call_output", "id": "c7", "output": "pier3.txt"},
        [("tool", "local_shell", "pier3.txt")],
    ),
    "openai shell_call": (
        {"type": "shell_call", "call_id": "c8", "action": {"commands": ["cat tide.txt"]}},
        [("assistant", "", '[tool shell] {"commands": ["cat tide.txt"]}')],
    ),
    "openai shell_call_output": (
        {
            "type": "shell_call_output",
            "call_id": "c8",
            "output": [
                {"stdout": "ebb at six", "stderr": "no gauge", "outcome": {"type": "exit", "exit_code": 2}}
            ],
        },
        [("tool", "shell", "ebb at six\nno gauge\n[exit] 2")],
    ),
    "openai apply_patch_call": (
        {
            "type": "apply_patch_call",
            "call_id": "c9",
            "operation": {"path": "plan.md", "diff": "-nine\n+ten"},
        },
        [("assistant", "", '[tool apply_patch] {"path": "plan.md", "diff": "-nine\n+ten"}')],
    ),
    "openai apply_patch_call_output": (
        {"type": "apply_patch_call_output", "call_id": "c9", "output": "patched plan.md"},
        [("tool", "apply_patch", "patched plan.md")],
    ),
    "openai mcp_call": (
        {
            "type": "mcp_call",
            "id": "p1",
            "name": "berths",
            "arguments": "{}",
            "output": "Berth seven is free.",
        },
        [("assistant", "", "[tool berths] {}"), ("tool", "berths", "Berth seven is free.")],
    ),
    "openai mcp_call that failed": (
        {"type": "mcp_call", "id": "p2", "name": "berths", "arguments": "{}", "error": "harbour closed"},
        [("assistant", "", "[tool berths] {}"), ("tool", "berths", "harbour closed")],
    ),
    "openai mcp_list_tools": (
        {"type": "mcp_list_tools", "server_label": "harbour", "tools": [{"name": "berths"}]},
        [("tool", "harbour", '[{"name": "berths"}]')],
    ),
    "openai mcp_approval_request": (
        {"type": "mcp_approval_request", "id": "q1", "name": "book", "arguments": '{"seat": 4}'},
        [("assistant", "", '[tool book] {"seat": 4}')],
    ),
    "openai mcp_approval_response": (
        {
            "type": "mcp_approval_response",
            "approval_request_id": "q1",
            "approve": False,
            "reason": "too dear",
        },
        [("", "", "[mcp_approval_response] false\ntoo dear")],
    ),
    "openai tool_search_call": (
        {"type": "tool_search_call", "call_id": "s1", "arguments": {"query": "berth"}},
        [("assistant", "", '[tool tool_search] {"query": "berth"}')],
    ),
    "openai tool_search_output": (
        {"type": "tool_search_output", "call_id": "s1", "tools": [{"name": "moorings"}]},
        [("tool", "tool_search", '[{"name": "moorings"}]')],
    ),
    "openai additional_tools": (
        {"type": "additional_tools", "role": "developer", "tools": [{"name": "winch"}]},
        [("developer", "", '[additional_tools] [{"name": "winch"}]')],
    ),
    "openai configuration_update": (
        {"type": "configuration_update", "text": {"verbosity": "low"}},
        [("", "", '[configuration_update] {"verbosity": "low"}')],
    ),
    "openai program": (
        {"type": "program", "call_id": "g1", "code": "moor()"},
        [("assistant", "", "[tool program] moor()")],
    ),
    "openai program_output": (
        {"type": "program_output", "call_id": "g1", "result": "moored at dusk"},
        [("tool", "program", "moored at dusk")],
    ),
    "openai image_generation_call": (
        {"type": "image_generation_call", "id": "i1", "result": "iVBO", "revised_prompt": "A white ferry"},
        [("", "", "[image_generation_call] A white ferry")],
    ),
    "openai compaction": (
        {"type": "compaction", "id": "z1", "encrypted_content": "gAAA"},
        [("", "", "[compaction]")],
    ),
    "openai item_reference": ({"type": "item_reference", "id": "m1"}, [("", "", "[item_reference]")]),
    "openai compaction_trigger": ({"type": "compaction_trigger"}, [("", "", "[compaction_trigger]")]),
    "openai reasoning": (
        {
            "type": "reasoning",
            "id": "r1",
            "summary": [{"type": "summary_text", "text": "hm"}],
            "encrypted_content": "g",
        },
        [],
    ),
}
