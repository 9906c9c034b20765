"""What of a step's chat messages goes to memory, and in which order."""

from typing import Any

from memorybank_client.adapters.transcript import transcript


def call(tool: str, arguments: str, call_id: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": tool, "arguments": arguments}}


STEP: list[dict[str, Any]] = [
    {"role": "system", "content": "You are careful."},
    {"role": "assistant", "content": "去查。", "tool_calls": [call("search", '{"query": "渡轮"}', "c1")]},
    {"role": "tool", "tool_call_id": "c1", "content": "渡轮九点开。"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [call("deep_retrieval", '{"node_id": "n-1"}', "c2")],
    },
    {"role": "tool", "tool_call_id": "c2", "content": "[record i-1]\nwhat memory holds"},
    {"role": "assistant", "content": [{"type": "text", "text": "At nine."}, {"type": "image_url"}]},
]


def test_a_step_is_what_was_said_called_and_found_but_not_what_memory_itself_told() -> None:
    said = transcript(STEP)

    assert [(message.role, message.speaker, message.text) for message in said] == [
        ("assistant", "", '去查。\n[tool search] {"query": "渡轮"}'),
        ("tool", "search", "渡轮九点开。"),
        ("assistant", "", '[tool deep_retrieval] {"node_id": "n-1"}'),
        ("assistant", "", "At nine.\n[image_url]"),
    ]


def test_a_verdict_comes_first_and_what_it_rests_on_behind_it() -> None:
    said = transcript(STEP, verdict=True)

    assert (said[0].role, said[0].text) == ("assistant", "At nine.\n[image_url]")
    assert {message.role for message in said[1:]} == {"evidence"}
    assert said[2].text == "渡轮九点开。"


def test_where_nothing_was_said_there_is_nothing_to_hand_over() -> None:
    assert transcript([{"role": "assistant", "content": ""}], verdict=True) == []
