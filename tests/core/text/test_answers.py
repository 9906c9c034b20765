"""What the agent answered is found among what it read, English and Chinese."""

import pytest

from core.text.answers import answered, answered_in


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Thought: x\nFinal Answer: nine.\nObservation: a page", "nine."),
        ("思考：x\n最终答案：九点。\n观察：网页", "九点。"),
        ("assistant: I look.\n[tool search] {}\nassistant: At nine.\ntool search: a page", "At nine."),
        ('assistant: I look.\nsearch {"q": 1}\ntool search: a page', ""),
        ('[{"role": "assistant", "content": "九点。"}, {"role": "tool", "content": "网页"}]', "九点。"),
        ("No transcript at all.", ""),
    ],
)
def test_what_the_agent_answered_last_is_its_answer_whatever_it_read_afterwards(text: str, said: str) -> None:
    assert answered(text) == said


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([("assistant", "At nine."), ("tool", "a page")], "At nine."),
        ([("AI", "九点。"), ("assistant", "[tool search] {}"), ("tool", "网页")], "九点。"),
        ([("assistant", "我来查。\n[tool search] {}"), ("tool", "网页")], ""),
        (
            [("assistant", "九点。"), ("tool", "x"), ("assistant", "[tool search] {}"), ("tool", "网页")],
            "九点。",
        ),
        ([("model", "<think>hm</think>\nAt nine.")], "At nine."),
        ([("assistant", "Thought: hm\nFinal Answer: At nine.")], "At nine."),
        ([("user", "At nine.")], ""),
    ],
)
def test_of_messages_the_answer_is_the_last_that_calls_no_tool(
    messages: list[tuple[str, str]], said: str
) -> None:
    assert answered_in(messages) == said
