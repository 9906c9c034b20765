"""How a query is carried out in a bank: made once a request, and read by all that searches.

Law: reads only. The filters of nodes and segments are settled here, too; None admits everything, so that the most
frequent query asks nothing of any candidate.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from core.bank.bank import Bank
from core.bank.firsts import found_once
from core.bank.query import Query
from core.ids import NodeId, SegmentRef
from core.verbatim.plan import Plan, Source, planned


class BankPlan(NamedTuple):
    """A plan, and the sources of a bank that it is put to."""

    bank: Bank
    query: Query
    plan: Plan
    nodes: Source[NodeId]
    segments: Source[SegmentRef]


def plan_in(bank: Bank, query: Query, *, copies: bool = False) -> BankPlan:
    """Returns the plan of a query in a bank. `copies`: whether copies are found beside the first with their words."""
    of_nodes = of_segments = None
    if query.exclude or not query.filter.admits_all:
        of_nodes, of_segments = node_filter(bank, query), segment_filter(bank, query)
    if not copies:
        of_segments = found_once(bank, of_segments)
    return BankPlan(
        bank=bank,
        query=query,
        plan=planned(query, bank.record.space),
        nodes=Source(bank.node_words, bank.node_vectors, of_nodes),
        segments=Source(bank.verbatim.words, bank.verbatim.vectors, of_segments),
    )


def node_filter(bank: Bank, query: Query) -> Callable[[NodeId], bool]:
    """Whether a query admits a node."""
    admits_all = query.filter.admits_all

    def allowed(node_id: NodeId) -> bool:
        return node_id not in query.exclude and (admits_all or query.filter.admits(bank.nodes[node_id]))

    return allowed


def segment_filter(bank: Bank, query: Query) -> Callable[[SegmentRef], bool] | None:
    """Whether a query admits a segment: by its own time and source; by keywords, labels, states and exclusion through
    its nodes.

    None where every segment fits.
    """
    chosen = query.filter
    if chosen.admits_all and not query.exclude:
        return None
    of_nodes = bool(chosen.keywords or chosen.labels or chosen.states)
    through_nodes = of_nodes or bool(query.exclude)
    by_node = node_filter(
        bank, query._replace(filter=replace(chosen, since=None, until=None, sources=frozenset()))
    )

    def allowed(ref: SegmentRef) -> bool:
        if through_nodes:
            owners = bank.tree.nodes_of(ref)
            if (owners or of_nodes) and not any(by_node(node_id) for node_id in owners):
                return False
        if chosen.since is None and chosen.until is None and not chosen.sources:
            return True
        segment = bank.tree.segment(ref)
        return chosen.is_in_time(segment.event_time) and (
            not chosen.sources or segment.source in chosen.sources
        )

    return allowed
