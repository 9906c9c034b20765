"""Handles: short ends of ids that tell them apart."""

from random import Random

import pytest

from core.aggregate.aggregate import Tuning
from core.aggregate.handles import LEAST, Handles
from core.bank.bank import Bank
from core.bank.loading import load
from core.errors import InvalidField, NodeNotFound
from core.ids import NodeId
from tests.support.changes import Story, node_put


def test_a_handle_is_the_shortest_end_of_five_characters_or_more_that_no_other_id_has() -> None:
    handles = Handles()
    for name in ("n-01aaaaaxyz12", "n-02bbbbbxyz12", "n-03cccccq9999", "short"):
        handles.add(name)

    assert handles.of("n-03cccccq9999") == "q9999"
    assert handles.of("n-01aaaaaxyz12") == "axyz12"
    assert handles.of("n-02bbbbbxyz12") == "bxyz12"
    assert handles.of("short") == "short"


def test_each_handle_leads_to_its_own_id_alone_among_many_that_end_alike() -> None:
    random, handles = Random(3), Handles()
    names = {"n-" + "".join(random.choices("ab", k=18)) for _ in range(3_000)}
    for name in names:
        handles.add(name)

    for name in names:
        assert handles.fitting(handles.of(name)) == [name]
        assert len(handles.of(name)) >= LEAST


@pytest.mark.parametrize("reloads", [False, True])
def test_what_only_reads_takes_a_handle_and_names_both_ids_that_share_one(reloads: bool) -> None:
    story = Story()
    names = ("node-one-77777", "node-two-77777", "node-three-4qj7w")
    bank = Bank.found(story.founding(*(node_put(n, s) for s, n in enumerate(names))), story.uid, Tuning())
    bank = load(bank.state(), Tuning()) if reloads else bank

    assert bank.node_named(NodeId("4qj7w")).node_id == "node-three-4qj7w"
    assert bank.node_named(NodeId("node-one-77777")).node_id == "node-one-77777"
    with pytest.raises(InvalidField, match="node-one-77777, node-two-77777"):
        bank.node_named(NodeId("77777"))
    with pytest.raises(NodeNotFound):
        bank.node_named(NodeId("j7w"))
    with pytest.raises(NodeNotFound):
        bank.node(NodeId("4qj7w"))
