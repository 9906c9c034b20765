"""The query graph: which nodes are related. Undirected, without loops or parallel edges.

Law: the only importer of igraph. Nodes are named by their ids; igraph's vertex numbers, which
change whenever a vertex goes, never leave. Every edit is seen by the next read.

An igraph edit costs O(V + E), so the compiled graph is never edited. A node whose edges changed
since is *touched*: its whole neighbourhood stands in the tail, and the tail is asked first. A
dropped node stays in the tail as None, so that what is compiled of it is never read. Which nodes
there are is known from these two alone: a set and a dict of all ids would take 110 bytes a node.
What was read of a node stays at hand, as a sorted tuple, until it is touched.
"""

from bisect import bisect_left
from collections.abc import Collection, Container, Iterable, Mapping
from itertools import chain
from typing import NamedTuple

import igraph

from core.errors import EdgeNotFound, NodeNotFound
from core.ids import NodeId
from core.index.giving_way import MANY, GiveWay, at_once, in_turns

WORTH_COMPILING = 4_096
"""Touched nodes at the least (and a quarter of all) before the graph is compiled anew: the tail is read as fast."""
WORTH_AT_REST = 256
"""The same in a bank that rests: a tail takes more memory."""
AT_ONCE = 16
"""Nodes of a ring expanded before the limit is looked at."""


class Neighborhood(NamedTuple):
    """Nodes around others: the nearest first, then those of an earlier one first, then by id; `truncated` says that
    the limit left some out."""

    node_ids: list[NodeId]
    truncated: bool


Links = Mapping[NodeId, tuple[NodeId, ...]]
"""Outside neighbours of nodes to be merged, each with those of them it was linked to."""

_Pair = tuple[int, int]
"""An edge, its ends by their places among sorted ids."""


class _FrozenGraph:
    """An igraph graph that does not change, its vertices in the order of `ids`, which are sorted."""

    def __init__(self, ids: list[NodeId], pairs: list[_Pair]) -> None:
        self.ids = ids
        self._graph = igraph.Graph(n=len(ids), edges=pairs)

    def __contains__(self, node_id: NodeId) -> bool:
        return self._vertex(node_id) is not None

    def adjacent(self, node_id: NodeId) -> list[NodeId]:
        """Returns the neighbours of a node. Raises NodeNotFound.

        Of one: igraph's `neighborhood` of many first clears a mark for every vertex.
        """
        vertex = self._vertex(node_id)
        if vertex is None:
            raise NodeNotFound(node_id)
        return [self.ids[other] for other in self._graph.neighbors(vertex)]

    def neighborhood(
        self, node_ids: Iterable[NodeId], hops: int, limit: int | None, touched: Container[NodeId]
    ) -> Neighborhood | None:
        """As `QueryGraph.neighborhood`; None where a node is unknown here, or one that is passed through was touched.

        Expanded by igraph vertex by vertex, no further than the limit asks; its `neighborhood` of many takes as long
        at 10,000 vertices, and longer the more there are.
        """
        places = list(map(self._vertex, node_ids))
        ring = [vertex for vertex in places if vertex is not None]
        if len(ring) < len(places):
            return None
        seen = dict.fromkeys(ring)
        found: list[int] = []
        most = len(self.ids) if limit is None else limit
        passed, neighbors = list(ring), self._graph.neighbors
        for _ in range(hops):
            around: dict[int, None] = {}
            for start in range(0, len(ring), AT_ONCE):
                around |= dict.fromkeys(chain.from_iterable(map(neighbors, ring[start : start + AT_ONCE])))
                if len(found) + len(around) > most + len(seen):
                    break
            ring = [vertex for vertex in around if vertex not in seen]
            found += ring
            if len(found) > most:
                break
            seen |= around
            passed += ring
        if touched and any(self.ids[vertex] in touched for vertex in passed):
            return None
        return Neighborhood([self.ids[v] for v in found[:most]], truncated=len(found) > most)

    def _vertex(self, node_id: NodeId) -> int | None:
        vertex = bisect_left(self.ids, node_id)
        return vertex if vertex < len(self.ids) and self.ids[vertex] == node_id else None

    def pairs(self) -> list[_Pair]:
        found: list[_Pair] = self._graph.get_edgelist()
        return found


_Tail = Mapping[NodeId, Iterable[NodeId] | None]
"""Touched nodes with their neighbours; None is dropped."""


class GraphCompaction:
    """A new compiled graph in the making. `build` may run in another thread beside reads and edits of the graph."""

    def __init__(self, compiled: _FrozenGraph, tail: _Tail) -> None:
        self.touched: set[NodeId] = set()  # since the job was made; written by the graph
        self.built: _FrozenGraph | None = None
        self._compiled, self._tail = compiled, tail

    def build(self) -> None:
        """Compiles the graph as it stood when the job was made."""
        self.built = _FrozenGraph(*_merged(self._compiled, self._tail))


