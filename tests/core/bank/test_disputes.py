"""Conflicts and settled pairs are found from every side, and only while they stand."""

from dataclasses import replace

from core.bank.disputes import Disputes
from core.bank.steps import PairSettle
from core.ids import NodeId
from core.model.conflict import ConflictStatus
from tests.support import changes as a


def test_an_open_conflict_is_found_from_each_side_until_it_is_closed() -> None:
    disputes, conflict = Disputes(), a.conflict("c1", "n1", "n2")
    disputes.put(conflict)
    assert disputes.open_of(NodeId("n1")) == disputes.open_of(NodeId("n2")) == [conflict]

    disputes.put(replace(conflict, status=ConflictStatus.DISMISSED))

    assert disputes.open_of(NodeId("n1")) == disputes.open_of(NodeId("n2")) == []
    assert list(disputes.conflicts) == ["c1"]


def test_a_conflict_that_changed_sides_is_found_from_the_new_ones_only() -> None:
    disputes = Disputes()
    disputes.put(a.conflict("c1", "n1", "n2"))
    moved = a.conflict("c1", "n3", "n2")

    disputes.put(moved)

    assert disputes.open_of(NodeId("n1")) == []
    assert disputes.open_of(NodeId("n3")) == [moved]


def test_a_settled_pair_is_known_from_both_ends_until_one_goes() -> None:
    disputes = Disputes()
    disputes.settle(PairSettle(node_id=NodeId("n1"), other_node_id=NodeId("n2")))
    disputes.settle(PairSettle(node_id=NodeId("n1"), other_node_id=NodeId("n3")))
    assert disputes.settled() == [("n1", "n2"), ("n1", "n3")]

    disputes.forget_pairs(NodeId("n2"))

    assert disputes.settled() == [("n1", "n3")]
    assert disputes.settled_with(NodeId("n3")) == {"n1"}
    assert disputes.settled_with(NodeId("n2")) == set()
