from itertools import pairwise

from core.aggregate.aggregate import Tuning
from core.bank.bank import Bank
from core.bank.graph import QueryGraph
from core.bank.loading import load as load_bank
from core.bank.steps import InteractionAdd, Step
from core.ids import InteractionId, NodeId
from core.index.compiled_vectors import VectorSettings
from core.index.giving_way import FEW, MANY, InTurns, every_n, in_turns
from core.index.restoring import IndexSnapshot, opened
from tests.support import changes as a

NODES = 4 * FEW


class Counted:
    """A GiveWay that knows how often it was called."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> None:
        self.times += 1


def steps(nodes: int) -> list[Step]:
    texts = [f"segment {number} 河边" for number in range(nodes)]
    told = InteractionAdd(interaction=a.interaction("i1", *texts))
    known = {"interaction_ids": (InteractionId("i1"),)}
    return [told, *(a.node_put(f"node-{number}", number, **known) for number in range(nodes))]


def test_it_is_given_way_between_portions_and_neither_before_nor_after() -> None:
    counted, seen = Counted(), []

    for item in in_turns(range(6), counted, portion=2):
        seen.append((item, counted.times))

    assert seen == [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (5, 2)]
    assert counted.times == 2


def test_a_function_that_is_called_often_gives_way_between_portions_of_calls() -> None:
    counted = Counted()
    written = every_n(str, counted, portion=3)

    found = [written(number) for number in range(7)]

    assert found == ["0", "1", "2", "3", "4", "5", "6"]
    assert counted.times == 2


def test_who_compiles_a_graph_gives_way_and_has_the_same_graph() -> None:
    counted = Counted()
    ids = [NodeId(f"{number:05}") for number in range(3 * MANY)]
    edges = list(pairwise(ids))

    graph = QueryGraph.compiled(ids, edges, counted)

    assert (len(graph), graph.edges()) == (len(ids), edges)
    assert counted.times >= 4  # of nodes three portions, and of edges


def test_a_mapping_in_turns_is_the_same_mapping() -> None:
    counted, inner = Counted(), {"one": 1, "two": 2, "three": 3}

    outer = InTurns(inner, counted, portion=1)

    assert dict(outer) == inner
    assert list(outer.values()) == [1, 2, 3]
    assert (len(outer), outer.get("two"), "four" in outer) == (3, 2, False)
    assert counted.times == 4  # twice gone through


def test_who_loads_a_bank_gives_way_and_has_the_same_bank() -> None:
    story, counted = a.Story(), Counted()
    before = Bank.found(story.founding(*steps(NODES)), story.uid, Tuning())

    after = load_bank(before.state(), Tuning(give_way=counted))

    assert (after.nodes, after.tree.interactions) == (before.nodes, before.tree.interactions)
    assert after.node_words.search(["summary"], 3) == before.node_words.search(["summary"], 3)
    assert counted.times >= 2 * NODES  # for the words of each, most of all


def test_who_loads_a_bank_from_snapshots_gives_way_by_names_and_by_texts() -> None:
    story, counted = a.Story(), Counted()
    linked = VectorSettings(exact_up_to=10, scans=0)
    before = Bank.found(story.founding(*steps(NODES)), story.uid, Tuning(vectors=linked))
    for compaction in before.indexes.compactions():
        compaction.build()
        before.indexes.adopt(compaction)
    parts = ("node_words", "segment_words", "node_vectors")
    saved = before.indexes.saved
    taken = {part: IndexSnapshot(part=part, taken=saved[part].snapshot()) for part in parts}
    cached = opened({part: b"".join(snapshot.blob()) for part, snapshot in taken.items()})

    after = load_bank(before.state(), Tuning(vectors=linked, give_way=counted), cached)

    rows, names, texts = 1, 3, 2  # of nodes; of three snapshots; of nodes and segments
    assert not after.indexes.has_unsaved
    assert counted.times >= (rows + names + texts) * (NODES // FEW - 1)
