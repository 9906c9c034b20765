"""Search: two sides, one formula, filters, two depths."""

from datetime import timedelta

import numpy as np
import pytest

from core.aggregate.aggregate import Tuning
from core.bank.bank import SEGMENTS, Bank
from core.bank.loading import load as load_bank
from core.bank.placed import REFUTED
from core.bank.query import Filter, Fusion, Hit, Query, Target
from core.bank.search import judging_candidates, search
from core.bank.steps import InteractionAdd, NodePut, SegmentRefute, Step, StructuringPut
from core.ids import ConflictId, InteractionId, NodeId
from core.index.scoring import Mode
from core.model.node import NodeState
from core.model.structuring import StructuringState
from core.model.vector import Vector
from tests.support.changes import START, Story, edge, interaction, node, node_put, ref, structuring


def axis(place: int) -> Vector:
    made = np.zeros(4, dtype=np.float32)
    made[place] = 1.0
    return made


def bank_with(*steps: Step) -> Bank:
    story = Story()
    return Bank.found(story.founding(*steps), story.uid, Tuning())


def a_bank() -> Bank:
    """Four nodes on four axes, `a`–`b`–`c` in a row, `d` alone."""
    nodes = [
        node_put("a", summary="The tower of Paris", keywords=("tower",), labels={"kind": "place"}),
        node_put("b", summary="A bridge of London", keywords=("bridge",), source="web"),
        node_put("c", summary="伦敦的钟楼", keywords=("钟楼",), state=NodeState.CONTESTED),
        node_put("d", summary="A tower of babel", keywords=("babel",), event_time=START + timedelta(days=9)),
    ]
    placed = [type(put)(node=put.node, vector=axis(n)) for n, put in enumerate(nodes)]
    return bank_with(*placed, edge("a", "b"), edge("b", "c"))


def query(**changed: object) -> Query:
    return Query(**({"top_k": 10, "alpha": 0.5} | changed))  # type: ignore[arg-type]


def ids(hits: tuple[Hit, ...]) -> list[str]:
    """What was found: nodes by their ids, segments by what they say."""
    nodes = {id(hit): str(hit.node.node_id) for hit in hits if hit.node}
    return [nodes.get(id(hit)) or (hit.segment.text if hit.segment else "") for hit in hits]


def test_the_score_is_the_weighted_sum_of_both_sides_and_both_are_told() -> None:
    bank = a_bank()

    found = search(bank, query(text="tower", vector=axis(1), alpha=0.25))

    for hit in found.hits:
        assert hit.score == pytest.approx(0.25 * hit.attribute_score + 0.75 * hit.embedding_score)
    best = {hit.node.node_id: hit for hit in found.hits if hit.node}
    assert best[NodeId("b")].embedding_score == pytest.approx(1.0)
    assert max(hit.attribute_score for hit in found.hits) == pytest.approx(1.0)


def test_a_query_of_one_side_is_scored_by_that_side_whatever_alpha_says() -> None:
    bank = a_bank()

    by_vector = search(bank, query(vector=axis(2), alpha=1.0))
    by_words = search(bank, query(text="tower", alpha=0.0))
    by_attribute = search(bank, query(text="tower", vector=axis(2), mode=Mode.ATTRIBUTE))

    assert ids(by_vector.hits)[0] == "c"
    assert set(ids(by_words.hits)) == {"a", "d"}
    assert set(ids(by_attribute.hits)) == {"a", "d"}


def test_keywords_of_the_caller_are_searched_too_in_chinese_as_well() -> None:
    assert ids(search(a_bank(), query(keywords=("钟楼",))).hits) == ["c"]


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (Filter(labels={"kind": "place"}), {"a"}),
        (Filter(sources=frozenset({"web"})), {"b"}),
        (Filter(states=frozenset({NodeState.CONTESTED})), {"c"}),
        (Filter(since=START + timedelta(days=1)), {"d"}),
        (Filter(until=START + timedelta(days=1)), {"a", "b", "c"}),
        (Filter(keywords=("TOWER",)), {"a"}),
        (Filter(labels={"kind": "place"}, sources=frozenset({"web"})), set()),
    ],
)
def test_a_filter_admits_what_fits_all_of_it(chosen: Filter, expected: set[str]) -> None:
    found = search(a_bank(), query(text="tower bridge 钟楼", vector=axis(0), filter=chosen))

    assert set(ids(found.hits)) == expected


