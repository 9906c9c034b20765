"""LoCoMo's own form, and the published files beside the checkout, if any."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evaluation.contradictions import read_letta
from evaluation.locomo import read
from evaluation.sets import SetUnusable

SHARED = Path(__file__).parents[3] / "shared" / "data"

CONVERSATION = {
    "sample_id": "conv-1",
    "conversation": {
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "Look!", "blip_caption": "a dog"},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "Nice."},
        ],
        "session_2_date_time": "12:05 am on 9 May, 2023",
    },
    "qa": [
        {"question": "What did Ann show?", "evidence": ["D1:1; D1:2"], "category": 4},
        {"question": "What was not said?", "evidence": ["D1:2"], "category": 5},
        {"question": "What has no evidence?", "evidence": [], "category": 1},
    ],
}


def test_sessions_become_interactions_at_their_date_and_turns_messages_of_their_speaker() -> None:
    chosen = read(json.dumps([CONVERSATION]))

    (world,) = chosen.worlds
    (context,) = world.contexts
    assert context.event_time == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert [(m.message_id, m.speaker, m.text) for m in context.messages] == [
        ("D1:1", "Ann", "Look! [a dog]"),
        ("D1:2", "Ben", "Nice."),
    ]
    assert [(q.evidence, q.apart) for q in world.questions] == [
        (frozenset({"D1:1", "D1:2"}), False),
        (frozenset({"D1:2"}), True),
    ]
    assert chosen.skipped == 1


def test_another_form_is_refused() -> None:
    with pytest.raises(SetUnusable):
        read('[{"conversation": {}}]')
    with pytest.raises(SetUnusable):
        read_letta('{"facts": []}')


def test_the_published_files_are_read_whole() -> None:
    path = SHARED / "locomo_dev.json"
    if not path.is_file():
        pytest.skip("no LoCoMo beside the checkout")

    chosen = read(path.read_text(encoding="utf-8"))
    cases = read_letta((SHARED / "letta_core_memory_update_dev.jsonl").read_text(encoding="utf-8"))

    assert [world.message_count for world in chosen.worlds] == [419, 369, 663]
    assert (len(chosen.questions), chosen.skipped) == (495, 2)
    assert len(cases) == 274
