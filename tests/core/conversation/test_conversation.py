"""A conversation's turns: their tiers, how they are found, and what deleting leaves."""

from dataclasses import replace
from typing import NoReturn
from unittest.mock import Mock

import pytest

from core.conversation import mid
from core.conversation.due import due
from core.conversation.mid import coldest, fitting, placings, ranges_of, recalled
from core.conversation.recalling import SHORT_SHOWN, recall
from core.conversation.search import search_turns
from core.conversation.steps import ConversationPut, MidPut, TurnAdd, TurnDrop
from core.conversation.telling import told
from core.conversation.turn_rows import TurnRows
from core.model.conversation import Tiers, Turn, TurnCluster
from core.verbatim.query import Query
from core.verbatim.structure import Structure
from tests.support.conversations import EMBEDDER, SPACE, Talk, numbers, turn

FEW = Tiers(short_turns=2, max_clusters=2, cluster_turns=3)
LINE = (
    0.6  # above how like a turn is to the one before, of which half counts, where they have no word in common
)
PLACED = Structure(near=0.4, reply=0.2, topic=0.3, quote=0.5)


def asked(text: str, top_k: int = 3, structure: Structure = PLACED) -> Query:
    return Query(top_k=top_k, alpha=0.5, text=text, vector=EMBEDDER.vector(text), structure=structure)


def place(talk: Talk, similarity: float = 0.3) -> None:
    clusters, placed_to = placings(talk.conversation, SPACE, similarity)
    record = replace(talk.conversation.record, placed_to=placed_to)
    talk.change(ConversationPut(record=record), *(MidPut(cluster=each) for each in clusters))


def test_a_turn_is_found_by_its_words_before_it_has_a_vector_in_either_language() -> None:
    talk = Talk()
    talk.say(turn(1, "数据库定了，用PostgreSQL。", "好的。"), turn(2, "The budget is 500 euros.", "Noted."))

    (chinese,) = search_turns(talk.conversation, asked("数据库用什么？", 1), SPACE)
    (english,) = search_turns(talk.conversation, asked("What is the budget?", 1), SPACE)

    assert (chinese.turn.step, chinese.segment, chinese.in_reply) == (1, "数据库定了，用PostgreSQL。", False)
    assert english.turn.step == 2


def test_a_turn_without_a_vector_that_says_the_words_comes_before_embedded_ones_that_are_only_near() -> None:
    talk = Talk()
    talk.say(*(turn(step, f"The password of harbour {step} was changed.", "Noted.") for step in range(1, 9)))
    talk.embed()
    talk.say(turn(9, "The password of the boat is marmalade.", "Noted."))

    hits = search_turns(
        talk.conversation, asked("What is the password of the boat?")._replace(alpha=0.1), SPACE
    )

    assert (hits[0].turn.step, hits[0].embedding_score) == (9, 0.0)
    assert hits[0].score > hits[1].score > 0.0


def test_a_turn_is_one_hit_by_its_best_segment() -> None:
    talk = Talk()
    talk.say(
        turn(1, "Where is the harbour?", "The harbour is north of the harbour square."),
        turn(2, "Thanks.", "Bye."),
    )
    talk.embed()

    hits = search_turns(talk.conversation, asked("harbour", 5), SPACE)

    assert [hit.turn.step for hit in hits].count(1) == 1


def test_a_turn_is_told_by_what_was_said_rather_than_by_an_acknowledgement_beside_the_answer() -> None:
    talk = Talk()
    talk.say(turn(1, "The budget is 500 euros.", "Noted."), turn(2, "A room with a view, please.", "好的。"))
    talk.embed()

    hits = search_turns(talk.conversation, asked("Which room with a view?"), SPACE)

    assert [hit.segment for hit in hits] == ["A room with a view, please.", "The budget is 500 euros."]


def test_a_deletion_leaves_the_scores_of_the_conversation_that_a_store_would_load() -> None:
    talk = Talk()
    talk.say(
        turn(1, "The shelf is bare.", "Shall I order some?"),
        turn(2, "Yes."),
        turn(3, "Ordered: yes, a shelf of tea."),
    )
    talk.embed()
    talk.change(TurnDrop(step=1))
    query = asked("Yes, which tea was ordered?")

    loaded = search_turns(talk.loaded(), query, SPACE)

    assert search_turns(talk.conversation, query, SPACE) == loaded
    assert [hit.segment for hit in loaded] == ["Ordered: yes, a shelf of tea.", "Yes."]


