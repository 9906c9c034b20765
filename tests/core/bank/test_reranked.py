"""What a reranker's opinions make of a search: the score, the order, what is told of it."""

from collections.abc import Mapping

import pytest

from core.aggregate.aggregate import Tuning
from core.bank.bank import Bank
from core.bank.placed import REFUTED
from core.bank.query import Query, QueryResult, Target
from core.bank.reranked import RERANKER, Opinions, reading
from core.bank.search import search, worth_reading
from core.bank.steps import ConflictPut, InteractionAdd, SegmentRefute, Step
from core.ids import ConflictId
from core.verbatim.structure import Structure
from tests.support.changes import Story, conflict, interaction, node_put, ref

NIGHT = ("The ferry leaves at nine", "The ferry leaves at ten", "The night ferry is gone", "渡船晚上停开")


def bank_with(*steps: Step) -> Bank:
    story = Story()
    return Bank.found(story.founding(*steps), story.uid, Tuning())


def nights() -> Bank:
    """A node for each line, `n0` to `n3`."""
    return bank_with(*(node_put(f"n{i}", summary=said, context="") for i, said in enumerate(NIGHT)))


def query(**changed: object) -> Query:
    return Query(**({"text": "ferry leaves 渡船", "top_k": 10, "alpha": 0.5} | changed))  # type: ignore[arg-type]


def opinions(by_text: Mapping[str, float], weight: float = 1.0, depth: int = 30) -> Opinions:
    return Opinions(by_text=by_text, weight=weight, depth=depth, characters=2_000)


def ids(found: QueryResult) -> list[str]:
    return [str(hit.node.node_id) for hit in found.hits if hit.node]


def test_the_score_is_the_weighted_mean_and_why_adds_up_to_it() -> None:
    bank = nights()
    plain = {hit.node.node_id: hit.score for hit in search(bank, query()).hits if hit.node}

    found = search(bank, query(), opinions({NIGHT[1]: 0.9, NIGHT[3]: 0.6}, weight=3.0))

    assert ids(found)[:2] == ["n1", "n3"]
    for hit in found.hits:
        assert hit.node is not None
        opinion = {"n1": 0.9, "n3": 0.6}.get(str(hit.node.node_id), 0.0)
        assert hit.score == pytest.approx((plain[hit.node.node_id] + 3.0 * opinion) / 4.0)
        assert sum(share for _, share in hit.why) == pytest.approx(hit.score)
        assert [name for name, _ in hit.why] == ["plain", "reranker"]


def test_a_hit_from_beyond_top_k_comes_in_by_its_opinion() -> None:
    bank = nights()
    last = ids(search(bank, query()))[-1]
    text = NIGHT[int(last[1:])]

    found = search(bank, query(top_k=1), opinions({text: 1.0}, weight=10.0))

    assert ids(found) == [last]


def test_what_was_not_read_comes_behind_what_was_however_bad_that_is() -> None:
    bank = nights()
    plain = ids(search(bank, query()))
    read = [reading(bank, hit, 2_000) for hit in worth_reading(bank, query(), 2)]

    found = search(bank, query(), opinions(dict.fromkeys(read, 0.0), depth=2))

    assert ids(found) == plain


def test_the_least_score_is_of_the_score_that_is_told() -> None:
    bank = nights()
    second = ids(search(bank, query()))[1]
    text = NIGHT[int(second[1:])]

    found = search(bank, query(min_score=0.7), opinions({text: 1.0}, weight=10.0))

    assert ids(found) == [second]


def test_what_is_worth_reading_is_neither_cut_off_by_top_k_nor_by_the_least_score() -> None:
    bank = nights()

    hits = worth_reading(bank, query(top_k=1, min_score=0.99), 3)

    assert len(hits) == 3
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@pytest.mark.parametrize("structure", [Structure(), Structure(near=0.4, reply=0.3)])
def test_segments_are_read_with_their_speaker_and_what_was_refuted_loses_of_both_parts(
    structure: Structure,
) -> None:
    bank = bank_with(
        InteractionAdd(interaction=interaction("i1", "渡船九点开。", "渡船十点开。")),
        SegmentRefute(ref=ref("i1", 0), conflict_id=ConflictId("c1")),
    )
    asked = query(text="渡船几点开", target=Target.SEGMENTS, structure=structure)
    read = {reading(bank, hit, 2_000) for hit in worth_reading(bank, asked, 5)}

    found = search(bank, asked, opinions(dict.fromkeys(read, 0.8)))

    assert read == {"李雷: 渡船九点开。", "李雷: 渡船十点开。"}
    shares = {hit.segment.ref.index: dict(hit.why)[RERANKER] for hit in found.hits if hit.segment}
    assert shares == pytest.approx({0: REFUTED * 0.4, 1: 0.4})


def test_a_node_is_read_with_the_segment_that_lifted_it() -> None:
    bank = bank_with(
        InteractionAdd(interaction=interaction("i1", "The night ferry leaves at nine.")),
        node_put("n1", summary="Of the harbour", context="Timetables", segments=(ref("i1", 0),)),
    )

    (hit,) = worth_reading(bank, query(text="night ferry", target=Target.BOTH), 5)

    assert reading(bank, hit, 2_000) == "Timetables\nOf the harbour\n李雷: The night ferry leaves at nine."
    assert reading(bank, hit, 10) == "Timetables"


def test_both_sides_of_a_conflict_stay_together_whatever_the_opinions() -> None:
    bank = bank_with(
        *(node_put(f"n{i}", summary=said, context="") for i, said in enumerate(NIGHT)),
        ConflictPut(conflict=conflict("c1", "n0", "n1")),
    )
    both = query(structure=Structure(conflicts=True), top_k=2)

    found = search(bank, both, opinions({NIGHT[1]: 0.9, NIGHT[2]: 0.5}))

    assert ids(found) == ["n1", "n0"]
    assert [name for name, _ in found.hits[1].why] == ["plain", "conflict"]
