"""Conflicts as values: handed over when sides are absorbed."""

from core.ids import NodeId
from core.model.conflict import ConflictStatus
from core.usecases.bank.structuring.contest import handed_over
from tests.support.changes import at, conflict


def test_the_first_side_stays_first_when_another_is_absorbed_with_it() -> None:
    before = conflict("c1", "new", "other", "old")

    after = handed_over(before, {NodeId("new"), NodeId("old")}, NodeId("heir"), at(1))

    assert [side.node_id for side in after.sides] == ["heir", "other"]
    assert after.status is ConflictStatus.OPEN


def test_a_conflict_whose_sides_are_all_absorbed_has_lost_its_point() -> None:
    before = conflict("c1", "new", "old")

    after = handed_over(before, {NodeId("new"), NodeId("old")}, NodeId("heir"), at(1))

    assert (after.status, after.close_time) == (ConflictStatus.MOOT, at(1))
