"""A node changed by a round.

Law: a node that is touched says when and at which revision; its own keywords come before those of its relations.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from core.agents.offline import naming
from core.bank.bank import Bank
from core.ids import NodeId
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
    """Returns the node as of this moment; what is not given stays."""
    return replace(
        node,
        context=node.context if context is None else context,
        keywords=node.keywords if keywords is None else keywords,
        state=node.state if state is None else state,
        update_time=moment.now,
        revision=moment.revision,
    )


def reworded(node: Node, moment: Moment, context: str, *keywords: Sequence[str]) -> Node:
    """Returns the node in a new context, with keywords besides those that its text gave it."""
    words = union(node.base_keywords, *keywords)[:MAX_KEYWORDS]
    return touched(node, moment, context=context, keywords=words)


def words_without(bank: Bank, node: Node, *gone: NodeId) -> tuple[str, tuple[str, ...]]:
    """Returns a node's context and keywords when the edges to some neighbours go: its own, and what the others lent
    it."""
    near = [bank.nodes[n] for n in sorted(bank.graph.neighbors(node.node_id)) if n not in gone]
    context = node.base_context
    for other in near:
        named = naming.name_beside(node.base_context, other.base_context, other.base_keywords)
        if any(word and word in node.context for word in (named, *other.base_keywords)):
            context = naming.related_to(context, other.base_context, other.base_keywords)
    lent = {keyword for other in near for keyword in other.base_keywords}
    kept = tuple(k for k in node.keywords if k in lent and k not in node.base_keywords)
    return (context if node.context != node.base_context else node.context), (*node.base_keywords, *kept)


def union(*parts: Iterable[Item]) -> tuple[Item, ...]:
    """Returns every item once, in the order first met."""
    return tuple(dict.fromkeys(item for part in parts for item in part))