def test_excluded_nodes_are_not_found_and_a_minimum_score_is_absolute() -> None:
    bank = a_bank()

    found = search(bank, query(text="tower", exclude=frozenset({NodeId("a")})))
    strict = search(bank, query(vector=axis(0), min_score=0.9))

    assert ids(found.hits) == ["d"]
    assert ids(strict.hits) == ["a"]


def test_the_neighbourhood_comes_once_by_hops_and_says_when_it_is_cut() -> None:
    bank = a_bank()

    def around(**changed: object) -> tuple[list[str], bool]:
        found = search(bank, query(vector=axis(0), top_k=1, **changed))
        return [n.node_id for n in found.neighbors], found.neighbors_truncated

    assert around(hops=0) == ([], False)
    assert around() == (["b"], False)
    assert around(hops=2) == (["b", "c"], False)
    assert around(hops=2, max_neighbors=1) == (["b"], True)


def test_a_neighbourhood_that_is_cut_keeps_that_of_the_better_hits() -> None:
    nearer_to_y = (axis(2) * np.float32(0.8) + axis(0) * np.float32(0.6)).astype(np.float32)
    bank = bank_with(
        NodePut(node=node("x"), vector=axis(0)),
        NodePut(node=node("y"), vector=axis(2)),
        NodePut(node=node("a")),
        NodePut(node=node("b")),
        edge("a", "x"),
        edge("b", "y"),
    )

    found = search(bank, query(vector=nearer_to_y, top_k=2, max_neighbors=1))

    assert ids(found.hits) == ["y", "x"]
    assert ([n.node_id for n in found.neighbors], found.neighbors_truncated) == (["b"], True)


def test_ties_go_to_the_newer_then_to_the_smaller_id() -> None:
    newer = START + timedelta(days=1)
    bank = bank_with(node_put("z"), node_put("y"), node_put("x", event_time=newer))

    found = search(bank, query(vector=node_put("z").vector))

    assert ids(found.hits) == ["x", "y", "z"]


@pytest.mark.parametrize("seed", range(5))
def test_the_short_way_by_meaning_alone_finds_what_the_long_way_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(12, 4)).astype(np.float32)
    directions /= np.linalg.norm(
        directions, axis=1, keepdims=True
    )  # a dozen for sixty nodes: ties everywhere
    puts = [
        type(put)(node=put.node, vector=directions[rng.integers(12)])
        for n in range(60)
        for put in [node_put(f"n{n}", event_time=START + timedelta(days=int(rng.integers(3))))]
    ]
    bank = bank_with(*puts, *(edge(f"n{n}", f"n{n + 7}") for n in range(50)))
    the_long_way = frozenset({NodeId("nobody")})  # whoever leaves somebody out takes it

    for top_k in (1, 2, 5, 10, 30, 60, 100):
        for mode in (Mode.EMBEDDING, Mode.HYBRID):
            asked = query(
                top_k=top_k, mode=mode, vector=directions[rng.integers(12)], min_score=rng.choice([0.0, 0.5])
            )

            short, long = search(bank, asked), search(bank, asked._replace(exclude=the_long_way))

            assert short == long


def test_reciprocal_ranks_fuse_where_asked_for() -> None:
    found = search(a_bank(), query(text="babel", vector=axis(3), fusion=Fusion.RECIPROCAL_RANK))

    assert ids(found.hits)[0] == "d"
    assert found.hits[0].score == pytest.approx(1.0)


def test_a_vector_of_another_length_than_a_node_less_vector_finds_nothing_of_it() -> None:
    bank = bank_with(type(node_put("a"))(node=node("a"), vector=None))

    assert ids(search(bank, query(vector=axis(0), mode=Mode.EMBEDDING)).hits) == []
    assert ids(search(bank, query(text="what a says")).hits) == ["a"]


def with_segments() -> Bank:
    """`i1` is summarised by node `a` (first segment) and waits for the rest; `i2` is all to come."""
    first = interaction("i1", "The tower is high. ", "The river is deep. ")
    second = interaction("i2", "The garden is green. ")
    bank = bank_with(
        InteractionAdd(interaction=first),
        InteractionAdd(interaction=second),
        node_put("a", summary="a tower", segments=(ref("i1", 0),), interaction_ids=(InteractionId("i1"),)),
        StructuringPut(structuring=structuring("i1", StructuringState.DONE)),
        StructuringPut(structuring=structuring("i2", StructuringState.PENDING)),
    )
    bank.put_vectors(SEGMENTS, {ref("i1", 0): axis(0), ref("i1", 1): axis(1), ref("i2", 0): axis(2)})
    return bank


