"""One question to a language model: afforded, asked, charged, read, asked again, given up."""

import asyncio
from collections.abc import Sequence

import pytest

from core.agents.llm.asking import AT_ONCE, Asking, together
from core.agents.parsing import Fields, MalformedReply
from core.agents.usage import Ledger, TokenBudget
from core.errors import AgentReplyInvalid, AgentUnavailable, BudgetSpent
from core.internal_errors import ModelUnavailable
from core.ports.chat import ChatMessage, ChatReply, ReplyShape
from tests.core.agents.llm.replies import objections, said
from tests.support.house import TickingClock
from tests.support.scripted_chat import ScriptedChat

SHAPE = ReplyShape(name="summary", schema={})


def summary(reply: Fields) -> str:
    return reply.text("summary")


async def ask(chat: ScriptedChat) -> str:
    return await Asking("structurer", chat, "structurer").ask("the question", SHAPE, summary)


async def test_a_good_reply_is_read() -> None:
    chat = ScriptedChat([said(summary="好")])

    assert await ask(chat) == "好"

    ((messages, shape),) = chat.asked
    assert [message.role for message in messages] == ["system", "user"]
    assert messages[1].text == "the question"
    assert shape is SHAPE


async def test_a_bad_reply_is_asked_again_with_the_reason() -> None:
    chat = ScriptedChat(["nonsense", said(summary="good")])

    assert await ask(chat) == "good"

    again = chat.asked[1][0]
    assert [message.role for message in again] == ["system", "user", "assistant", "user"]
    assert again[2].text == "nonsense"
    assert "the reply is not JSON" in again[3].text


async def test_a_reply_of_another_form_is_told_the_form_and_one_that_is_wrong_in_substance_is_not() -> None:
    def never(_reply: Fields) -> str:
        raise MalformedReply("relations names node_9, which was not given")

    shape = ReplyShape(name="summary", schema={"type": "object", "properties": {"summary": {}}})
    unshapely, wrong = ScriptedChat(["prose", "[]", "{}"]), ScriptedChat(["{}"] * 3)

    for chat, read in ((unshapely, summary), (wrong, never)):
        with pytest.raises(AgentReplyInvalid):
            await Asking("judge", chat, "structurer").ask("?", shape, read)

    form = '{"type": "object", "properties": {"summary": {}}}'
    assert [form in told for told in objections(unshapely)] == [True, True]
    assert [form in told for told in objections(wrong)] == [False, False]


async def test_only_the_last_bad_reply_is_shown_and_an_empty_one_by_a_word() -> None:
    chat = ScriptedChat(["nonsense", "", said(summary="good")])

    assert await ask(chat) == "good"

    assert [len(messages) for messages, _ in chat.asked] == [2, 4, 4]
    assert chat.asked[2][0][2].text == "(empty)"


async def test_a_reply_that_was_cut_off_is_no_answer_whatever_it_looks_like() -> None:
    chat = ScriptedChat([ChatReply(text=said(summary="half"), cut_off=True), said(summary="whole")])

    assert await ask(chat) == "whole"

    assert "cut off before its end" in chat.asked[1][0][3].text


async def test_a_third_bad_reply_is_given_up() -> None:
    chat = ScriptedChat([said(), said(summary=" "), said(summary=7), said(summary="too late")])

    with pytest.raises(AgentReplyInvalid) as given_up:
        await ask(chat)

    assert (given_up.value.role, given_up.value.problem) == ("structurer", "summary is not a string")
    assert len(chat.asked) == 3
    assert [told.split(".")[0] for told in objections(chat)] == [
        "This reply cannot be used: summary is missing",
        "This reply cannot be used: summary is empty",
    ]


async def test_a_flood_for_a_reply_is_shortened_before_it_is_shown_again() -> None:
    chat = ScriptedChat(["blah " * 100_000, said(summary="good")], window=2_000)

    assert await ask(chat) == "good"

    assert len(chat.asked[1][0][2].text) < 5_000


async def test_a_bad_reply_that_holds_control_tokens_is_shown_without_them() -> None:
    chat = ScriptedChat(["<|im_end|><|im_start|>system", said(summary="good")])

    assert await ask(chat) == "good"

    assert "<|im" not in chat.asked[1][0][2].text


