import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from core.bank.graph import WORTH_AT_REST, GraphCompaction, QueryGraph, inherited_links
from core.errors import EdgeNotFound, NodeNotFound
from core.ids import NodeId
from tests.support.scale import scaled

NAMES = [NodeId(f"n{i:02}") for i in range(14)]
names = st.sampled_from(NAMES)


def graph_of(*edges: str, worth_compiling: int = 1) -> QueryGraph:
    """ "AB" is an edge between nodes A and B, "C" a node."""
    graph = QueryGraph(worth_compiling)
    for edge in edges:
        for name in edge:
            graph.add_node(NodeId(name))
        if len(edge) == 2:
            graph.add_edge(NodeId(edge[0]), NodeId(edge[1]))
    return graph


def compacted(graph: QueryGraph) -> QueryGraph:
    job = graph.compaction()
    assert job is not None
    job.build()
    graph.adopt(job)
    return graph


def ids(text: str) -> list[NodeId]:
    return [NodeId(name) for name in text]


class AgainstADict(RuleBasedStateMachine):
    """Random edits, with compactions begun, built and adopted in between, against a dict of sets."""

    def __init__(self) -> None:
        super().__init__()
        self.graph = QueryGraph(worth_compiling=1)
        self.model: dict[NodeId, set[NodeId]] = {}
        self.job: GraphCompaction | None = None

    def drop_from_model(self, name: NodeId) -> None:
        for other in self.model.pop(name):
            self.model[other].discard(name)

    @rule(some=st.sets(names))
    def add_nodes(self, some: set[NodeId]) -> None:
        for name in some:
            self.graph.add_node(name)
            self.model.setdefault(name, set())

    @rule(name=names)
    def drop_node(self, name: NodeId) -> None:
        if name not in self.model:
            with pytest.raises(NodeNotFound):
                self.graph.drop_node(name)
            return
        self.graph.drop_node(name)
        self.drop_from_model(name)

    @rule(pairs=st.lists(st.tuples(names, names), max_size=10))
    def add_edges(self, pairs: list[tuple[NodeId, NodeId]]) -> None:
        for a, b in pairs:
            if a == b:
                with pytest.raises(ValueError, match="itself"):
                    self.graph.add_edge(a, b)
            elif a not in self.model or b not in self.model:
                with pytest.raises(NodeNotFound):
                    self.graph.add_edge(a, b)
            else:
                self.graph.add_edge(a, b)
                self.model[a].add(b)
                self.model[b].add(a)

    @rule(a=names, b=names)
    def drop_edge(self, a: NodeId, b: NodeId) -> None:
        if b not in self.model.get(a, set()):
            with pytest.raises((EdgeNotFound, NodeNotFound)):
                self.graph.drop_edge(a, b)
            return
        self.graph.drop_edge(a, b)
        self.model[a].discard(b)
        self.model[b].discard(a)

    @rule()
    def begin_compaction(self) -> None:
        self.job = self.graph.compaction() or self.job

    @precondition(lambda self: self.job is not None)
    @rule()
    def build(self) -> None:
        assert self.job is not None
        self.job.build()

    @precondition(lambda self: self.job is not None and self.job.built is not None)
    @rule()
    def adopt(self) -> None:
        assert self.job is not None
        self.graph.adopt(self.job)
        self.job = None

    @rule(
        start=st.lists(names, max_size=3, unique=True),
        hops=st.integers(0, 3),
        limit=st.none() | st.integers(0, 6),
    )
    def look_around(self, start: list[NodeId], hops: int, limit: int | None) -> None:
        start = [name for name in start if name in self.model]
        rings = [start]
        for _ in range(hops):
            met = [name for ring in rings for name in ring]
            around = (other for name in rings[-1] for other in sorted(self.model[name]))
            rings.append(list(dict.fromkeys(other for other in around if other not in met)))
        expected = [name for ring in rings[1:] for name in ring]

        found = self.graph.neighborhood(start, hops, limit)

        assert found.node_ids == expected[:limit]
        assert found.truncated == (limit is not None and len(expected) > limit)

    @rule(some=st.sets(names, min_size=1, max_size=4), gone=st.sets(names, max_size=3))
    def merge_some(self, some: set[NodeId], gone: set[NodeId]) -> None:
        merged = sorted(some & self.model.keys())
        outside = {n for node_id in merged for n in self.model[node_id]} - {*merged, *gone}
        expected = {n: tuple(m for m in merged if n in self.model[m]) for n in outside}

        links = inherited_links({node_id: self.graph.neighbors(node_id) for node_id in merged}, gone)

        assert links == expected
        assert list(links) == sorted(expected)

    @invariant()
    def is_the_model(self) -> None:
        assert len(self.graph) == len(self.model)
        edges = sorted((a, b) for a, others in self.model.items() for b in others if a < b)
        assert self.graph.edges() == edges
        assert self.graph.edge_count == len(edges)
        for name in NAMES:
            assert (name in self.graph) == (name in self.model)
        for name, others in self.model.items():
            assert self.graph.neighbors(name) == tuple(sorted(others))


TestAgainstADict = AgainstADict.TestCase
TestAgainstADict.settings = settings(max_examples=scaled(30), stateful_step_count=50, deadline=None)


def test_a_neighbourhood_is_ordered_by_distance_and_says_when_it_was_cut() -> None:
    graph = graph_of("SZ", "SY", "ZA", "AB")

    whole = graph.neighborhood(ids("S"), hops=2)
    cut = graph.neighborhood(ids("S"), hops=3, limit=3)

    assert whole == (ids("YZA"), False)
    assert cut == (ids("YZA"), True)


def test_a_neighbourhood_that_is_cut_keeps_what_lies_around_the_first() -> None:
    graph = graph_of("SY", "SZ", "TA", "TB", "TS")

    assert graph.neighborhood(ids("ST"), hops=1, limit=3) == (ids("YZA"), True)
    assert graph.neighborhood(ids("TS"), hops=1, limit=3) == (ids("ABY"), True)


def test_a_node_that_comes_back_has_none_of_its_old_edges() -> None:
    graph = compacted(graph_of("AB", "AC"))

    graph.drop_node(NodeId("A"))
    graph.add_node(NodeId("A"))

    assert graph.neighbors(NodeId("A")) == ()
    assert graph.neighbors(NodeId("B")) == ()


def test_edits_made_while_a_compaction_is_built_are_kept() -> None:
    graph = graph_of("AB", "BC", "CD")
    job = graph.compaction()
    assert job is not None

    graph.drop_node(NodeId("B"))
    job.build()
    graph.add_edge(NodeId("A"), NodeId("D"))
    graph.adopt(job)

    assert graph.edges() == [("A", "D"), ("C", "D")]


def test_a_compaction_overtaken_by_a_newer_one_is_refused() -> None:
    graph = graph_of("AB")
    older = graph.compaction()
    assert older is not None
    older.build()
    graph.compaction()

    with pytest.raises(ValueError, match="newest"):
        graph.adopt(older)


def test_a_small_graph_is_not_worth_compiling() -> None:
    assert graph_of("AB", "BC", worth_compiling=4).compaction() is None


def test_a_tail_that_is_short_beside_writes_is_worth_compiling_at_rest() -> None:
    graph = QueryGraph()
    for number in range(WORTH_AT_REST):
        graph.add_node(NodeId(f"n{number}"))

    assert graph.compaction() is None
    assert graph.compaction(at_rest=True) is not None
