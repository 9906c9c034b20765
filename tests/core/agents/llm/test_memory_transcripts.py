"""What the roles of users' memory are asked and answer, word for word, in both languages: as files to compare with."""

from datetime import UTC, datetime
from typing import Any

import pytest

from core.agents.faithful import problem_of_candidate, problem_of_distilled
from core.agents.llm.compressing import LlmCompressor
from core.agents.llm.extracting import LlmExtractor
from core.agents.llm.remembering import LlmDistiller, LlmSummariser
from core.agents.memory_roles import Passage, PassageKind, Purpose, Unit
from tests.core.agents.llm.replies import said
from tests.core.agents.llm.test_compressing import ROOM, STEPS, TEXT
from tests.core.agents.llm.test_distilling import CONTENT, RUNS, lessons
from tests.core.agents.llm.transcript import FOLDER, Transcribed
from tests.support.scripted_chat import ScriptedChat

WHEN = datetime(2024, 5, 8, 9, 30, tzinfo=UTC)
TITLES = {"en": "What a conversation and a run teach", "zh": "对话与执行所教的"}
TOLD = {
    "en": (
        (PassageKind.INPUT, "My sister Anna moved to Lyon yesterday. Book me the ferry!"),
        (PassageKind.REPLY, "Booked. You live in Rome, I believe."),
        (PassageKind.TOOL_RESULT, "Ferry 7 leaves at 9:00 and costs 42 EUR."),
    ),
    "zh": (
        (PassageKind.INPUT, "我妹妹李娜昨天搬到了里昂。给我订渡轮！"),
        (PassageKind.REPLY, "已订好。我想您住在罗马吧。"),
        (PassageKind.TOOL_RESULT, "7号渡轮9:00开，票价42欧元。"),
    ),
}
FACTS = {
    "en": ("The user's sister Anna moved to Lyon on 7 May 2024.", "Ferry 7 costs 42 EUR."),
    "zh": ("用户的妹妹李娜2024年5月7日搬到了里昂。", "7号渡轮票价42欧元。"),
}
WRONG = {"en": "The user lives in Rome.", "zh": "用户住在罗马。"}
BEFORE = {"en": "[1] Three ports were asked.", "zh": "[1] 问过三个港口。"}
KEYS = {"en": "Anna lives in Lyon.", "zh": "李娜住在里昂。"}


def fact(content: str, *passages: int) -> dict[str, Any]:
    more = {"category": "life", "subcategory": "", "confidence": 0.9}
    return {"passages": list(passages), "content": content, **more}


def passages(language: str) -> list[Passage]:
    return [
        Passage(number=number, kind=kind, text=text, event_time=WHEN, step=12)
        for number, (kind, text) in enumerate(TOLD[language])
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_the_roles_of_memory_ask_and_answer_as_written_down(language: str, rewrites: bool) -> None:
    anna, ferry = FACTS[language]
    script = [
        said(facts=[fact(anna, 0), fact(WRONG[language], 1)]),
        said(facts=[fact(anna, 0), fact(ferry, 2)]),
        lessons(CONTENT[language]),
        said(passages=[0], key=KEYS[language]),
        said(summary=KEYS[language]),
        said(items=[2, 3], text=TEXT[language].rpartition("\n")[0]),
        said(items=[2, 3, 4], text=TEXT[language]),
    ]
    story = Transcribed(ScriptedChat(script), TITLES[language])
    given = passages(language)

    story.tell("Facts, once refused as one of them was an agent's own word")
    found = await LlmExtractor(story).extract(given, [KEYS[language]])
    story.tell("Lessons of a run")
    told = await LlmDistiller(story).distil(RUNS[language])
    story.tell("A key")
    await LlmDistiller(story).key(given)
    story.tell("A summary")
    await LlmSummariser(story).summarise(given, 40, Unit.WORDS, Purpose.EPISODE)
    story.tell("An agent's older steps in fewer words, once refused as a decision was missing")
    compressed = await LlmCompressor(story).compress(BEFORE[language], STEPS[language], ROOM)

    assert compressed.text == TEXT[language]
    assert [candidate.content for candidate in found] == [anna, ferry]
    assert not any(problem_of_candidate(candidate, given) for candidate in found)
    assert not problem_of_distilled(told, RUNS[language])
    path = FOLDER / f"memory_{language}.md"
    if rewrites:
        path.write_text(story.text(), encoding="utf-8")
    assert story.text() == path.read_text(encoding="utf-8")
