"""Which nodes and segments of a bank a query admits.

Law: reads only.
"""

from collections.abc import Callable
from dataclasses import replace

from core.bank.bank import Bank
from core.bank.query import Query
from core.ids import NodeId, SegmentRef


def node_filter(bank: Bank, query: Query) -> Callable[[NodeId], bool]:
    admits_all = query.filter.admits_all

    def allowed(node_id: NodeId) -> bool:
        return node_id not in query.exclude and (admits_all or query.filter.admits(bank.nodes[node_id]))

    return allowed


def segment_filter(bank: Bank, query: Query) -> Callable[[SegmentRef], bool] | None:
    """A segment fits by its own time and source; by keywords, labels, states and exclusion through its nodes.

    None where every segment fits.
    """
    chosen = query.filter
    if chosen.admits_all and not query.exclude:
        return None
    through_nodes = bool(chosen.keywords or chosen.labels or chosen.states or query.exclude)
    by_node = node_filter(
        bank, query._replace(filter=replace(chosen, since=None, until=None, sources=frozenset()))
    )

    def allowed(ref: SegmentRef) -> bool:
        if through_nodes:
            owners = bank.tree.nodes_of(ref)
            if not any(by_node(n) for n in owners) and (
                owners or chosen.keywords or chosen.labels or chosen.states
            ):
                return False
        if chosen.since is None and chosen.until is None and not chosen.sources:
            return True
        segment = bank.tree.segment(ref)
        return chosen.is_in_time(segment.event_time) and (
            not chosen.sources or segment.source in chosen.sources
        )

    return allowed
