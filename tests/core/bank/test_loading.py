"""A loaded bank names each node and each segment by one object, whichever of its parts is asked."""

import numpy as np

from core.aggregate.aggregate import Tuning
from core.bank.bank import SEGMENTS, Bank
from core.bank.loading import load as load_bank
from core.bank.steps import InteractionAdd, NodeDrop, Step
from core.ids import InteractionId, NodeId
from core.index.compiled_vectors import VectorSettings
from core.index.restoring import IndexSnapshot, opened
from core.model.bank import EmbeddingSpace
from core.text.analysis import terms
from tests.support import changes as a

SIZE = len(a.vector(1))
LINKED = Tuning(vectors=VectorSettings(exact_up_to=10, scans=0))


def lived() -> Bank:
    """A bank of 30 nodes and as many segments, its vectors compiled."""
    story = a.Story()
    bank = Bank.found(story.founding(space=EmbeddingSpace(name="test", dimension=SIZE)), "u1", LINKED)
    texts = [f"segment {number} 河边" for number in range(30)]
    steps: list[Step] = [InteractionAdd(interaction=a.interaction("i1", *texts))]
    for number in range(30):
        evidence = {"interaction_ids": (InteractionId("i1"),), "segments": (a.ref("i1", number),)}
        steps.append(a.node_put(f"node-{number}", number, **evidence))
    bank.apply(story.change(*steps))
    bank.put_vectors(SEGMENTS, {a.ref("i1", number): a.vector(100 + number) for number in range(30)})
    for compaction in bank.indexes.compactions():
        compaction.build()
        bank.indexes.adopt(compaction)
    return bank


def blobs(bank: Bank) -> dict[str, bytes]:
    return {
        part: b"".join(IndexSnapshot(part=part, taken=index.snapshot()).blob())
        for part, index in bank.indexes.saved.items()
    }


def test_a_load_with_snapshots_names_all_by_the_ids_of_the_rows() -> None:
    before = lived()

    bank = load_bank(before.state(), LINKED, blobs(before))

    mine = {id(node.node_id) for node in bank.nodes.values()}
    ours = {id(ref) for ref in bank.tree.refs(InteractionId("i1"))}
    question = a.vector(7)
    assert len(bank.node_vectors.search(question, 10)) == 10
    assert {id(key) for key, _ in bank.node_vectors.search(question, 10)} <= mine
    assert {id(key) for key, _ in bank.verbatim.vectors.search(question, 10)} <= ours
    assert {id(key) for key, _ in bank.verbatim.words.search(["segment"], 30)} <= ours
    assert not bank.indexes.has_unsaved  # all of it came from the snapshots


def test_a_bank_that_was_loaded_says_what_it_said() -> None:
    before = lived()

    after = load_bank(before.state(), LINKED, blobs(before))

    assert a.same(after.state(), before.state())
    assert [segment.node_ids for segment in after.tree.segments(InteractionId("i1"))] == [
        segment.node_ids for segment in before.tree.segments(InteractionId("i1"))
    ]
    question = a.vector(7)
    assert after.node_vectors.search(question, 5) == before.node_vectors.search(question, 5)
    assert after.verbatim.words.search(["河边"], 5) == before.verbatim.words.search(["河边"], 5)
    assert np.array_equal(
        after.node_vectors.similarities(question, list(after.nodes)),
        before.node_vectors.similarities(question, list(after.nodes)),
    )


def test_of_many_snapshots_those_are_opened_that_are_whole() -> None:
    whole = blobs(lived())

    found = opened(whole | {"node_vectors": whole["node_vectors"][:-1], "segment_words": b""})

    assert sorted(found) == ["node_words", "segment_vectors"]


def test_opened_snapshots_serve_one_load_and_do_the_next_no_harm() -> None:
    before = lived()
    cached = opened(blobs(before))

    one, other = (load_bank(before.state(), LINKED, cached) for _ in range(2))
    one.apply(a.Story().change(NodeDrop(node_id=NodeId("node-3"))))

    asked = terms("what it says")
    assert other.node_words.search(asked, 40) == before.node_words.search(asked, 40)
    assert len(other.node_words.search(asked, 40)) == 30
    assert len(one.node_words.search(asked, 40)) == 29
