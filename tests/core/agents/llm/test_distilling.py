"""What a run teaches, on a model."""

from datetime import UTC, datetime
from typing import Any

import pytest

from core.agents.llm.remembering import LlmDistiller
from core.agents.memory_roles import Execution
from core.errors import AgentReplyInvalid
from core.model.invocation import Item, ItemType
from tests.core.agents.llm.hostile import HOSTILE
from tests.core.agents.llm.replies import objections, question, said
from tests.support.scripted_chat import ScriptedChat

WHEN = datetime(2024, 5, 8, tzinfo=UTC)


def item(
    number: int, type_: ItemType, content: str, tool: str = "", arguments: str = "", **other: Any
) -> Item:
    return Item(
        number=number,
        step=number,
        type=type_,
        content=content,
        event_time=WHEN,
        tool=tool,
        arguments_json=arguments,
        **other,
    )


RUNS = {
    "en": Execution(
        query="Book the ferry for 5 May.",
        items=(
            item(1, ItemType.ACTION, "", "book_ferry", '{"date": "5 May"}'),
            item(2, ItemType.OBSERVATION, "the date must be YYYY-MM-DD", "book_ferry", failed=True),
            item(3, ItemType.ACTION, "", "book_ferry", '{"date": "2024-05-05"}'),
            item(4, ItemType.OBSERVATION, "booked, 42 EUR", "book_ferry"),
        ),
        result="Booked for 42 EUR.",
        succeeded=True,
    ),
    "zh": Execution(
        query="预订5月5日的渡轮。",
        items=(
            item(1, ItemType.ACTION, "", "book_ferry", '{"date": "5月5日"}'),
            item(2, ItemType.OBSERVATION, "日期格式必须是YYYY-MM-DD", "book_ferry", failed=True),
            item(3, ItemType.ACTION, "", "book_ferry", '{"date": "2024-05-05"}'),
            item(4, ItemType.OBSERVATION, "已预订，42欧元", "book_ferry"),
        ),
        result="已预订，42欧元。",
        succeeded=True,
    ),
}
CONTENT = {"en": "Give book_ferry dates as YYYY-MM-DD.", "zh": "调用 book_ferry 时日期要写成YYYY-MM-DD。"}


def lessons(content: str, items: tuple[int, ...] = (2, 3), **other: Any) -> str:
    made = {"items": list(items), "content": content, "detail": ""}
    told = {"failure": "", "failure_items": [], "steps": ["book_ferry"], "outcome": "42", "lessons": ""}
    return said(strategies=[made] if content else [], **{**told, **other})


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_strategies_are_taken_as_the_model_words_them(language: str) -> None:
    chat = ScriptedChat([lessons(CONTENT[language])])

    told = await LlmDistiller(chat).distil(RUNS[language])

    assert [(one.content, one.items) for one in told.strategies] == [(CONTENT[language], (2, 3))]
    assert told.episode is not None
    assert told.episode.goal == RUNS[language].query
    assert told.failure is None
    assert "item 2, step 2, observation, failed" in question(chat)


@pytest.mark.parametrize(
    ("reply", "objection"),
    [
        (lessons("Use `sail_ferry` instead."), "sail_ferry stands in none"),
        (lessons("It costs 430 EUR."), "430 stands in none"),
        (lessons("Dates are YYYY-MM-DD.", ()), "must name the items"),
        (lessons("Dates are YYYY-MM-DD.", (9,)), "names 9"),
        (lessons("", failure="The port was closed."), "must name the items"),
        (lessons("x" * 401), "1 to 400 characters"),
        (lessons("", steps=["a"] * 21), "20 steps"),
        (lessons("", lessons="Pay 99 EUR next time."), "99 stands in none"),
    ],
)
async def test_a_lesson_that_nothing_in_the_run_supports_is_asked_again(reply: str, objection: str) -> None:
    chat = ScriptedChat([reply, lessons("")])

    told = await LlmDistiller(chat).distil(RUNS["en"])

    assert told.strategies == ()
    assert objection in objections(chat)[0]


async def test_a_run_of_one_call_asks_no_model() -> None:
    one = Execution(query="q", items=RUNS["en"].items[2:], result="r", succeeded=True)

    assert (await LlmDistiller(ScriptedChat([])).distil(one)).episode is None


@pytest.mark.parametrize("reply", HOSTILE[:12])
async def test_a_malformed_reply_is_given_up_after_three(reply: str) -> None:
    with pytest.raises(AgentReplyInvalid):
        await LlmDistiller(ScriptedChat([reply] * 3)).distil(RUNS["en"])
