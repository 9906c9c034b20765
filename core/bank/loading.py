"""A bank made of a store's rows, its indexes filled from snapshots as far as they go."""

from collections.abc import Mapping

from core.aggregate.aggregate import Tuning
from core.bank.bank import Bank
from core.bank.fields import node_fields
from core.bank.graph import QueryGraph
from core.bank.rows import NodeRows
from core.bank.state import BankState, other_steps_of
from core.ids import InteractionId, NodeId, SegmentRef
from core.index.giving_way import every_n, in_turns
from core.index.restoring import Cached, Texts, restore_vectors, restore_words
from core.index.rows import VectorRows


def load(state: BankState, tuning: Tuning, cached: Mapping[str, Cached] | None = None) -> Bank:
    """Returns the bank that a store's rows describe. Takes a while for a large one: call it off the loop.

    `cached` are snapshots by part, of this bank at any time or damaged: they only spare work, and are used up.
    """
    bank = Bank(state.record, state.head, tuning)
    for interaction in in_turns(state.interactions, tuning.give_way):
        bank._add_interaction(interaction)
    rows = NodeRows.of(state.nodes, bank.record.space.dimension)
    for node in in_turns(rows.nodes, tuning.give_way):
        bank.nodes[node.node_id] = node
        bank.handles.add(node.node_id)
        bank._characters += len(node.summary)
        if node.interaction_ids or node.segments:
            bank.tree.relink(None, node)
    bank.graph = QueryGraph.compiled(bank.nodes, state.edges, tuning.give_way)
    for step in other_steps_of(state):
        bank._apply_step(step)
    _restore(bank, rows.vectors, state, cached or {}, tuning)
    bank.pass_over_data(list(bank.verbatim.wanting))
    bank.insight = state.insight
    bank.relist()
    return bank


def _restore(
    bank: Bank,
    vectors: VectorRows[NodeId],
    state: BankState,
    cached: Mapping[str, Cached],
    tuning: Tuning,
) -> None:
    """Fills the indexes of a bank that has the state's nodes and interactions, from snapshots as far as they go.

    Their keys are the very ids and refs that the bank has: an equal one of its own in each index is 150 bytes a node.
    """

    def node_id(name: str) -> NodeId:
        node = bank.nodes.get(NodeId(name))
        return NodeId(name) if node is None else node.node_id

    def ref(name: str) -> SegmentRef:
        return bank.tree.order.known(ref_of(name))

    give_way = tuning.give_way
    known_node, known_ref = every_n(node_id, give_way), every_n(ref, give_way)
    restore_vectors(
        bank.node_vectors, cached.get("node_vectors"), vectors, known_node, give_way, tuning.report
    )
    node_texts = Texts(bank.nodes, every_n(node_fields, give_way))
    restore_words(bank.node_words, cached.get("node_words"), node_texts, known_node, give_way, tuning.report)

    made, interactions = state.segment_vectors or {}, bank.tree.interactions
    if not all(ref.interaction_id in interactions for ref in made):
        made = {ref: vector for ref, vector in made.items() if ref.interaction_id in interactions}
    rows = VectorRows.of(made, bank.record.space.dimension)
    rows = VectorRows(list(map(bank.tree.order.known, rows.names)), rows.matrix)
    restore_vectors(
        bank.verbatim.vectors, cached.get("segment_vectors"), rows, known_ref, give_way, tuning.report
    )
    for segment in made:
        bank.verbatim.wanting.pop(segment, None)
    refs = {ref: ref for interaction_id in interactions for ref in bank.tree.refs(interaction_id)}
    segment_texts = Texts(refs, every_n(lambda ref: {"text": bank.tree.line(ref)}, give_way))
    restore_words(
        bank.verbatim.words, cached.get("segment_words"), segment_texts, known_ref, give_way, tuning.report
    )


def ref_of(name: str) -> SegmentRef:
    interaction_id, _, index = name.rpartition(" ")
    return SegmentRef(InteractionId(interaction_id), int(index))