def test_segments_are_found_at_their_verbatim_place() -> None:
    bank = with_segments()

    found = search(bank, query(text="deep river", target=Target.SEGMENTS))

    segment = found.hits[0].segment
    assert segment is not None
    assert (segment.text, segment.offset, segment.node_ids) == ("The river is deep. ", 19, ())
    assert bank.tree.interactions[InteractionId("i1")].text[segment.offset :].startswith(segment.text)


def test_what_waits_for_structuring_competes_with_the_nodes_and_is_marked() -> None:
    found = search(with_segments(), query(text="tower river garden", target=Target.NODES))

    assert set(ids(found.hits)) == {"a", "The garden is green. "}
    assert [hit.unstructured for hit in found.hits if hit.segment] == [True]


def test_with_both_a_node_scores_as_the_better_of_itself_and_its_best_segment() -> None:
    bank = with_segments()

    found = search(bank, query(vector=axis(0), text="", target=Target.BOTH))

    (lifted,) = [hit for hit in found.hits if hit.node]
    assert lifted.best_segment == ref("i1", 0)
    assert lifted.score == pytest.approx(1.0)
    assert "The tower is high. " not in ids(found.hits)


def test_a_refuted_segment_is_found_marked_and_ranks_below() -> None:
    bank = with_segments()
    before = search(bank, query(vector=axis(1), target=Target.SEGMENTS)).hits[0]

    bank.tree.refute(SegmentRefute(ref=ref("i1", 1), conflict_id=ConflictId("c1")))

    after = search(bank, query(vector=axis(1), target=Target.SEGMENTS)).hits[0]
    assert after.segment is not None
    assert after.segment.refuted_by == "c1"
    assert after.score == pytest.approx(before.score * REFUTED)


def test_a_segment_refuted_in_part_ranks_below_by_that_part() -> None:
    bank = with_segments()
    before = search(bank, query(vector=axis(1), target=Target.SEGMENTS)).hits[0]
    assert before.segment is not None
    half = len(before.segment.text) // 2

    bank.tree.refute(SegmentRefute(ref=ref("i1", 1), conflict_id=ConflictId("c1"), end=half))

    after = search(bank, query(vector=axis(1), target=Target.SEGMENTS)).hits[0]
    assert after.segment is not None
    assert not after.segment.is_refuted_whole
    assert after.score == pytest.approx(before.score * (1 + REFUTED) / 2, rel=0.05)


def test_segments_are_filtered_by_time_and_source_and_through_their_nodes() -> None:
    bank = with_segments()

    def found(chosen: Filter, **more: object) -> set[str]:
        asked = query(text="tower river garden", target=Target.SEGMENTS, filter=chosen, **more)
        return set(ids(search(bank, asked).hits))

    assert found(Filter(states=frozenset({NodeState.ACTIVE}))) == {"The tower is high. "}
    assert found(Filter(sources=frozenset({"web"}))) == set()
    assert found(Filter(until=START)) == set()
    assert found(Filter(), exclude=frozenset({NodeId("a")})) == {
        "The river is deep. ",
        "The garden is green. ",
    }


def test_candidates_for_judging_leave_out_whom_they_must() -> None:
    bank = a_bank()
    new = node("new", summary="a tower", base_context="", base_keywords=())

    near = judging_candidates(bank, new, axis(0), 8, 0.5, {NodeId("a")})

    assert "a" not in near
    assert near[0] == "d"


def test_an_empty_bank_answers_empty() -> None:
    found = search(bank_with(), query(text="anything", vector=axis(0)))

    assert (found.hits, found.neighbors, found.revision) == ((), (), 1)


def test_a_segment_refuted_by_a_step_survives_a_reload() -> None:
    story = Story()
    founding = story.founding(
        InteractionAdd(interaction=interaction("i1", "one. ", "two. ")),
        SegmentRefute(ref=ref("i1", 1), conflict_id=ConflictId("c1")),
    )
    bank = Bank.found(founding, story.uid, Tuning())

    again = load_bank(bank.state(), Tuning())

    assert again.tree.segment(ref("i1", 1)).refuted_by == "c1"
    assert again.tree.segment(ref("i1", 0)).refuted_by == ""
