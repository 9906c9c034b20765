"""Nodes in a prompt: as fenced texts, under short names that stand for their ids.

Law: ids never reach the model. A name says what a node is there for and counts from 1 (`node_1`,
`neighbor_2`): it is short, cannot be guessed from another prompt, and carries nothing a caller chose.
"""

from collections.abc import Sequence

from core.agents.llm import windows
from core.agents.llm.fence import FENCE_TOKENS, Enclosure
from core.agents.parsing import folded
from core.agents.roles import Topic
from core.text.tokens import estimate

LONGEST_LINE = 200  # tokens of a context, and of all keywords: callers may have written them


def names(kind: str, count: int) -> list[str]:
    return [f"{kind}_{number}" for number in range(1, count + 1)]


def labels(context: str, keywords: Sequence[str]) -> str:
    """Returns the words a node is known by, each kind on one line, neither of any length."""
    return f"context: {_line(context)}\nkeywords: {_line(', '.join(map(folded, keywords)))}"


def _line(text: str) -> str:
    return folded(windows.shortened(text, LONGEST_LINE))


def enclosed(name: str, topic: Topic, limit: int) -> Enclosure:
    """Returns a node under its name, its summary shortened where it would take more than `limit` tokens in all."""
    head = labels(topic.context, topic.keywords)
    summary = windows.shortened(topic.summary, limit - FENCE_TOKENS - estimate(head))
    return Enclosure(name=name, text=f"{head}\nsummary:\n{summary}")


def size(part: Enclosure) -> int:
    """Estimates the tokens that a fenced text takes."""
    return estimate(part.text) + FENCE_TOKENS