class QueryGraph:
    """Nodes and *related* edges. To be used from one thread; only a compaction's `build` may run in another."""

    def __init__(self, worth_compiling: int = WORTH_COMPILING) -> None:
        self._worth_compiling = worth_compiling
        self._node_count = 0
        self._edge_count = 0
        self._compiled = _FrozenGraph([], [])
        self._tail: dict[NodeId, set[NodeId] | None] = {}  # None is dropped
        self._read: dict[NodeId, tuple[NodeId, ...]] = {}  # what `neighbors` gave, of nodes untouched since
        self._job: GraphCompaction | None = None

    @classmethod
    def compiled(
        cls,
        node_ids: Iterable[NodeId],
        edges: Iterable[tuple[NodeId, NodeId]],
        give_way: GiveWay = at_once,
    ) -> "QueryGraph":
        """Returns a graph of these nodes and edges, each edge given once. Raises KeyError for one to an unknown
        node."""
        graph, ids = cls(), sorted(dict.fromkeys(node_ids))
        place = {node_id: place for place, node_id in enumerate(in_turns(ids, give_way, MANY))}
        pairs = [(place[a], place[b]) for a, b in in_turns(edges, give_way, MANY)]
        graph._compiled = _FrozenGraph(ids, pairs)
        graph._node_count, graph._edge_count = len(ids), len(pairs)
        return graph

    def __len__(self) -> int:
        return self._node_count

    def __contains__(self, node_id: NodeId) -> bool:
        return self._tail[node_id] is not None if node_id in self._tail else node_id in self._compiled

    @property
    def edge_count(self) -> int:
        return self._edge_count

    # ---- edits ----

    def add_node(self, node_id: NodeId) -> None:
        """Adds a node; one that is there stays as it is."""
        if node_id not in self:
            self._node_count += 1
            self._set_apart(node_id, set())

    def drop_node(self, node_id: NodeId) -> None:
        """Removes a node and its edges. Raises NodeNotFound."""
        others = self._touch(node_id)
        for other in others:
            self._touch(other).discard(node_id)
        self._edge_count -= len(others)
        self._node_count -= 1
        self._set_apart(node_id, None)

    def add_edge(self, node_id: NodeId, other_id: NodeId) -> None:
        """Adds an edge; one that is there stays as it is. Raises NodeNotFound, ValueError for a loop."""
        if node_id == other_id:
            raise ValueError(f"node {node_id} cannot be related to itself")
        theirs, own = self._others(other_id), self._others(node_id)
        if other_id not in own:
            self._apart(node_id, own).add(other_id)
            self._apart(other_id, theirs).add(node_id)
            self._edge_count += 1

    def drop_edge(self, node_id: NodeId, other_id: NodeId) -> None:
        """Raises EdgeNotFound, NodeNotFound."""
        if not self.has_edge(node_id, other_id):
            raise EdgeNotFound(node_id, other_id)
        self._touch(node_id).discard(other_id)
        self._touch(other_id).discard(node_id)
        self._edge_count -= 1

    def _touch(self, node_id: NodeId) -> set[NodeId]:
        """Returns the node's neighbours, to be edited. Raises NodeNotFound."""
        return self._apart(node_id, self._others(node_id))

    def _apart(self, node_id: NodeId, found: set[NodeId] | list[NodeId]) -> set[NodeId]:
        """Returns what `_others` found, to be edited."""
        others = found if isinstance(found, set) else set(found)
        self._set_apart(node_id, others)
        return others

    def _set_apart(self, node_id: NodeId, others: set[NodeId] | None) -> None:
        self._tail[node_id] = others
        self._read.pop(node_id, None)
        if self._job is not None:
            self._job.touched.add(node_id)

    # ---- reads ----

    def has_edge(self, node_id: NodeId, other_id: NodeId) -> bool:
        """Raises NodeNotFound for either."""
        if other_id not in self:
            raise NodeNotFound(other_id)
        return other_id in self._others(node_id)

    def neighbors(self, node_id: NodeId) -> tuple[NodeId, ...]:
        """Returns the neighbours, sorted. Raises NodeNotFound."""
        known = self._read.get(node_id)
        if known is None:
            known = self._read[node_id] = tuple(sorted(self._others(node_id)))
        return known

    def neighborhood(self, node_ids: Iterable[NodeId], hops: int, limit: int | None = None) -> Neighborhood:
        """Returns the nodes within `hops` of any of `node_ids`, themselves left out, at most `limit` of them.

        Raises NodeNotFound.
        """
        seen = dict.fromkeys(node_ids)
        if hops > 1:  # one hop around what was just found is at hand: see `neighbors`
            compiled = self._compiled.neighborhood(seen, hops, limit, self._tail)
            if compiled is not None:
                return compiled
        ring = list(seen)
        found: list[NodeId] = []
        known = self._read.get
        for left in range(hops, 0, -1):
            around = dict.fromkeys(chain.from_iterable([known(n) or self.neighbors(n) for n in ring]))
            ring = [n for n in around if n not in seen]
            found += ring
            if limit is not None and len(found) > limit:
                return Neighborhood(found[:limit], truncated=True)
            if left > 1:
                seen |= around
        return Neighborhood(found, truncated=False)

    def edges(self) -> list[tuple[NodeId, NodeId]]:
        """Returns every edge once, the smaller id first, sorted."""
        ids, pairs = _merged(self._compiled, self._tail)
        return [(ids[a], ids[b]) for a, b in sorted((a, b) if a < b else (b, a) for a, b in pairs)]

    def _others(self, node_id: NodeId) -> set[NodeId] | list[NodeId]:
        """Returns the node's neighbours, in no order. Raises NodeNotFound."""
        if node_id not in self._tail:
            return self._compiled.adjacent(node_id)
        others = self._tail[node_id]
        if others is None:
            raise NodeNotFound(node_id)
        return others

    # ---- compaction ----

    def compaction(self, *, at_rest: bool = False) -> GraphCompaction | None:
        """Returns a job to compile the graph as it stands, or None while it is not worth it: less is, where edits
        rest.

        Call its `build`, in another thread if you like, then `adopt` it here. A newer job makes an older one void.
        """
        least = min(self._worth_compiling, WORTH_AT_REST) if at_rest else self._worth_compiling
        if len(self._tail) < max(least, self._node_count / 4):
            return None
        tail = {node_id: None if others is None else tuple(others) for node_id, others in self._tail.items()}
        self._job = GraphCompaction(self._compiled, tail)
        return self._job

    def adopt(self, job: GraphCompaction) -> None:
        """Swaps in what `job` built; what was touched since stays in the tail. Raises ValueError if void or unbuilt."""
        if job is not self._job or job.built is None:
            raise ValueError("only the newest compaction can be adopted, and only when it is built")
        self._compiled = job.built
        self._tail = {node_id: self._tail[node_id] for node_id in job.touched}
        self._job = None


