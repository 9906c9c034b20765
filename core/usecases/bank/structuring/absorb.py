"""Many nodes into one, as values: the merged node, and the neighbours it inherits.

Law: pure; reads the bank, changes nothing.
"""

from collections.abc import Iterable, Sequence

from core.agents.roles import Consolidation, MergeSource, Neighbor, Topic
from core.bank.bank import Bank
from core.bank.graph import Links
from core.ids import NodeId
from core.model.lineage import MergeRecord
from core.model.node import Node
from core.model.structuring import MergeMade
from core.model.vector import Vector
from core.text.data_runs import without_data
from core.usecases.moment import Moment


def embedding_text(node: Node) -> str:
    """Returns what a consolidated or reworded node embeds: summary, context, keywords, and nothing twice; of data its
    beginning, so that the words beside it count."""
    summary, context = map(without_data, (node.summary, node.context))
    told = summary if context in summary else context if summary in context else f"{summary}\n{context}"
    known = told.casefold()
    more = ", ".join(keyword for keyword in node.keywords if keyword.casefold() not in known)
    return "\n".join(filter(None, (told, more)))


def topic(node: Node) -> Topic:
    """Returns the node as an agent sees it: in its own words, not those that relations lent it."""
    return Topic(
        node_id=node.node_id, summary=node.summary, context=node.base_context, keywords=node.base_keywords
    )


def in_context(bank: Bank, node: Node) -> Topic:
    """Returns the node as the second judgement sees it: its context as its relations have worded it, to be worded
    further."""
    return Topic(
        node_id=node.node_id,
        summary=node.summary,
        context=node.context,
        keywords=node.base_keywords,
        vector=_vector_of_summary(bank, node),
    )


def _vector_of_summary(bank: Bank, node: Node) -> Vector | None:
    """Returns the vector of a segment that is all of a node, word for word; None where there is none."""
    if len(node.segments) != 1 or bank.tree.line(node.segments[0]) != node.summary:
        return None
    return bank.verbatim.vectors.get(node.segments[0])


def absorbed(nodes: Iterable[Node]) -> tuple[MergeSource, ...]:
    return tuple(MergeSource(topic=topic(node), event_time=node.event_time) for node in nodes)


def inherited(bank: Bank, links: Links) -> tuple[Neighbor, ...]:
    """Returns the neighbours as the Consolidator sees them, by id: in the words that their relations have lent them."""
    return tuple(
        Neighbor(
            node_id=node_id,
            context=bank.nodes[node_id].context,
            keywords=bank.nodes[node_id].keywords,
            neighbor_of=of,
        )
        for node_id, of in sorted(links.items())
    )


def merged_node(nodes: Sequence[Node], made: Consolidation, node_id: NodeId, moment: Moment) -> Node:
    """Returns one node for several: the newest one's event time and source, the labels and evidence of all."""
    oldest_first = sorted(nodes, key=lambda n: (n.event_time, n.node_id))
    newest = oldest_first[-1]
    return Node(
        node_id=node_id,
        summary=made.summary,
        context=made.context,
        keywords=made.keywords,
        base_context=made.context,
        base_keywords=made.keywords,
        event_time=newest.event_time,
        create_time=moment.now,
        update_time=moment.now,
        labels={key: value for node in oldest_first for key, value in node.labels.items()},
        source=newest.source,
        interaction_ids=tuple(dict.fromkeys(i for n in oldest_first for i in n.interaction_ids)),
        segments=tuple(dict.fromkeys(ref for n in oldest_first for ref in n.segments)),
        revision=moment.revision,
        writer=newest.writer,
    )


def merge_made(record: MergeRecord) -> MergeMade:
    return MergeMade(
        into_node_id=record.into, absorbed_node_ids=tuple(node.node_id for node in record.absorbed)
    )