def test_a_segment_reads_as_its_turn_was_cut() -> None:
    long = "\n\n".join(f"Paragraph {n} says this: {n * 7}. " * 12 for n in range(5))
    turns = [
        turn(1, long, f" {long}\n", input_speaker="Ann"),
        turn(2, "", "只有回答。", reply_speaker="林岚"),
        turn(3, " Alone. "),
        turn(4, "预算是五百。" * 300, "好的，记下了。"),
    ]
    talk = Talk()
    talk.say(*turns)
    talk.change(TurnDrop(step=2))

    for each in (turns[0], turns[2], turns[3]):
        cut = told(each)
        read = [talk.conversation.segment(ref) for ref in talk.conversation.refs(each)]
        assert [(s.text, s.offset, s.role, s.speaker) for s in read] == [
            (cut.text[span.start : span.end], span.start, span.role, span.speaker) for span in cut.spans
        ]
        assert {s.event_time for s in read} == {each.event_time}


def test_all_turns_are_found_where_more_are_asked_for_and_one_is_very_long() -> None:
    talk = Talk()
    talk.say(
        turn(1, "The harbour is full of boats. " * 2_000), turn(2, "Thanks a lot for it."), turn(3, "杯子")
    )
    talk.embed()

    hits = search_turns(talk.conversation, asked("harbour boats", 100), SPACE)

    assert len(talk.conversation.verbatim.order) > 100
    assert hits[0].turn.step == 1
    assert {hit.turn.step for hit in hits} == {1, 2, 3}


def test_turns_are_short_until_they_are_placed() -> None:
    talk = Talk(FEW)
    talk.say(*(turn(step, f"input {step}") for step in range(1, 6)))

    assert list(talk.conversation.short_steps) == [1, 2, 3, 4, 5]
    assert numbers(talk.conversation.unplaced(9)) == [1, 2, 3]

    talk.embed()
    place(talk)

    assert list(talk.conversation.short_steps) == [4, 5]
    assert sorted(s for c in talk.conversation.clusters.values() for s in c.steps) == [1, 2, 3]


def test_what_is_due_and_what_is_placed_make_only_the_turns_that_they_look_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    talk = Talk(FEW)
    talk.say(*(turn(step, f"input {step}") for step in range(1, 200)))
    made, at = list[int](), TurnRows._at

    def noted(rows: TurnRows, row: int) -> Turn:
        made.append(row)
        return at(rows, row)

    monkeypatch.setattr(TurnRows, "_at", noted)

    due(talk.conversation, talk.conversation.record.create_time)

    assert made == [0]
    assert talk.conversation.unplaced_count == 197


class Walked(list[int]):
    """A list that may be looked into, and is never walked through."""

    def __iter__(self) -> NoReturn:
        raise AssertionError("all of it was read")


def test_the_runs_of_a_few_steps_are_found_without_reading_all_steps() -> None:
    known = Walked([1, 2, 4, 5, 9, 10, 11])

    runs = ranges_of((2, 4, 5, 11), known)

    assert [(run.first_step, run.last_step) for run in runs] == [(2, 5), (11, 11)]


def test_turns_about_one_thing_come_into_one_cluster_and_a_full_one_takes_no_more() -> None:
    talk = Talk(FEW)
    boats = [turn(step, "the ferry to the island leaves the harbour") for step in (1, 3, 5, 6)]
    other = [turn(step, "数据库的备份每天做一次") for step in (2, 4)]
    talk.say(*sorted([*boats, *other], key=lambda each: each.step), turn(7, "so"), turn(8, "well"))
    talk.embed()
    place(talk, LINE)

    assert [c.steps for c in talk.conversation.clusters_in_order()] == [(1, 3, 5), (2, 4), (6,)]


