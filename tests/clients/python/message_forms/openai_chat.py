"""Plain messages, and those of OpenAI's chat."""

from tests.clients.python.message_forms.writing import ASKED, TEXT, Form, answers, asks

FORMS: dict[str, Form] = {
    "plain string": ("渡轮九点开。", [("", "", "渡轮九点开。")]),
    "plain pair": (("human", "When does it leave?"), [("user", "", "When does it leave?")]),
    "plain dict": (
        {"role": "user", "name": "Ada", "content": "Which pier?"},
        [("user", "Ada", "Which pier?")],
    ),
    "openai text and image": (
        asks(TEXT, {"type": "image_url", "image_url": {"url": "https://host/map.png"}}),
        [("user", "", "Ferries leave at nine.\n[image_url https://host/map.png]")],
    ),
    "openai image of bytes": (
        asks({"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBO"}}),
        [("user", "", "[image_url]")],
    ),
    "openai file": (
        asks({"type": "file", "file": {"filename": "fares.pdf", "file_data": "JVBE"}}),
        [("user", "", "[file fares.pdf]")],
    ),
    "openai audio in": (
        asks({"type": "input_audio", "input_audio": {"data": "UklG"}}),
        [("user", "", "[input_audio]")],
    ),
    "openai refusal part": (
        answers({"type": "refusal", "refusal": "I cannot open the vault."}),
        [("assistant", "", "[refusal] I cannot open the vault.")],
    ),
    "openai refusal": (
        {"role": "assistant", "content": None, "refusal": "I cannot forge tickets."},
        [("assistant", "", "[refusal] I cannot forge tickets.")],
    ),
    "openai call": (
        {
            "role": "assistant",
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "ferry_prices", "arguments": '{"to": "Naxos"}'},
                }
            ],
        },
        [("assistant", "", ASKED)],
    ),
    "openai custom call": (
        {
            "role": "assistant",
            "content": "Let me see.",
            "tool_calls": [
                {"id": "c2", "type": "custom", "custom": {"name": "shell", "input": "ls\nharbour"}}
            ],
        },
        [("assistant", "", "Let me see.\n[tool shell] ls\nharbour")],
    ),
    "openai old call": (
        {
            "role": "assistant",
            "content": None,
            "function_call": {"name": "tides", "arguments": '{"day": "Friday"}'},
        },
        [("assistant", "", '[tool tides] {"day": "Friday"}')],
    ),
    "openai result": (
        {"role": "tool", "tool_call_id": "c9", "content": [{"type": "text", "text": "42 euros"}]},
        [("tool", "", "42 euros")],
    ),
    "openai old result": (
        {"role": "function", "name": "tides", "content": "high at noon"},
        [("tool", "tides", "high at noon")],
    ),
    "openai spoken": (
        {
            "role": "assistant",
            "content": None,
            "audio": {"id": "a1", "data": "UklG", "transcript": "At pier three."},
        },
        [("assistant", "", "At pier three.")],
    ),
}
