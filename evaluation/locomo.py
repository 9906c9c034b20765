"""Reads LoCoMo (Maharana et al. 2024, "Evaluating Very Long-Term Conversational Memory of LLM Agents").

Law: a session is an interaction at the session's date, a turn a message of its speaker, an image's caption in
brackets behind the words. Questions whose evidence names no turn are left out, and counted.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from core.ids import InteractionId
from core.usecases.bank.record import Context, Message
from evaluation.sets import EvaluationSet, Question, SetUnusable, World

CATEGORIES = {1: "1 multi-hop", 2: "2 temporal", 3: "3 open", 4: "4 single-hop", 5: "5 adversarial"}
APART = 5
_TURN = re.compile(r"D\d+:\d+")  # evidence is a list of them, though some entries hold several


def read(text: str) -> EvaluationSet:
    """Returns the set in a file's text. Raises SetUnusable."""
    try:
        conversations = json.loads(text)
        worlds = tuple(_world(each) for each in conversations)
        asked = sum(len(each["qa"]) for each in conversations)
    except (KeyError, TypeError, ValueError) as problem:
        raise SetUnusable(f"not in LoCoMo's form: {problem!r}") from None
    kept = sum(len(world.questions) for world in worlds)
    return EvaluationSet(name="LoCoMo", language="en", worlds=worlds, skipped=asked - kept)


def _world(row: Mapping[str, Any]) -> World:
    contexts = tuple(_sessions(row["conversation"]))
    known = {message.message_id for context in contexts for message in context.messages}
    return World(
        world_id=str(row["sample_id"]), contexts=contexts, questions=tuple(_questions(row["qa"], known))
    )


def _sessions(conversation: Mapping[str, Any]) -> Iterator[Context]:
    number = 1
    while f"session_{number}_date_time" in conversation:
        turns = conversation.get(f"session_{number}", ())
        if turns:
            yield Context(
                messages=tuple(_message(turn) for turn in turns),
                event_time=moment(conversation[f"session_{number}_date_time"]),
                interaction_id=InteractionId(f"session-{number}"),
            )
        number += 1


def _message(turn: Mapping[str, Any]) -> Message:
    caption = turn.get("blip_caption", "")
    text = f"{turn['text']} [{caption}]" if caption else turn["text"]
    return Message(text=text, message_id=turn["dia_id"], speaker=turn["speaker"])


def moment(text: str) -> datetime:
    """`1:56 pm on 8 May, 2023`. The set names no zone: read as UTC."""
    return datetime.strptime(text.replace(",", ""), "%I:%M %p on %d %B %Y").replace(tzinfo=UTC)


def _questions(rows: Sequence[Mapping[str, Any]], known: set[str]) -> Iterator[Question]:
    for number, row in enumerate(rows):
        named = _TURN.findall(" ".join(row["evidence"]))
        evidence = frozenset(name for name in named if name in known)
        if evidence:
            yield Question(
                question_id=f"q{number}",
                text=row["question"],
                category=CATEGORIES[row["category"]],
                evidence=evidence,
                language="en",
                answer=str(row.get("answer", "")),
                apart=row["category"] == APART,
            )
