"""What the items of a prompt are said to take is what they weigh."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.bank.query import Hit
from core.context.bank_evidence import BankEvidence, bank_sections, candidate_of
from core.context.conversing import Talk, conversation_sections
from core.context.evidence import Placement, Source
from core.context.memories import memory_sections
from core.context.sections import Item, Section
from core.context.turns import name_of
from core.conversation.recalling import RecalledConversation
from core.ids import InteractionId, NodeId, SegmentRef
from core.language import Wording
from core.language.en.headings import CONTEXT as WORDS
from core.language.en.headings import TASK as ENGLISH
from core.language.zh.headings import TASK as CHINESE
from core.model.conversation import StepRange, Summary, SummaryKind
from core.model.interaction import Segment
from core.model.node import NodeState
from core.text.tokens import weight
from tests.support.changes import START, node
from tests.support.conversations import turn

TEXTS = (
    "Ada moved to Lisbon.",
    "two lines\nand a last break\n",
    "\u2028other\x0bbreaks\r\nthan\x85these",
    "她搬到了里斯本。",
    "  Thought: where to?\nFinal Answer: Lisbon ",
    "a long one. " * 60,
)


def segment(ref: SegmentRef) -> Segment:
    return segment_of(ref.index, TEXTS[ref.index])


def segment_of(number: int, text: str, **more: object) -> Segment:
    ref = SegmentRef(InteractionId("i1"), number)
    made = Segment(ref=ref, text=text, offset=0, event_time=START, speaker="Ben", node_ids=(NodeId("n1"),))
    return replace(made, **more)  # type: ignore[arg-type]


def require_right(sections: Iterable[Section]) -> list[Item]:
    items = [item for section in sections for item in section.items]
    for item in items:
        assert item.takes in (0, weight(item.full))
        assert item.short_takes in (0, weight(item.short))
    return items


@pytest.mark.parametrize("words", [ENGLISH, CHINESE])
@pytest.mark.parametrize("state", list(NodeState))
def test_those_of_a_node(words: Wording, state: NodeState) -> None:
    found = node("n1", summary="\n".join(TEXTS), context=TEXTS[2], state=state)
    hits = [Hit(0.5, 0.5, 0.5, found)]
    for attempts in (frozenset[NodeId](), frozenset({NodeId("n1")})):
        items = require_right(memory_sections(hits, [node("n2")], (), words, segment, attempts))

        assert all(item.takes for item in items)


@pytest.mark.parametrize("words", [ENGLISH, CHINESE])
def test_those_of_what_was_said(words: Wording) -> None:
    said = [segment_of(number, text) for number, text in enumerate(TEXTS)]
    hits = [Hit(0.9, 0.9, 0.9, segment=each) for each in said]
    candidates = [candidate_of(each) for each in said]
    found = BankEvidence(
        source=Source(candidates, np.zeros((len(said), 0), dtype=np.bool_), np.zeros(len(said))),
        shown={each.name: hit for each, hit in zip(candidates, hits, strict=True)},
        handles={"n1": "n1"},
        nodes=[],
        neighbors=[],
        attempts=(),
    )
    placement = Placement({each.name: 0.5 for each in candidates}, {}, {})

    items = require_right(bank_sections(found, placement, words, 100_000))

    assert len(items) == len(TEXTS)


def test_those_of_summaries_and_turns_of_both_forms() -> None:
    times = dict.fromkeys(("start_time", "end_time", "create_time"), START)
    summaries = [
        Summary(
            summary_id=f"s{number}",
            kind=SummaryKind.LONG,
            ranges=(StepRange(first_step=1, last_step=10),),
            text=text,
            **times,
        )
        for number, text in enumerate((*TEXTS, "\n".join(TEXTS * 9)))
    ]
    named: list[dict[str, Any]] = [{}, {"input_speaker": "Ann\nLee"}, {"reply_speaker": " "}] * 2
    turns = {
        step: turn(step, text, "yes. " * 200, **speakers)
        for step, (text, speakers) in enumerate(zip(TEXTS, named, strict=True), start=1)
    }
    recalled = RecalledConversation(
        keys=(),
        promoted=(),
        summaries=summaries,
        invocations=(),
        clusters=(),
        turns=(1, 2, 3),
        short=[turns[4], turns[5], turns[6]],
        best={step: SegmentRef(InteractionId("i"), step) for step in turns},
        turn=turns.__getitem__,
    )
    talk = Talk(recalled=recalled, turns=turns, in_reply=frozenset(), lying=())
    placement = Placement({name_of(step): 0.5 for step in turns}, {}, {})
    for _ in range(2):  # made, then kept
        items = require_right(conversation_sections(talk, placement, WORDS, 100_000, 100_000))

        assert all(item.takes for item in items)
        assert any(item.short and item.short != item.full for item in items)
