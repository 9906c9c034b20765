"""The documented form: what is read, and what is refused, by name."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.documented import read
from evaluation.sets import SetUnusable

DOCUMENT = Path(__file__).parents[2] / "docs" / "evaluation.md"


def example() -> Any:
    """The example that the documentation gives."""
    (shown,) = re.findall(r"```json\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    return json.loads(shown)


def test_the_documented_example_is_read_as_it_says() -> None:
    chosen = read(json.dumps(example()))

    (world,) = chosen.worlds
    (question,) = world.questions
    assert (chosen.name, chosen.language, world.message_count) == ("harbour-zh", "zh", 3)
    assert [message.speaker for message in world.contexts[0].messages] == ["林岚", "周启"]
    assert world.contexts[0].messages[1].event_time is not None
    assert (set(question.evidence), set(question.hard_negatives)) == ({"s1-1"}, {"doc1-p1"})
    assert question.language == "zh"


def _world(form: Any) -> Any:
    return form["worlds"][0]


SLIPS: dict[str, Callable[[Any], object]] = {
    "worlds.0.questions.0.evidense": lambda form: _world(form)["questions"][0].update(evidense=["s1-1"]),
    "no message s9": lambda form: _world(form)["questions"][0].update(evidence=["s9"]),
    "message_id s1-1 comes twice": lambda form: _world(form)["interactions"][1]["messages"][0].update(
        message_id="s1-1"
    ),
    "world_id harbour comes twice": lambda form: form["worlds"].append(_world(form)),
    "event_time": lambda form: _world(form)["interactions"][0].update(event_time="2024-03-11T09:30:00"),
    "must not be blank": lambda form: _world(form)["interactions"][0]["messages"][0].update(text=" "),
    "at most 1000": lambda form: _world(form)["interactions"][0]["messages"][0].update(text="长" * 1001),
    "evidence": lambda form: _world(form)["questions"][0].update(evidence=[]),
}


@pytest.mark.parametrize("said", SLIPS)
def test_a_slip_is_refused_with_its_place(said: str) -> None:
    form = example()
    SLIPS[said](form)

    with pytest.raises(SetUnusable) as refused:
        read(json.dumps(form))

    assert said in str(refused.value)