@pytest.mark.parametrize(
    ("said", "next_"),
    [("the ferry to the island leaves the harbour", "how much then"), ("数据库的备份每天做一次", "好的明白")],
)
def test_a_turn_that_names_nothing_is_placed_with_what_was_said_before_it(said: str, next_: str) -> None:
    talk = Talk(FEW)
    talk.say(turn(1, said), turn(2, next_), turn(3, "so"), turn(4, "well"))
    talk.embed()
    place(talk, 0.35)

    assert [c.steps for c in talk.conversation.clusters_in_order()] == [(1, 2)]


def test_a_cluster_is_about_what_its_turns_are_about_whatever_came_and_went() -> None:
    talk = Talk(replace(FEW, cluster_turns=64))
    talk.say(*(turn(step, f"the ferry number {step}", f"leaves at {step} o'clock") for step in range(1, 30)))
    talk.embed()
    place(talk)
    for gone in (3, 17):
        (cluster,) = [c for c in talk.conversation.clusters.values() if gone in c.steps]
        left = replace(cluster, steps=tuple(step for step in cluster.steps if step != gone))
        talk.change(TurnDrop(step=gone), MidPut(cluster=left))
    again = turn(9, "the backups of the database")
    talk.change(TurnDrop(step=9), TurnAdd(turn=again))
    talk.embed()

    loaded = talk.loaded()
    clusters = talk.conversation.clusters_in_order()

    known = talk.conversation.topics.sums(clusters, talk.conversation.verbatim)
    for one, other in zip(known, loaded.topics.sums(clusters, loaded.verbatim), strict=True):
        assert one == pytest.approx(other, abs=1e-6)


def test_only_turns_of_named_clusters_are_found() -> None:
    talk = Talk(FEW)
    talk.say(
        turn(1, "the ferry leaves at nine"), turn(2, "the ferry leaves at ten"), turn(3, "渡轮"), turn(4, "b")
    )
    talk.embed()
    talk.change(
        *(MidPut(cluster=TurnCluster(cluster_id=f"c{step}", steps=(step,))) for step in (1, 2)),
    )

    def found(*clusters: str) -> list[int]:
        query = asked("When does the ferry leave?", 10)
        return sorted(hit.turn.step for hit in search_turns(talk.conversation, query, SPACE, clusters))

    assert found() == [1, 2, 3, 4]
    assert found("c2") == [2]
    assert found("c1", "c2", "c9") == [1, 2]
    assert found("c9") == []


def test_placing_waits_for_the_vectors_of_the_turn_whose_turn_it_is() -> None:
    talk = Talk(FEW)
    talk.say(*(turn(step, f"input {step}") for step in range(1, 6)))

    assert placings(talk.conversation, SPACE, 0.3) == ([], 0)


def test_the_coldest_cluster_is_folded_unless_it_is_of_late() -> None:
    talk = Talk(FEW)
    talk.say(*(turn(step, f"word{step}") for step in range(1, 300)))
    talk.change(*(MidPut(cluster=TurnCluster(cluster_id=f"c{s}", steps=(s,))) for s in (1, 50, 200)))

    found = coldest(talk.conversation)

    assert found is not None
    assert found.cluster_id == "c1"

    talk.change(MidPut(cluster=TurnCluster(cluster_id="c1", steps=(1, 299))))
    talk.change(MidPut(cluster=TurnCluster(cluster_id="c50", steps=(50, 298))))

    assert coldest(talk.conversation) is None


def test_the_clusters_that_fit_a_query_are_recalled_best_first() -> None:
    talk = Talk(FEW)
    talk.say(
        turn(1, "the ferry leaves at nine"), turn(2, "backups run every night"), turn(3, "a"), turn(4, "b")
    )
    talk.embed()
    place(talk, LINE)

    found = recalled(talk.conversation, asked("When does the ferry leave?"), SPACE, 1)

    assert [(cluster.steps, 0.0 < score <= 1.0) for cluster, score in found] == [((1,), True)]