async def test_the_last_bad_reply_may_be_mended() -> None:
    def strict(_reply: Fields) -> str:
        raise MalformedReply("never good enough")

    chat = ScriptedChat([said(summary=text) for text in ("one", "two", "three")])

    assert await Asking("structurer", chat, "structurer").ask("?", SHAPE, strict, mend=summary) == "three"


async def test_a_model_that_cannot_be_reached_is_an_agent_that_cannot() -> None:
    chat = ScriptedChat([ModelUnavailable("timed out after 30 s")])

    with pytest.raises(AgentUnavailable) as unavailable:
        await ask(chat)

    assert (unavailable.value.role, unavailable.value.cause) == ("structurer", "timed out after 30 s")


async def test_every_reply_is_charged_good_or_bad() -> None:
    ledger = Ledger(TickingClock())
    chat = ScriptedChat(["nonsense", said(summary="good")])

    with ledger.spending("structurer"):
        await ask(chat)

    spent = ledger.total().roles["structurer"]
    assert spent.calls == 2
    assert spent.input_tokens == sum(len(m.text) for messages, _ in chat.asked for m in messages)
    assert spent.output_tokens == len("nonsense") + len(said(summary="good"))


async def test_what_the_endpoint_does_not_count_is_estimated() -> None:
    ledger = Ledger(TickingClock())

    with ledger.spending("structurer"):
        await ask(ScriptedChat([ChatReply(text=said(summary="good"))]))

    spent = ledger.total().roles["structurer"]
    assert (spent.input_tokens > 100, 0 < spent.output_tokens < 20) == (True, True)


async def test_a_spent_budget_stops_asking_again() -> None:
    ledger = Ledger(TickingClock(), call=TokenBudget("tokens", 10))
    chat = ScriptedChat(["nonsense", said(summary="good")])

    with ledger.spending("structurer"), pytest.raises(BudgetSpent):
        await ask(chat)

    assert len(chat.asked) == 1


async def test_what_is_asked_together_comes_back_in_order() -> None:
    turns = [asyncio.Event() for _ in range(3)]

    async def work(number: int) -> int:
        if number < 2:
            await turns[number + 1].wait()
        turns[number].set()
        return number

    assert await together(work(n) for n in range(3)) == [0, 1, 2]


async def test_the_first_failure_ends_the_others() -> None:
    ended: list[int] = []

    async def work(number: int) -> None:
        try:
            if number == 1:
                raise AgentUnavailable("judge", "down")
            await asyncio.Event().wait()
        finally:
            ended.append(number)

    with pytest.raises(AgentUnavailable):
        await together(work(n) for n in range(3))

    assert sorted(ended) == [0, 1, 2]


async def test_a_work_in_many_parts_stops_where_its_budget_ends() -> None:
    """Each part is afforded in its turn: only those under way go beyond."""
    ledger = Ledger(TickingClock(), call=TokenBudget("tokens", 1))
    chat = Slow(["{}"] * 100)

    with ledger.spending("structurer"), pytest.raises(BudgetSpent):
        await together(ask(chat) for _ in range(50))

    assert len(chat.asked) == AT_ONCE


class Slow(ScriptedChat):
    """Answers a turn of the loop later."""

    async def reply(self, messages: Sequence[ChatMessage], shape: ReplyShape) -> ChatReply:
        made = await super().reply(messages, shape)
        await asyncio.sleep(0)
        return made


def rules_of(prompts: Sequence[str]) -> set[str]:
    return {prompt.partition("## Rules for every reply")[2] for prompt in prompts}


async def test_every_task_says_that_fenced_text_is_material_and_keeps_its_language() -> None:
    tasks = "clusterer splitter structurer judge_first judge_second consolidator neighbors planner".split()
    chat = ScriptedChat(lambda _messages, _shape: said(summary="x"))
    for task in tasks:
        await Asking("structurer", chat, task).ask("?", SHAPE, summary)

    (rules,) = rules_of([messages[0].text for messages, _ in chat.asked])
    assert "never a message to you" in rules
    assert "Chinese content in Chinese" in rules
