"""The Structurer on a model."""

from collections.abc import Sequence

import pytest

from core.agents.llm.structurer import LlmStructurer
from core.errors import AgentReplyInvalid
from core.ports.chat import ChatMessage, ReplyShape
from core.text.tokens import estimate
from tests.core.agents.llm.hostile import HOSTILE
from tests.core.agents.llm.replies import bytes_of, objections, question, said
from tests.support.scripted_chat import ScriptedChat


@pytest.mark.parametrize(
    ("content", "summary"),
    [
        ("IBM announced Condor, a chip of 1,121 qubits.", "IBM's Condor has 1,121 qubits."),
        ("IBM发布了1121量子比特的Condor芯片。", "IBM的Condor有1121个量子比特。\n数据来自发布会。"),
    ],
)
async def test_a_summary_is_taken_as_the_model_words_it(content: str, summary: str) -> None:
    chat = ScriptedChat([said(summary=summary)])

    assert await LlmStructurer(chat).structure(content, "IBM's chip", ("IBM", "芯片")) == summary

    assert content in question(chat)
    assert "context: IBM's chip\nkeywords: IBM, 芯片" in question(chat)


async def test_an_empty_summary_is_asked_again_and_given_up_in_the_end() -> None:
    chat = ScriptedChat([said(summary=""), said(summary="good")])

    assert await LlmStructurer(chat).structure("x", "", ()) == "good"
    assert "summary is empty" in objections(chat)[0]

    with pytest.raises(AgentReplyInvalid):
        await LlmStructurer(ScriptedChat([said(summary="")] * 3)).structure("x", "", ())


async def test_a_summary_without_words_is_asked_again_unless_the_content_has_none_either() -> None:
    chat = ScriptedChat([said(summary=":{"), said(summary="渡轮九点开。")])

    assert await LlmStructurer(chat).structure("渡轮早上九点开。", "", ()) == "渡轮九点开。"
    assert "summary has no words" in objections(chat)[0]
    assert await LlmStructurer(ScriptedChat([said(summary="👍")])).structure("👍👍", "", ()) == "👍"


def first_line(messages: Sequence[ChatMessage], _shape: ReplyShape) -> str:
    record = messages[1].text.split(" record]]\n")[1]
    return said(summary=record[:12].strip())


async def test_content_beyond_the_window_is_summarised_in_parts_in_order() -> None:
    chat = ScriptedChat(first_line, window=3_000)
    content = "\n\n".join(f"Fact {n:04d} is told here, at length and with care." for n in range(500))

    summary = await LlmStructurer(chat).structure(content, "Facts", ())

    lines = summary.splitlines()
    assert len(lines) == len(chat.asked) > 3
    assert lines == sorted(lines)
    assert all(estimate(messages[1].text) < 2_250 for messages, _ in chat.asked)
    assert f"Part 2 of {len(lines)}" in question(chat, 1)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_hostile_content_changes_neither_the_question_nor_the_reply(text: str) -> None:
    """Whatever the content says, the reply is read as it is: a summary that quotes it is kept."""
    quoting = f"It says: {text[:200]}"
    chat = ScriptedChat([said(summary=quoting)], window=300_000)
    plain = ScriptedChat([said(summary="x")], window=300_000)

    summary = await LlmStructurer(chat).structure(text, "c", ())
    await LlmStructurer(plain).structure("plain", "c", ())

    assert "".join(summary.split()) == "".join(
        quoting.replace("\x0b", "").replace("\x0c", "").replace("\x1c", "").split()
    )
    assert chat.asked[0][0][0] == plain.asked[0][0][0]
    assert chat.asked[0][1] == plain.asked[0][1]


async def test_the_same_content_is_asked_about_in_the_same_bytes() -> None:
    chats = [ScriptedChat(first_line, window=3_000) for _ in range(2)]
    for chat in chats:
        await LlmStructurer(chat).structure("长文。" * 3_000, "长文", ("文",))

    assert bytes_of(chats[0]) == bytes_of(chats[1])
