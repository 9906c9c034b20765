"""Passages as a model sees them: fenced, numbered, short enough for its window."""

from collections.abc import Sequence
from dataclasses import replace

from core.agents.llm import windows
from core.agents.llm.fence import FENCE_TOKENS, Enclosure
from core.agents.memory_roles import Passage
from core.text.tokens import estimate


def enclosed(passage: Passage) -> Enclosure:
    """Returns a passage behind its number, turn, kind and time; its speaker is stored text, and stands inside."""
    when = f" {passage.event_time:%Y-%m-%d %H:%M}" if passage.event_time else ""
    name = f"passage {passage.number}, turn {passage.step}, {passage.kind}{when}"
    return Enclosure(
        name=name, text=f"{passage.speaker}: {passage.text}" if passage.speaker else passage.text
    )


def size(passage: Passage) -> int:
    return estimate(passage.text) + estimate(passage.speaker) + FENCE_TOKENS + 12


def fitted(passages: Sequence[Passage], most: int) -> list[Passage]:
    """Returns the passages, each short enough to be asked about with others."""
    return [shortened(passage, most) for passage in passages]


def shortened(passage: Passage, tokens: int) -> Passage:
    if size(passage) <= tokens:
        return passage
    return replace(passage, text=windows.shortened(passage.text, max(tokens - FENCE_TOKENS - 12, 1)))
