"""The Compressor on a model."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from core.agents.llm.compressing import LlmCompressor
from core.agents.memory_roles import Compression
from core.errors import AgentReplyInvalid
from core.model.invocation import Item, ItemType
from core.text.tokens import estimate
from tests.core.agents.llm.hostile import HOSTILE
from tests.core.agents.llm.replies import fences, objections, question, said
from tests.support.scripted_chat import ScriptedChat

WHEN = datetime(2024, 5, 8, tzinfo=UTC)
ROOM = 400


def item(number: int, type_: ItemType, content: str, **more: Any) -> Item:
    return replace(Item(number=number, step=number, type=type_, content=content, event_time=WHEN), **more)


STEPS = {
    "en": (
        item(1, ItemType.THOUGHT, "The date may be in another form."),
        item(2, ItemType.OBSERVATION, "DateError: use YYYY-MM-DD", tool="ferry", failed=True),
        item(3, ItemType.OBSERVATION, "Ferry 7, 42 EUR, two seats left", tool="ferry"),
        item(4, ItemType.DECISION, "We take ferry 7. It is the cheapest."),
    ),
    "zh": (
        item(1, ItemType.THOUGHT, "日期的写法也许不对。"),
        item(2, ItemType.OBSERVATION, "错误：请用YYYY-MM-DD", tool="ferry", failed=True),
        item(3, ItemType.OBSERVATION, "7号渡轮，42欧元，还有两个座位", tool="ferry"),
        item(4, ItemType.DECISION, "决定坐7号渡轮。它最便宜。"),
    ),
}
TEXT = {
    "en": "[2] ferry: DateError, dates are YYYY-MM-DD\n[3] ferry 7 costs 42 EUR\n[4] ferry 7 is taken",
    "zh": "[2] ferry：错误，日期要写成YYYY-MM-DD\n[3] 7号渡轮42欧元\n[4] 坐7号渡轮",
}


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_steps_are_told_as_the_model_words_them(language: str) -> None:
    chat = ScriptedChat([said(items=[2, 3, 4], text=TEXT[language])])

    told = await LlmCompressor(chat).compress("", STEPS[language], ROOM)

    assert told == Compression(text=TEXT[language], items=(2, 3, 4))
    assert "At most 400 tokens: 200 English words, or 280 Chinese characters." in question(chat)
    assert [name for name, _ in fences(question(chat))] == [
        "item 1, step 1, thought",
        "item 2, step 2, observation, failed",
        "item 3, step 3, observation",
        "item 4, step 4, decision",
    ]


@pytest.mark.parametrize(
    ("reply", "objection"),
    [
        (said(items=[2, 3], text="[2] ferry: DateError\n[3] 42 EUR"), "item 4 must stay"),
        (said(items=[3, 4], text="[3] 42 EUR\n[4] ferry 7 is taken"), "item 2 must stay"),
        (said(items=[2, 3, 4], text="[4] a ferry is taken"), "item 3 is named"),
        (said(items=[2, 3, 4], text="[3] ferry 7 costs 43 EUR"), "43 stands in none"),
        (said(items=[2, 3, 4], text="[3] call book_ferry: 42 EUR"), "book_ferry stands in none"),
        (said(items=[2, 3, 4, 9], text=TEXT["en"]), "names 9"),
        (said(items=[0, 2, 3, 4], text=TEXT["en"]), "items that were given"),
        (said(items=[2, 3, 4], text="…"), "no words"),
        (said(items=[2, 3, 4], text="ferry 7 is taken for 42 EUR. " * 90), "and may take 400"),
    ],
)
async def test_a_text_that_leaves_out_what_must_stay_or_invents_is_asked_again(
    reply: str, objection: str
) -> None:
    chat = ScriptedChat([reply, said(items=[2, 3, 4], text=TEXT["en"])])

    told = await LlmCompressor(chat).compress("", STEPS["en"], ROOM)

    assert told.text == TEXT["en"]
    assert objection in objections(chat)[0]


async def test_what_finds_no_room_may_be_missing() -> None:
    text = "[4] ferry 7 is taken"
    chat = ScriptedChat([said(items=[4], text=text)])

    told = await LlmCompressor(chat).compress("", STEPS["en"], estimate(text) + 20)

    assert told.items == (4,)
    assert len(chat.asked) == 1


async def test_what_was_kept_before_is_carried_on() -> None:
    before, after = "[1] 18 ports were asked", "[1] 18 ports were asked\n" + TEXT["en"]
    chat = ScriptedChat([said(items=[2, 3, 4], text=TEXT["en"]), said(items=[2, 3, 4], text=after)])

    told = await LlmCompressor(chat).compress(before, STEPS["en"], ROOM)

    assert told.text == after
    assert fences(question(chat))[0] == ("kept", before)
    assert "18 was told before and is missing" in objections(chat)[0]


async def test_results_beyond_the_window_are_shortened_and_keep_their_errors_and_figures() -> None:
    noise = "and so it goes on without an end " * 280
    long = item(3, ItemType.OBSERVATION, f"{noise}\nTimeoutError: no answer\n{noise} 4711 EUR", tool="ferry")
    text = "[3] ferry: TimeoutError: no answer; 4711 EUR"
    chat = ScriptedChat([said(items=[3], text=text)], window=4_000)

    await LlmCompressor(chat).compress("", (long,), ROOM)

    shown = fences(question(chat))[0][1]
    assert "TimeoutError: no answer" in shown
    assert estimate(question(chat)) < 4_000


@pytest.mark.parametrize("reply", HOSTILE)
async def test_a_malformed_reply_is_given_up_after_three(reply: str) -> None:
    with pytest.raises(AgentReplyInvalid):
        await LlmCompressor(ScriptedChat([reply] * 3)).compress("", STEPS["en"], ROOM)


@pytest.mark.parametrize("text", HOSTILE)
async def test_no_item_gets_out_of_its_fence(text: str) -> None:
    chat = ScriptedChat([said(items=[1], text="nothing")] * 3)

    with_text = (item(1, ItemType.DECISION, text or "-"),)
    told = await LlmCompressor(chat).compress("", with_text, ROOM)

    assert told.text == "nothing"
    assert len(fences(question(chat))) == 1
