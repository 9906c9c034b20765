import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agents.offline.questions import split
from core.agents.roles import SplitPrompt


@pytest.mark.parametrize(
    ("prompt", "question", "context"),
    [
        ("What is the capital of France?", "What is the capital of France?", ""),
        ("研究量子计算在2023年的最新突破", "研究量子计算在2023年的最新突破", ""),
        ("A report. Paris is big.\n\nWhere is Paris?", "Where is Paris?", "A report. Paris is big."),
        ("Summarize this:\n\nParis is big.\n\nIt rains.", "Summarize this:", "Paris is big.\n\nIt rains."),
        ("材料如下。张三是CEO。请问CEO是谁？", "请问CEO是谁？", "材料如下。张三是CEO。"),
        (
            "Paris has 2 million. How many? Answer in a word.",
            "How many? Answer in a word.",
            "Paris has 2 million.",
        ),
        ("请总结以下文档：\n\n第一段。\n\n第二段。", "请总结以下文档：", "第一段。\n\n第二段。"),
        ("Context:\nfoo.\n\nQuestion: who is foo?", "who is foo?", "Context:\nfoo."),
        (
            "A note that asks for nothing. Another one.",
            "Another one.",
            "A note that asks for nothing. Another one.",
        ),
        ("Plan B was dropped. Report 12 came.", "Report 12 came.", "Plan B was dropped. Report 12 came."),
        ("研究表明它失效了。预测值偏高。", "预测值偏高。", "研究表明它失效了。预测值偏高。"),
        (
            "It leaks. Which firm do I call? I live in Graz.",
            "Which firm do I call?",
            "It leaks. Which firm do I call? I live in Graz.",
        ),
        (
            "<context>It leaks.</context>\n<question>Whom to call</question>",
            "Whom to call",
            "<context>It leaks.</context>",
        ),
        ("It leaks.\n\n## Question\n\nthe right firm", "the right firm", "It leaks."),
        ("它漏水。\n\n问题：\n\n找哪家公司", "找哪家公司", "它漏水。"),
        ("Who are you? I like tea. It is warm.", "Who are you?", "I like tea. It is warm."),
        (" ", "", ""),
    ],
)
def test_the_question_is_taken_from_the_end_or_the_start(prompt: str, question: str, context: str) -> None:
    assert split(prompt) == SplitPrompt(question=question, context=context)


@given(
    st.lists(
        st.sampled_from(["Is it so?", "It is.", "请回答。", "是吗？", "\n\n", "Question:", " "]), max_size=8
    )
)
def test_both_parts_are_verbatim_and_a_prompt_is_never_without_a_question(parts: list[str]) -> None:
    prompt = " ".join(parts)

    found = split(prompt)

    assert found.question in prompt
    assert found.context in prompt
    assert bool(found.question) == bool(prompt.strip())
