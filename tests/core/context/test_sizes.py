"""What the items of a prompt are said to take is what they weigh."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from core.bank.gathering import gathered
from core.bank.query import Hit
from core.context.budget import Item, Section
from core.context.conversing import conversation_sections
from core.context.memories import gathered_sections
from core.context.wording import CHINESE, ENGLISH, Wording
from core.context.words import ENGLISH as WORDS
from core.conversation.recalling import Recalled
from core.ids import InteractionId, NodeId, SegmentRef
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


def segment(number: int, text: str, **more: object) -> Segment:
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
def test_those_of_a_node_and_of_what_was_said_under_it(words: Wording, state: NodeState) -> None:
    found = node(
        "n1", summary="\n".join(TEXTS), context=TEXTS[2], state=state, segments=(segment(0, "").ref,)
    )
    said = [segment(number, text) for number, text in enumerate(TEXTS)]
    said += [replace(said[0], event_time=START + timedelta(days=2), of_failure=True)]
    hits = [Hit(0.9, 0.9, 0.9, segment=each) for each in said]
    bare = node("n3", summary=TEXTS[1], state=state)
    for own in ([Hit(0.5, 0.5, 0.5, found), Hit(0.4, 0.4, 0.4, bare)], []):
        for attempts in (frozenset[NodeId](), frozenset({NodeId("n1")})):
            memories = gathered(hits, own, {found.node_id: found})

            items = require_right(gathered_sections(memories, [node("n2")], (), words, attempts))

            assert all(item.takes for item in items)


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
    recalled = Recalled(
        keys=(),
        promoted=(),
        summaries=summaries,
        invocations=(),
        clusters=(),
        turns=(1, 2, 3),
        short=[turns[4], turns[5], turns[6]],
        ranks={step: step for step in turns},
        turn=turns.__getitem__,
    )
    for _ in range(2):  # made, then kept
        items = require_right(conversation_sections(recalled, WORDS, 100_000))

        assert all(item.takes for item in items)
        assert any(item.short and item.short != item.full for item in items)
