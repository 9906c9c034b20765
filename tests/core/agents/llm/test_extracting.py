"""The Extractor on a model."""

from datetime import UTC, datetime
from typing import Any

import pytest

from core.agents.llm.extracting import LlmExtractor
from core.agents.memory_roles import Candidate, Passage, PassageKind
from core.errors import AgentReplyInvalid, AgentUnavailable
from core.ports.chat import ChatMessage, ReplyShape
from tests.core.agents.llm.hostile import HOSTILE
from tests.core.agents.llm.replies import objections, question, said
from tests.support.scripted_chat import ScriptedChat

SAID = datetime(2024, 5, 8, tzinfo=UTC)
GIVEN = [
    Passage(
        number=0, kind=PassageKind.INPUT, text="I live in Oslo, 我妹妹李娜住在杭州。", event_time=SAID, step=1
    ),
    Passage(number=1, kind=PassageKind.REPLY, text="You live in Rome.", event_time=SAID, step=1),
    Passage(number=2, kind=PassageKind.TOOL_RESULT, text="The ferry costs 42 EUR.", event_time=SAID, step=2),
]


def fact(content: str, *passages: int, **other: Any) -> dict[str, Any]:
    made = {"content": content, "category": "life", "subcategory": "", "confidence": 0.9}
    return {"passages": list(passages), **made, **other}


OSLO = fact("The user lives in Oslo.", 0)


@pytest.mark.parametrize("content", ["The user lives in Oslo.", "用户的妹妹李娜住在杭州。"])
async def test_facts_are_taken_as_the_model_words_them(content: str) -> None:
    chat = ScriptedChat([said(facts=[fact(content, 0, subcategory="Home")])])

    found = await LlmExtractor(chat).extract(GIVEN, ["The user has a dog."])

    assert found == [
        Candidate(content=content, category="life", subcategory="home", confidence=0.9, passages=(0,))
    ]
    assert "passage 2, turn 2, tool result 2024-05-08 00:00" in question(chat)
    assert "The user has a dog." in question(chat)


async def test_no_fact_may_be_the_answer() -> None:
    assert await LlmExtractor(ScriptedChat([said(facts=[])])).extract(GIVEN, []) == []


@pytest.mark.parametrize(
    ("wrong", "objection"),
    [
        (fact("The user lives in Rome.", 1), "inputs and tool results alone"),
        (fact("The user lives in Bergen.", 0), "Bergen stands in none"),
        (fact("The ferry costs 420 EUR.", 2), "420 stands in none"),
        (fact("The user lives in Oslo.", 9), "names 9"),
        (fact("The user lives in Oslo."), "must name the passages"),
        (fact("The user lives in Oslo.", 0, category="gossip"), "is one of"),
    ],
)
async def test_a_fact_that_does_not_pass_is_asked_again_and_at_last_dropped(
    wrong: dict[str, Any], objection: str
) -> None:
    chat = ScriptedChat([said(facts=[OSLO, wrong]), said(facts=[OSLO])])

    found = await LlmExtractor(chat).extract(GIVEN, [])

    assert [candidate.content for candidate in found] == ["The user lives in Oslo."]
    assert objection in objections(chat)[0]


async def test_facts_that_never_pass_are_dropped_and_the_others_stand() -> None:
    chat = ScriptedChat([said(facts=[OSLO, fact("The user lives in Rome.", 1)])] * 3)

    found = await LlmExtractor(chat).extract(GIVEN, [])

    assert [candidate.content for candidate in found] == ["The user lives in Oslo."]


@pytest.mark.parametrize("reply", HOSTILE)
async def test_a_malformed_reply_is_asked_again_and_given_up(reply: str) -> None:
    with pytest.raises((AgentReplyInvalid, AgentUnavailable)):
        await LlmExtractor(ScriptedChat([reply] * 3)).extract(GIVEN, [])


async def test_more_than_a_window_holds_is_asked_in_parts() -> None:
    asked: list[str] = []

    def rule(messages: list[ChatMessage], _shape: ReplyShape) -> str:
        asked.append(messages[-1].text)
        return said(facts=[])

    long = [
        Passage(
            number=n, kind=PassageKind.INPUT, text=f"{n} " + "I live in Oslo. " * 200, event_time=SAID, step=n
        )
        for n in range(12)
    ]

    assert await LlmExtractor(ScriptedChat(rule, window=6_000)).extract(long, []) == []  # type: ignore[arg-type]
    assert len(asked) > 1
