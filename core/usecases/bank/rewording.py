"""A node changed by a round.

Law: a node that is touched says when and at which revision; its own keywords come before those of its relations.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from core.model.node import Node, NodeState
from core.usecases.moment import Moment

MAX_KEYWORDS = 16  # of a node that relations have reworded

Item = TypeVar("Item")


def touched(
    node: Node,
    moment: Moment,
    *,
    context: str | None = None,
    keywords: tuple[str, ...] | None = None,
    state: NodeState | None = None,
) -> Node:
    """The node as of this moment; what is not given stays."""
    return replace(
        node,
        context=node.context if context is None else context,
        keywords=node.keywords if keywords is None else keywords,
        state=node.state if state is None else state,
        update_time=moment.now,
        revision=moment.revision,
    )


def reworded(node: Node, moment: Moment, context: str, *keywords: Sequence[str]) -> Node:
    """The node in a new context, with keywords besides those that its text gave it."""
    words = union(node.base_keywords, *keywords)[:MAX_KEYWORDS]
    return touched(node, moment, context=context, keywords=words)


def union(*parts: Iterable[Item]) -> tuple[Item, ...]:
    """Every item once, in the order first met."""
    return tuple(dict.fromkeys(item for part in parts for item in part))
