"""Segments ranked by their places too, and both sides of what is in conflict."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from core.aggregate.aggregate import Tuning
from core.bank.bank import SEGMENTS, Bank
from core.bank.loading import load as load_bank
from core.bank.placed import REFUTED
from core.bank.query import Filter, Hit, Query, QueryResult, Target
from core.bank.search import search
from core.bank.steps import ConflictPut, InteractionAdd, SegmentRefute, Step
from core.ids import ConflictId, InteractionId, NodeId
from core.model.conflict import ConflictStatus, Side
from core.model.interaction import Interaction
from core.model.node import NodeState
from core.verbatim import placed
from core.verbatim.structure import CONFLICT, NEWER, PLAIN, REPETITION, Structure
from tests.support.changes import START, Story, conflict, interaction, node_put, ref, vector

ALL = Structure(near=0.6, reply=0.4, speaker=0.3, time=0.3, topic=0.3, diversity=0.3)


def told(name: str, *said: tuple[str, str], days: int = 0) -> Interaction:
    """An interaction of (speaker, text), so many days after the start."""
    made = interaction(name, *(f"{text} " for _, text in said), event_time=START + timedelta(days=days))
    spans = (replace(span, speaker=speaker) for span, (speaker, _) in zip(made.spans, said, strict=True))
    return replace(made, spans=tuple(spans))


def in_a_chat(*said: tuple[str, str]) -> Bank:
    """A chat of (role, text)."""
    made = told("i1", *(("", text) for _, text in said))
    spans = (replace(span, role=role) for span, (role, _) in zip(made.spans, said, strict=True))
    return bank_of(InteractionAdd(interaction=replace(made, spans=tuple(spans))))


def bank_of(*steps: Step) -> Bank:
    story = Story()
    return Bank.found(story.founding(*steps), story.uid, Tuning())


def a_talk() -> Bank:
    return bank_of(
        InteractionAdd(
            interaction=told(
                "i1",
                ("Ann", "Where did you keep the boat?"),
                ("Ben", "Down at the old pier."),
                ("Ann", "Nice."),
            )
        ),
        InteractionAdd(
            interaction=told("i2", ("Ann", "My boat is red."), ("Ben", "My boat is red, too."), days=40)
        ),
    )


def asked(bank: Bank, text: str, structure: Structure, **changed: object) -> QueryResult:
    fields = {"top_k": 10, "alpha": 0.5, "text": text, "target": Target.SEGMENTS, "structure": structure}
    return search(bank, Query(**(fields | changed)))  # type: ignore[arg-type]


def texts(found: QueryResult) -> list[str]:
    return texts_of(found.hits)


def texts_of(hits: Sequence[Hit]) -> list[str]:
    return [hit.segment.text.strip() for hit in hits if hit.segment]


def test_what_answers_is_found_though_it_shares_no_word_with_the_question() -> None:
    bank = a_talk()

    plain = asked(bank, "Where is the boat kept?", Structure())
    by_place = asked(bank, "Where is the boat kept?", Structure(near=0.6, reply=0.9))

    assert "Down at the old pier." not in texts(plain)
    ranked = texts(by_place)
    assert ranked.index("Down at the old pier.") < ranked.index("Nice.")


def test_an_assistants_echo_of_the_question_is_lent_nothing() -> None:
    bank = in_a_chat(
        ("user", "How do I paint a boat?"),
        ("assistant", "To paint a boat, sand it first."),
    )
    people = bank_of(
        InteractionAdd(
            interaction=told(
                "i1", ("Ann", "How do I paint a boat?"), ("Ben", "To paint a boat, sand it first.")
            )
        )
    )

    def lent(asked_of: Bank) -> dict[str, float]:
        found = asked(asked_of, "paint the boat", Structure(reply=0.9))
        return {hit.segment.text.strip(): dict(hit.why)["reply"] for hit in found.hits if hit.segment}

    alone = (0.9 / 1.9) / 3  # for not asking; nothing for what was asked before
    assert lent(bank)["To paint a boat, sand it first."] == pytest.approx(alone)
    assert lent(people)["To paint a boat, sand it first."] > alone


def test_a_users_own_words_come_before_an_assistants() -> None:
    bank = in_a_chat(("assistant", "A red boat is a fine boat."), ("user", "So my boat will be red."))

    assert texts(asked(bank, "a red boat", Structure()))[0] == "A red boat is a fine boat."
    assert texts(asked(bank, "a red boat", Structure(user=0.5)))[0] == "So my boat will be red."


@pytest.mark.parametrize("question", ["When was the boat painted?", "What day did they paint the boat?"])
def test_who_asks_when_is_told_what_names_a_time_first(question: str) -> None:
    bank = bank_of(
        InteractionAdd(
            interaction=told(
                "i1", ("", "The boat was painted. The boat!"), ("", "They painted the boat on Friday.")
            )
        )
    )

    assert texts(asked(bank, question, Structure(time=0.9)))[0] == "They painted the boat on Friday."
    assert dict(asked(bank, "Who painted the boat?", Structure(time=0.9)).hits[0].why)["time"] == 0.0


@pytest.mark.parametrize(
    "sentence", ["file 7 says that Li Wei sold the mill to the town", "第7号文件记载，李伟把磨坊卖给了镇议会"]
)
def test_a_sentence_of_the_record_finds_its_place_among_all_that_resemble_it(sentence: str) -> None:
    others = [(f"{sentence}. ".replace("7", str(n)) * (1 + n % 3)).strip() for n in (1, 7, 2, 3, 77, 17)]
    bank = bank_of(
        InteractionAdd(interaction=told("i1", *(("", f"({n}) {text}") for n, text in enumerate(others))))
    )

    found = texts(asked(bank, sentence, Structure(near=1.0, topic=1.0, quote=1.0)))

    assert sentence in found[0]
    why = {
        share
        for hit in asked(bank, "the mill", Structure(quote=1.0)).hits
        for share, given in hit.why
        if given
    }
    assert why <= {PLAIN}, "a word or two is no quotation"


def test_segments_of_the_speaker_whom_the_query_names_rank_first() -> None:
    bank = a_talk()

    assert texts(asked(bank, "the red boat of Ann", Structure(speaker=0.5)))[0] == "My boat is red."
    assert texts(asked(bank, "the red boat of Ben", Structure(speaker=0.5)))[0] == "My boat is red, too."


def test_a_time_in_the_query_is_met_by_what_happened_then() -> None:
    bank = a_talk()
    then = START + timedelta(days=40)

    found = asked(bank, "the boat", Structure(time=0.5), now=then + timedelta(days=1))
    in_march = asked(bank, f"the boat on {START:%Y-%m-%d}", Structure(time=2.0))
    yesterday = asked(bank, "昨天的 boat", Structure(time=2.0), now=then + timedelta(days=1))

    assert [dict(hit.why)["time"] for hit in found.hits] == [0.0] * len(found.hits)
    assert texts(in_march)[0] == "Where did you keep the boat?"
    assert set(texts(yesterday)[:2]) == {"My boat is red.", "My boat is red, too."}


def test_there_is_no_time_that_cannot_be_searched() -> None:
    ends = (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
    told_then = (
        replace(told(f"i{n}", ("Ann", "The boat left.")), event_time=end) for n, end in enumerate(ends)
    )
    bank = bank_of(*(InteractionAdd(interaction=each) for each in told_then))

    found = asked(bank, "Which boat left in December?", ALL)

    assert len(found.hits) == len(ends)


def test_the_shares_that_are_told_add_up_to_the_score() -> None:
    bank = a_talk()
    bank.put_vectors(SEGMENTS, {r: vector(1) for r in bank.tree.refs(InteractionId("i2"))})

    found = asked(bank, "Ann's red boat", ALL, vector=vector(2))

    assert found.hits
    for hit in found.hits:
        assert hit.score == pytest.approx(sum(share for _, share in hit.why))
        assert 0.0 <= hit.score <= 1.0


def test_without_structure_nothing_is_told_but_the_plain_score() -> None:
    found = asked(a_talk(), "red boat", Structure())

    assert {hit.why for hit in found.hits} == {()}
    assert all(hit.score == pytest.approx(hit.attribute_score) for hit in found.hits)


def test_a_segment_gains_by_the_topic_it_belongs_to() -> None:
    steps = [InteractionAdd(interaction=told("i1", ("", "It was fine."), ("", "It was fair.")))]
    bank = bank_of(*steps, node_put("n1", summary="the regatta", segments=(ref("i1", 1),)))

    found = asked(bank, "regatta fine fair", Structure(topic=0.5))

    assert texts(found)[0] == "It was fair."


def test_ten_hits_are_not_one_fact_ten_times() -> None:
    said = [("", "The ferry leaves at nine.")] * 3 + [("", "The ferry is small.")]
    bank = bank_of(InteractionAdd(interaction=told("i1", *said)))
    bank.put_vectors(SEGMENTS, {ref("i1", n): vector(1 if n < 3 else 2) for n in range(4)})

    found = asked(bank, "when the ferry leaves at nine", Structure(diversity=0.9))

    assert texts(found)[:2] == ["The ferry leaves at nine.", "The ferry is small."]
    assert dict(found.hits[-1].why)[REPETITION] < 0.0


def test_only_so_many_of_the_best_are_compared_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placed, "COMPARED", 3)
    said = ("The boat is red.",) * 5
    bank = bank_of(InteractionAdd(interaction=told("i1", *(("", text) for text in said))))
    bank.put_vectors(SEGMENTS, {ref("i1", index): vector(1) for index in range(5)})

    found = asked(bank, "red boat", Structure(diversity=0.5)).hits

    assert [REPETITION in dict(hit.why) for hit in found] == [False, False, False, True, True]


def test_what_loses_by_repeating_makes_room_and_ties_stay_newest_first() -> None:
    twice = (("", "The ferry leaves at nine."), ("", "The ferry leaves at nine."))
    steps = [InteractionAdd(interaction=told(f"i{n}", *twice, days=n)) for n in range(2)]
    bank = bank_of(*steps)
    bank.put_vectors(SEGMENTS, {ref("i0", 0): vector(1), ref("i0", 1): vector(1), ref("i1", 1): vector(2)})

    found = asked(bank, "when the ferry leaves at nine", Structure(diversity=0.9))

    assert [hit.segment.ref for hit in found.hits if hit.segment] == [
        ref("i1", 0),
        ref("i1", 1),
        ref("i0", 0),
        ref("i0", 1),
    ]
    assert [REPETITION in dict(hit.why) for hit in found.hits] == [False, False, False, True]
    assert sum(share for _, share in found.hits[-1].why) == pytest.approx(found.hits[-1].score)


def test_who_asks_how_things_are_now_is_told_the_newest_first() -> None:
    told_of = ("Ann lives in a house in Lyon.", "Ann has got a house in Nantes.", "Ann is at work.")
    steps = [InteractionAdd(interaction=told(f"i{n}", ("", text), days=n)) for n, text in enumerate(told_of)]
    bank = bank_of(*steps)
    bank.put_vectors(SEGMENTS, {ref("i0", 0): vector(1), ref("i1", 0): vector(1), ref("i2", 0): vector(2)})

    question, structure = "In what house does Ann live{}?", Structure(newer=0.7)
    as_ever = asked(bank, question.format(""), structure).hits
    now = asked(bank, question.format(" now"), structure).hits
    switched_off = asked(bank, question.format(" now"), Structure()).hits

    assert texts_of(as_ever)[0] == texts_of(switched_off)[0] == told_of[0]
    assert texts_of(now)[:2] == [told_of[1], told_of[0]]
    assert dict(now[0].why)[NEWER] > 0.0
    assert now[0].score == pytest.approx(sum(share for _, share in now[0].why))


def test_filters_hold_for_what_is_near_too() -> None:
    bank = a_talk()

    found = asked(bank, "boat", ALL, filter=Filter(since=START + timedelta(days=1)))

    assert set(texts(found)) == {"My boat is red.", "My boat is red, too."}


def test_a_refuted_segment_ranks_below_by_place_too() -> None:
    refuted = SegmentRefute(ref=ref("i1", 0), conflict_id=ConflictId("c1"))
    talk = InteractionAdd(interaction=told("i1", ("", "The boat is red.")))

    before = asked(bank_of(talk), "red boat", ALL).hits[0]
    after = asked(bank_of(talk, refuted), "red boat", ALL).hits[0]

    assert after.score == pytest.approx(REFUTED * before.score)


def test_a_reloaded_bank_ranks_alike() -> None:
    bank = a_talk()
    again = load_bank(bank.state(), Tuning())

    one, other = asked(bank, "Ann's red boat", ALL), asked(again, "Ann's red boat", ALL)

    assert [(hit.score, hit.why) for hit in one.hits] == [(hit.score, hit.why) for hit in other.hits]


# ---- both sides of a conflict ----


def in_conflict(status: ConflictStatus = ConflictStatus.OPEN) -> Bank:
    """Two nodes that contradict each other, each resting on a segment, and much else that speaks of the CEO."""
    said = [
        ("", "The CEO is Zhang San."),
        *[("", f"The CEO met guest {n}.") for n in range(5)],
        ("", "Li Si leads."),
    ]
    sides = tuple(
        Side(node_id=NodeId(name), segments=(ref("i1", index),), quote=quote)
        for name, index, quote in (("n1", 0, "Zhang San"), ("n2", 6, "Li Si"))
    )
    return bank_of(
        InteractionAdd(interaction=told("i1", *said)),
        node_put("n1", summary="The CEO is Zhang San.", segments=(ref("i1", 0),), state=NodeState.CONTESTED),
        node_put("n2", summary="Li Si leads.", segments=(ref("i1", 6),), state=NodeState.CONTESTED),
        ConflictPut(conflict=conflict("c1", "n1", "n2", sides=sides, status=status)),
    )


@pytest.mark.parametrize("structure", [Structure(conflicts=True), replace(ALL, conflicts=True)])
def test_a_hit_on_one_side_of_an_open_conflict_brings_the_other(structure: Structure) -> None:
    found = asked(in_conflict(), "who is the CEO Zhang San", structure, top_k=2)

    assert set(texts(found)) == {"The CEO is Zhang San.", "Li Si leads."}
    assert found.hits[0].score == pytest.approx(found.hits[1].score)
    brought = next(hit for hit in found.hits if hit.segment and hit.segment.text.startswith("Li Si"))
    assert dict(brought.why)[CONFLICT] > 0.0
    assert PLAIN in dict(brought.why)
    assert brought.score == pytest.approx(sum(share for _, share in brought.why))


def test_many_other_sides_drive_out_neither_the_one_found_nor_all_else() -> None:
    said = [("", f"The mill was sold for {price} crowns.") for price in range(100, 112)]
    sides = tuple(
        Side(node_id=NodeId(f"n{n}"), segments=(ref("i1", n),), quote=text)
        for n, (_, text) in enumerate(said)
    )
    bank = bank_of(
        InteractionAdd(interaction=told("i1", *said)),
        InteractionAdd(interaction=told("i2", ("", "Crowns were paid for the mill in March."))),
        *(
            node_put(f"n{n}", summary=text, segments=(ref("i1", n),), state=NodeState.CONTESTED)
            for n, (_, text) in enumerate(said)
        ),
        ConflictPut(conflict=conflict("c1", *(side.node_id for side in sides), sides=sides)),
    )

    found = asked(bank, "107 crowns paid for the mill in March", Structure(conflicts=True), top_k=5)

    assert texts(found)[0] == "Crowns were paid for the mill in March."
    assert texts(found)[1] == "The mill was sold for 107 crowns."
    first = asked(bank, "sold for 107 crowns", Structure(conflicts=True), top_k=3)
    assert texts(first)[0] == "The mill was sold for 107 crowns."


@pytest.mark.parametrize("target", [Target.SEGMENTS, Target.NODES])
@pytest.mark.parametrize(("newer", "first"), [(0.5, "Li Si leads as CEO."), (0.0, "The CEO is Zhang San.")])
def test_of_two_sides_that_fit_nearly_as_well_the_newer_comes_first(
    target: Target, newer: float, first: str
) -> None:
    steps: list[Step] = []
    for n, text in enumerate(("The CEO is Zhang San.", "Li Si leads as CEO.")):
        told_of, then = (ref(f"i{n}", 0),), START + timedelta(days=n)
        steps.append(InteractionAdd(interaction=told(f"i{n}", ("", text), days=n)))
        steps.append(node_put(f"n{n}", summary=text, segments=told_of, event_time=then))
    sides = tuple(Side(node_id=NodeId(f"n{n}"), segments=(ref(f"i{n}", 0),), quote="") for n in range(2))
    bank = bank_of(*steps, ConflictPut(conflict=conflict("c1", "n0", "n1", sides=sides)))

    structure = Structure(conflicts=True, newer=newer)
    found = asked(bank, "Who is the CEO?", structure, target=target, alpha=1.0).hits

    shown = found[0].node.summary if found[0].node else texts_of(found)[0]
    assert shown == first
    assert all(hit.score <= 1.0 for hit in found)


def test_of_nodes_the_other_side_comes_along_as_well() -> None:
    found = asked(in_conflict(), "CEO Zhang San", Structure(conflicts=True), target=Target.NODES, top_k=2)

    assert {hit.node.node_id for hit in found.hits if hit.node} == {"n1", "n2"}


def test_a_settled_conflict_and_an_excluded_side_bring_nothing() -> None:
    settled = asked(in_conflict(ConflictStatus.DISMISSED), "CEO Zhang San", Structure(conflicts=True))
    excluded = asked(
        in_conflict(), "CEO Zhang San", Structure(conflicts=True), exclude=frozenset({NodeId("n2")})
    )

    assert "Li Si leads." not in texts(settled)
    assert "Li Si leads." not in texts(excluded)