def _merged(compiled: _FrozenGraph, tail: _Tail) -> tuple[list[NodeId], list[_Pair]]:
    """Returns all ids, sorted, and every edge once: the compiled ones between untouched nodes, then the touched
    nodes' own."""
    untouched = [node_id for node_id in compiled.ids if node_id not in tail]
    touched = [node_id for node_id, others in tail.items() if others is not None]
    ids = sorted(untouched + touched)
    place = _places(ids)
    now = [-1 if node_id in tail else place[node_id] for node_id in compiled.ids]  # by vertex
    kept = [(now[a], now[b]) for a, b in compiled.pairs() if now[a] >= 0 and now[b] >= 0]
    own = [(n, o) for n, others in tail.items() for o in others or () if n < o or o not in tail]
    return ids, kept + [(place[a], place[b]) for a, b in own]


def _places(ids: list[NodeId]) -> dict[NodeId, int]:
    return {node_id: place for place, node_id in enumerate(ids)}


def inherited_links(near: Mapping[NodeId, Collection[NodeId]], gone: Iterable[NodeId] = ()) -> Links:
    """Returns the edges that one node inherits from those it stands for: every outside neighbour once.

    `near`: the neighbours of each node to be merged; `gone`: nodes that no edge leads to any more. igraph contracts
    a graph of these nodes' own edges: that takes 20 to 40 µs at any size, the whole graph 17 ms at 10,000 nodes.
    """
    merged = sorted(near)
    outside = sorted(set().union(*near.values()).difference(near, gone))
    place = _places([*merged, *outside])
    pairs = [(place[node_id], place[n]) for node_id in merged for n in near[node_id] if n in place]
    star = igraph.Graph(n=len(place), edges=pairs, edge_attrs={"of": [merged[vertex] for vertex, _ in pairs]})
    star.contract_vertices([0] * len(merged) + list(range(1, len(outside) + 1)))
    star.simplify(combine_edges=list)  # loops, which were edges between the merged, go
    ends = (outside[max(pair) - 1] for pair in star.get_edgelist())
    return {neighbor: tuple(of) for neighbor, of in zip(ends, star.es["of"], strict=True)}