@pytest.mark.parametrize(
    "said", ["When does ferry 7 leave?", "第3次备份成功了吗？", "nothing of it", "ferry 12"]
)
def test_of_a_large_conversation_the_same_is_recalled_without_a_look_at_all_of_it(
    said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = Talk(Tiers(short_turns=2, max_clusters=4, cluster_turns=8))
    talk.say(
        *(turn(step, f"When does ferry {step} leave?", f"第{step}次备份已经完成。") for step in range(1, 41))
    )
    talk.embed()
    place(talk)
    query = asked(said)
    whole = recall(talk.conversation, query, SPACE, top_clusters=2, singles=5)
    monkeypatch.setattr(mid, "LARGE", 10)

    found = recall(talk.conversation, query, SPACE, top_clusters=2, singles=5)

    assert fitting(talk.conversation, query, SPACE).known is None
    assert found.clusters
    assert (found.clusters, found.turns, found.best) == (whole.clusters, whole.turns, whole.best)


def test_a_loaded_conversation_says_what_the_living_one_says() -> None:
    talk = Talk(FEW)
    talk.say(*(turn(step, f"the ferry number {step}", f"leaves at {step} o'clock") for step in range(1, 30)))
    talk.embed()
    place(talk)
    place(talk)
    talk.change(
        TurnDrop(step=10),
        *(
            MidPut(cluster=replace(c, steps=tuple(s for s in c.steps if s != 10)))
            for c in talk.conversation.clusters.values()
            if 10 in c.steps
        ),
    )
    loaded = talk.loaded()

    query = asked("When does the ferry number 11 leave?", 20)

    assert loaded.state() == talk.conversation.state()
    assert search_turns(loaded, query, SPACE) == search_turns(talk.conversation, query, SPACE)
    assert recalled(loaded, query, SPACE, 5) == recalled(talk.conversation, query, SPACE, 5)
    assert not loaded.verbatim.wanting


def test_of_the_turns_that_wait_for_their_cluster_only_those_shown_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    talk = Talk()
    talk.say(*(turn(step, f"input {step}") for step in range(1, SHORT_SHOWN + 6)))
    reading = Mock(wraps=talk.conversation.cached_turn)
    monkeypatch.setattr(talk.conversation, "cached_turn", reading)

    recalled_ = recall(talk.conversation, asked("anything"), SPACE, top_clusters=1, singles=0)

    assert numbers(recalled_.short) == list(range(6, SHORT_SHOWN + 6))
    assert reading.call_count == SHORT_SHOWN


def test_a_deleted_turn_is_found_no_more() -> None:
    talk = Talk(FEW)
    talk.say(turn(1, "the secret word is marmalade"), turn(2, "hello"))
    talk.embed()

    talk.change(TurnDrop(step=1))

    assert all(h.turn.step == 2 for h in search_turns(talk.conversation, asked("secret marmalade"), SPACE))
    assert list(talk.conversation.short_steps) == [2]


def test_a_conversation_that_rests_keeps_little_and_says_the_same_when_it_wakes() -> None:
    talk = Talk(FEW)
    talk.say(*(turn(step, f"the ferry number {step}", f"leaves at {step} o'clock") for step in range(1, 60)))
    talk.embed()
    place(talk)
    resting, query = talk.loaded(), asked("When does the ferry number 11 leave?", 20)
    awake = resting.size
    expected = search_turns(resting, query, SPACE)

    resting.rest()

    assert resting.rests
    assert resting.size < awake
    assert resting.state() == talk.conversation.state()
    assert not resting.indexes.words
    resting.wake(resting.made_again())
    assert not resting.rests
    assert search_turns(resting, query, SPACE) == expected
    assert recalled(resting, query, SPACE, 5) == recalled(talk.conversation, query, SPACE, 5)


def test_a_conversation_that_rests_is_woken_by_a_change() -> None:
    talk = Talk(FEW)
    talk.say(turn(1, "the secret word is marmalade"), turn(2, "hello"))
    talk.embed()
    talk.conversation.rest()

    talk.change(TurnDrop(step=1))
    talk.say(turn(3, "the word is custard now"))

    assert not talk.conversation.rests
    assert [h.turn.step for h in search_turns(talk.conversation, asked("the word", 5), SPACE)] == [3, 2]


def test_a_conversation_whose_vectors_are_wanting_does_not_rest() -> None:
    talk = Talk(FEW)
    talk.say(turn(1, "hello"))

    talk.conversation.rest()

    assert not talk.conversation.rests
