"""Copies in a bank: they stand under their node as long as it is there, and are the same after a load."""

import pytest

from core.aggregate.aggregate import Tuning
from core.bank.bank import Bank
from core.bank.loading import load
from core.bank.steps import CopiesPut, InteractionAdd, NodeDrop, Step
from core.ids import InteractionId, NodeId
from tests.support import changes as a

I1, I2 = InteractionId("i1"), InteractionId("i2")
N1 = NodeId("n1")
FIRST, COPY, OTHER = a.ref("i1", 0), a.ref("i2", 0), a.ref("i2", 1)


@pytest.fixture
def story() -> a.Story:
    return a.Story()


@pytest.fixture
def bank(story: a.Story) -> Bank:
    made = Bank.found(a.founding_with_two_nodes(story), "u1", Tuning())
    text = "公司的首席执行官是张三。"
    made.apply(story.change(InteractionAdd(interaction=a.interaction("i2", text, "Something else."))))
    return made


def change(bank: Bank, story: a.Story, *steps: Step) -> Bank:
    bank.apply(story.change(*steps))
    return bank


def test_a_copy_stands_under_its_node(bank: Bank, story: a.Story) -> None:
    change(bank, story, CopiesPut(copies=a.copies("n1", COPY)))

    assert bank.tree.nodes_of(COPY) == (N1,)
    assert bank.tree.segment(COPY).node_ids == (N1,)
    assert bank.tree.nodes_standing_for(I2) == (N1,)
    assert bank.evidence(bank.nodes[N1]) == (FIRST, COPY)
    assert bank.records(bank.nodes[N1]) == (I1, I2)
    assert bank.tree.nodes_of(OTHER) == ()


def test_a_copy_that_goes_leaves_the_node_on_what_is_left(bank: Bank, story: a.Story) -> None:
    change(bank, story, CopiesPut(copies=a.copies("n1", COPY, a.ref("i1", 1))))

    change(bank, story, CopiesPut(copies=a.copies("n1", a.ref("i1", 1))))

    assert bank.tree.nodes_of(COPY) == ()
    assert bank.tree.nodes_standing_for(I2) == ()
    assert bank.tree.nodes_standing_for(I1) == (N1, NodeId("n2"))
    assert bank.evidence(bank.nodes[N1]) == (FIRST, a.ref("i1", 1))


def test_copies_go_with_their_node(bank: Bank, story: a.Story) -> None:
    change(bank, story, CopiesPut(copies=a.copies("n1", COPY, a.ref("i1", 1))), NodeDrop(node_id=N1))

    assert bank.copies == {}
    assert bank.tree.nodes_of(COPY) == ()
    assert bank.tree.nodes_of(FIRST) == ()
    assert bank.tree.nodes_standing_for(I1) == (NodeId("n2"),)
    assert bank.tree.nodes_standing_for(I2) == ()


def test_a_loaded_bank_has_its_copies(bank: Bank, story: a.Story) -> None:
    change(bank, story, CopiesPut(copies=a.copies("n1", COPY, count=140)))

    again = load(bank.state(), Tuning())

    assert a.same(again.state(), bank.state())
    assert again.tree.nodes_of(COPY) == (N1,)
    assert again.tree.nodes_standing_for(I2) == (N1,)
