"""Fingerprints: what a segment says and in which place, whatever stands around it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from core.ids import InteractionId
from core.model.interaction import Interaction, Span
from core.text.segmenting import message_pieces, segment
from core.verbatim.fingerprints import Fingerprint, fingerprints
from core.verbatim.segment_order import ANSWERER, ASKER

DAY = datetime(2024, 5, 1, 9, tzinfo=UTC)
PAGE = "# Naxos\n\n## Ferries\n\nThe ferry to Naxos leaves at nine from pier 3.\n\nA ticket costs twelve euros.\n"
PAGE_ZH = "# 纳克索斯\n\n## 渡轮\n\n渡轮早上九点从三号码头出发。\n\n一张票十二欧元。\n"


def of(text: str, event_time: datetime = DAY) -> list[Fingerprint]:
    record = Interaction(
        interaction_id=InteractionId("i"),
        text=text,
        spans=segment(text),
        event_time=event_time,
        create_time=DAY,
    )
    return fingerprints(record)


def said(text: str, **fields: Any) -> list[Fingerprint]:
    """Fingerprints of one message."""
    spans = tuple(Span(start=p.start, end=p.end, **fields) for p in message_pieces(text))
    record = Interaction(
        interaction_id=InteractionId("i"), text=text, spans=spans, event_time=DAY, create_time=DAY
    )
    return fingerprints(record)


def test_headings_are_the_place_of_words_and_no_words() -> None:
    first, second = of(PAGE)

    assert first.words == "the ferry to naxos leaves at nine from pier 3"
    assert first.headings == second.headings == ("naxos", "ferries")
    assert of(PAGE_ZH)[1] == Fingerprint("一张票十二欧元", ("纳克索斯", "渡轮"), "", 0, None)


@pytest.mark.parametrize("page", [PAGE, PAGE_ZH])
@pytest.mark.parametrize(
    "step",
    [
        "Thought: I look it up.\nAction: open\nAction Input: naxos\nObservation: {page}",
        "思考：先查一下。\n行动：打开\n行动输入：naxos\n观察结果：{page}",
        "<think>Once more.</think>\n<tool_response>\n{page}</tool_response>",
    ],
)
def test_a_page_in_a_transcript_says_what_it_says_alone(page: str, step: str) -> None:
    alone = of(page)

    found = [each for each in of(step.format(page=page)) if each.words]

    assert found == alone


def test_thoughts_and_calls_say_nothing() -> None:
    step = "Thought: Once more.\n\nAction: open\n\nObservation: nine\n\nThought: Again.\n\nAction: open"

    assert [each.says_nothing for each in of(step)] == [True, True, False, True, True]


def test_a_page_behind_another_one_is_not_under_its_headings() -> None:
    both = of(f"Thought: a\nObservation: {PAGE}\nThought: b\nObservation: Nothing new today on this page.")

    assert both[-1].headings == ()


def test_an_answer_is_the_agents_and_what_it_found_is_not() -> None:
    words = "The ferry to Naxos leaves at nine."
    seen, answered = of(f"Thought: a\n\nObservation: {words}\n\nThought: b\n\nFinal Answer: {words}")[1::2]

    assert (seen.voice, answered.voice) == (0, ANSWERER)
    assert seen.words == answered.words


def test_of_a_message_counts_who_said_it_not_by_which_tool_it_was_read() -> None:
    text = "The ferry to Naxos leaves at nine."

    assert said(text, role="tool") == of(text)
    assert said(text, role="user", speaker="Ann")[0][2:4] == ("Ann", ASKER)
    assert said(text, role="user", speaker="Ann") != said(text, role="user", speaker="Bob")
    assert said(text, role="user") != said(text, role="assistant")


@pytest.mark.parametrize(
    ("text", "depends"),
    [
        ("The ferry leaves tomorrow at nine.", True),
        ("渡轮明天九点出发。", True),
        ("We met on Monday.", True),
        ("她三天前到了。", True),
        ("The ferry leaves at nine.", False),
        ("The ferry of 3 May 2024 leaves at nine.", False),
    ],
)
def test_a_stated_day_counts_where_words_depend_on_it(text: str, depends: bool) -> None:
    later = DAY + timedelta(days=1)

    assert (of(text, later) != of(text, later + timedelta(days=1))) is depends
    assert of(text)[0].day is None  # nothing was stated
