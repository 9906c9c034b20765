"""The Summariser and the Distiller on a model."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from core.agents.llm.remembering import LlmDistiller, LlmSummariser
from core.agents.memory_roles import KeyOpinion, Passage, PassageKind, Purpose, Unit
from core.errors import AgentReplyInvalid
from core.ports.chat import ChatMessage, ReplyShape
from tests.core.agents.llm.hostile import HOSTILE
from tests.core.agents.llm.replies import objections, question, said
from tests.support.scripted_chat import ScriptedChat


def passages(*texts: str) -> list[Passage]:
    when = datetime(2024, 5, 8, tzinfo=UTC)
    return [
        Passage(number=n, kind=PassageKind.INPUT, text=t, speaker="Ada", event_time=when, step=n + 1)
        for n, t in enumerate(texts)
    ]


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("We decided to use PostgreSQL 16.", "PostgreSQL 16 was chosen."),
        ("数据库定了，用PostgreSQL 16。", "决定使用PostgreSQL 16。"),
    ],
)
async def test_a_summary_is_taken_as_the_model_words_it(text: str, summary: str) -> None:
    chat = ScriptedChat([said(summary=summary)])

    made = await LlmSummariser(chat).summarise(passages(text), 200, Unit.WORDS, Purpose.LONG)

    assert made == summary
    assert text in question(chat)
    assert "At most 200 words." in question(chat)
    assert "turn 1, input 2024-05-08" in question(chat)


async def test_a_reply_with_a_figure_of_no_source_is_asked_for_again() -> None:
    chat = ScriptedChat([said(summary="It costs 500."), said(summary="It costs 50.")])

    made = await LlmSummariser(chat).summarise(passages("It costs 50."), 20, Unit.WORDS, Purpose.FOLDED)

    assert made == "It costs 50."
    assert "500 stands in none of the passages" in objections(chat)[0]


async def test_a_model_that_cannot_keep_to_the_length_is_given_up() -> None:
    chat = ScriptedChat([said(summary="so many words here")] * 3)

    with pytest.raises(AgentReplyInvalid):
        await LlmSummariser(chat).summarise(passages("so many words here"), 2, Unit.WORDS, Purpose.LONG)


async def test_passages_beyond_the_window_are_summarised_in_parts() -> None:
    def first_words(messages: Sequence[ChatMessage], _shape: ReplyShape) -> str:
        return said(summary="fact " + messages[1].text.split("fact ")[-1].split()[0])

    chat = ScriptedChat(first_words, window=4_000)
    many = passages(*(f"fact {n} " + "is told at length here " * 40 for n in range(60)))

    made = await LlmSummariser(chat).summarise(many, 50, Unit.WORDS, Purpose.LONG)

    assert made
    assert len(chat.asked) > 2


async def test_a_key_rests_on_passages_that_were_given() -> None:
    chat = ScriptedChat([said(passages=[7], key="x"), said(passages=[0], key="Budget: 50.")])

    made = await LlmDistiller(chat).key(passages("The budget is 50.", "Fine."))

    assert made == KeyOpinion(text="Budget: 50.", passages=(0,))
    assert "numbers go from 0 to 1" in objections(chat)[0]


@pytest.mark.parametrize("text", HOSTILE)
async def test_what_was_said_stays_inside_its_fence(text: str) -> None:
    chat = ScriptedChat([said(passages=[0], key="a key")])

    await LlmDistiller(chat).key(passages(text))

    mark = question(chat).splitlines()[0].removeprefix("Fence mark: ")
    assert question(chat).count(f"[[{mark} ") == 2
