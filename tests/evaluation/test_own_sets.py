"""The project's own evaluation sets: whole, marked soundly, large enough, and the same in both languages."""

import json
from collections import Counter
from pathlib import Path

import pytest

from evaluation.documented import read
from evaluation.sets import EvaluationSet, World

FOLDER = Path(__file__).parents[1] / "bench" / "evaluation"
CHINESE = ("parallel_zh", "chinese")
ALL = ("parallel_en", *CHINESE)
CATEGORIES = {"multi-hop", "temporal", "open", "single-hop"}


def own(name: str) -> EvaluationSet:
    return read((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def only_world(name: str) -> World:
    (world,) = own(name).worlds
    return world


@pytest.mark.parametrize("name", ALL)
def test_no_message_is_both_evidence_and_a_hard_negative(name: str) -> None:
    for question in only_world(name).questions:
        assert question.hard_negatives, question.question_id
        assert not question.evidence & question.hard_negatives, question.question_id


@pytest.mark.parametrize("name", ALL)
def test_a_multi_hop_question_needs_two_to_four_messages(name: str) -> None:
    questions = only_world(name).questions

    assert {question.category for question in questions} == CATEGORIES
    for question in questions:
        assert question.category != "multi-hop" or 2 <= len(question.evidence) <= 4, question.question_id


@pytest.mark.parametrize("name", ALL)
def test_no_question_is_asked_twice(name: str) -> None:
    asked = Counter(question.text for question in only_world(name).questions)

    assert [text for text, times in asked.items() if times > 1] == []


def test_the_chinese_sets_are_large_enough_that_ten_hits_are_not_everything() -> None:
    worlds = [only_world(name) for name in CHINESE]

    assert sum(len(world.questions) for world in worlds) >= 300
    assert sum(world.message_count for world in worlds) >= 700
    assert min(world.message_count for world in worlds) >= 400


def test_the_parallel_set_is_the_same_in_both_languages_but_for_the_words() -> None:
    chinese, english = only_world("parallel_zh"), only_world("parallel_en")

    assert [shape(chinese), marks(chinese)] == [shape(english), marks(english)]
    assert len(chinese.questions) >= 150


def test_each_language_of_the_parallel_set_is_written_in_its_own_script() -> None:
    english = only_world("parallel_en")
    texts = [m.text for context in english.contexts for m in context.messages]
    texts += [question.text for question in english.questions]

    assert [text for text in texts if any("\u4e00" <= character <= "\u9fff" for character in text)] == []
    assert (own("parallel_zh").language, own("parallel_en").language) == ("zh", "en")


def shape(world: World) -> object:
    """What there is to remember, but for the words."""
    return [
        (context.interaction_id, context.event_time, [message.message_id for message in context.messages])
        for context in world.contexts
    ]


def marks(world: World) -> object:
    """What is asked and what counts, but for the words."""
    return [(q.question_id, q.category, q.evidence, q.hard_negatives) for q in world.questions]


def test_the_talks_are_two_conversations_of_a_hundred_turns_with_a_hundred_questions_in_both_languages() -> (
    None
):
    chinese, english = own("talks_zh"), own("talks_en")

    for ours, theirs in zip(chinese.worlds, english.worlds, strict=True):
        assert [shape(ours), marks(ours)] == [shape(theirs), marks(theirs)]
        roles = [message.role for context in ours.contexts for message in context.messages]
        assert roles == ["user", "assistant"] * 100
    assert sum(len(world.questions) for world in chinese.worlds) == 100
    assert not any(
        "\u4e00" <= character <= "\u9fff"
        for world in english.worlds
        for text in [q.text for q in world.questions] + [m.text for c in world.contexts for m in c.messages]
        for character in text
    )


def test_the_chats_are_three_with_an_assistant_whose_changes_are_told_in_their_messages() -> None:
    chats = own("chats")
    changes = json.loads((FOLDER.parents[1] / "judging" / "chats_changes.json").read_text(encoding="utf-8"))

    assert sum(len(world.questions) for world in chats.worlds) == 101
    assert {world.world_id for world in chats.worlds} == set(changes)
    for world in chats.worlds:
        messages = [message for context in world.contexts for message in context.messages]
        told = {message.message_id: place for place, message in enumerate(messages)}
        assert [message.role for message in messages] == ["user", "assistant"] * (len(messages) // 2)
        for change in changes[world.world_id]:
            assert min(told[m] for m in change["before"]) < min(told[m] for m in change["after"])
