"""A conflict settled by a person: both sides with what differs, one question, and the next prompt is another."""

from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from console.differing import MOST_WORDS, pieces, placed
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import types_pb2 as types
from tests.support.console import Browser, words_of
from tests.support.console_memory import NINE, TEN, Remembered

NAMES = count(1)
QUESTION = "When does the ferry to Naxos leave?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contested:
    """A bank with a conflict."""

    bank_id: str
    conflict_id: str


@pytest.fixture
def contested(browser: Browser) -> Contested:
    """A bank of the test's own, whose conflict is open."""
    bank_id = f"contested-{next(NAMES)}"
    browser.client.create_bank(bank_id=bank_id)
    _, told = (browser.client.memorize(bank_id=bank_id, text=text) for text in (NINE, TEN))
    return Contested(bank_id=bank_id, conflict_id=told.conflict_ids[0])


def conflict_of(browser: Browser, memory: Contested | Remembered) -> types.Conflict:
    listed = browser.client.list_conflicts(bank_id=memory.bank_id, statuses=types.ConflictStatus.values()[1:])
    return next(each for each in listed.conflicts if each.conflict_id == memory.conflict_id)


def settled(browser: Browser, memory: Contested, **chosen: str) -> str:
    """The page after a choice and its confirmation."""
    page = browser.page(f"/conflict?bank={memory.bank_id}&conflict={memory.conflict_id}")
    asked = browser.submit(page, "/change/ask", **chosen)
    assert asked.status_code == 200
    assert conflict_of(browser, memory).status == types.CONFLICT_STATUS_OPEN, "asking changes nothing"
    return browser.submit(asked.text, "/change/do").text


def test_both_sides_stand_there_with_what_differs_and_what_they_rest_on(
    browser: Browser, memory: Remembered
) -> None:
    page = browser.page(f"/conflict?bank={memory.bank_id}")

    assert "<mark>nine</mark>" in page
    assert "<mark>ten</mark>" in page
    assert "timetable It takes cars." in words_of(page)
    assert f"{NINE} It takes cars." in words_of(page)


def test_the_side_chosen_is_the_verdict_and_the_next_prompt_says_so(
    browser: Browser, contested: Contested
) -> None:
    sides = [side.quote for side in conflict_of(browser, contested).sides]
    before = browser.client.augment(bank_id=contested.bank_id, query=QUESTION).prompt

    said = settled(browser, contested, choice=f"side-{sides.index(NINE) + 1}")

    assert "Settled." in words_of(said)
    assert conflict_of(browser, contested).verdict == NINE
    assert conflict_of(browser, contested).status == types.CONFLICT_STATUS_RESOLVED
    after = browser.client.augment(bank_id=contested.bank_id, query=QUESTION).prompt
    assert ("CONTESTED" in before, TEN in before) == (True, True)
    assert ("CONTESTED" in after, NINE in after) == (False, True)


@pytest.mark.parametrize(
    ("choice", "words", "status", "verdict"),
    [
        ("none", "not heeded", types.CONFLICT_STATUS_DISMISSED, ""),
        (
            "both",
            "Nine on weekdays, ten on Sundays.",
            types.CONFLICT_STATUS_DISMISSED,
            "Nine on weekdays, ten on Sundays.",
        ),
        (
            "other",
            "The ferry leaves at eleven.",
            types.CONFLICT_STATUS_RESOLVED,
            "The ferry leaves at eleven.",
        ),
    ],
)
def test_a_conflict_is_closed_as_chosen(
    browser: Browser, contested: Contested, choice: str, words: str, status: int, verdict: str
) -> None:
    settled(browser, contested, choice=choice, words=words)

    closed = conflict_of(browser, contested)
    assert (closed.status, closed.verdict) == (status, verdict)
    assert "All settled" in words_of(browser.page(f"/conflict?bank={contested.bank_id}"))


def test_a_choice_that_needs_words_is_not_taken_without(browser: Browser, memory: Remembered) -> None:
    page = browser.page(f"/conflict?bank={memory.bank_id}")

    refused = [
        browser.submit(page, "/change/ask", choice=choice) for choice in ("both", "other", "side-9", "")
    ]

    assert [answer.status_code for answer in refused] == [400] * 4
    assert conflict_of(browser, memory).status == types.CONFLICT_STATUS_OPEN


def test_a_confirmation_sent_twice_happens_once_and_one_of_old_reading_not_at_all(
    browser: Browser, contested: Contested
) -> None:
    page = browser.page(f"/conflict?bank={contested.bank_id}")
    asked = browser.submit(page, "/change/ask", choice="none").text
    late = browser.submit(page, "/change/ask", choice="side-1").text

    first, second = (browser.submit(asked, "/change/do") for _ in range(2))
    third = browser.submit(late, "/change/do")

    assert (first.status_code, second.status_code) == (200, 200)
    assert third.status_code == 409
    assert conflict_of(browser, contested).status == types.CONFLICT_STATUS_DISMISSED


def test_of_two_facts_the_one_chosen_stands(browser: Browser) -> None:
    owner: dict[str, Any] = {"user": "ida", "collection": ""}
    for town in ("Porto", "Lisbon"):
        browser.client.store_fact(**owner, content=f"Ada lives in {town}.", wait=True)
    page = browser.page("/doubt?user=ida&collection=")
    assert "<mark>Porto</mark>" in page

    asked = browser.submit(page, "/change/ask")
    done = browser.submit(asked.text, "/change/do")

    assert done.status_code == 200
    states = [record.state for record in browser.client.list_records(**owner).records]
    assert sorted(states) == [long_term.RECORD_STATE_ACTIVE, long_term.RECORD_STATE_SUPERSEDED]
    assert "All settled" in words_of(done.text)


def test_what_waits_for_a_verdict_is_listed(browser: Browser, memory: Remembered) -> None:
    page = browser.page("/conflicts")

    assert f"/conflict?bank={memory.bank_id}" in page
    assert "contested facts:" in words_of(page)


WORDS = st.lists(st.sampled_from(["nine", "ten", " ", ".", "九点", "the", "<b>", "\u202e"])).map("".join)


@settings(max_examples=50)
@given(WORDS, WORDS)
def test_pieces_joined_are_the_text_and_equal_texts_differ_nowhere(text: str, other: str) -> None:
    assert "".join(piece.text for piece in pieces(text, other)) == text
    assert "".join(piece.text for piece in placed(text, other)) == text
    assert not any(piece.differs for piece in pieces(text, text.upper() if text.isascii() else text))


def test_signs_of_chinese_are_told_apart_one_by_one() -> None:
    marked = [piece.text for piece in pieces("渡轮九点开船。", "渡轮十点开船。") if piece.differs]

    assert marked == ["九"]


def test_texts_too_long_to_compare_are_shown_whole() -> None:
    long = "word " * MOST_WORDS

    assert [piece.differs for piece in pieces(long, "other")] == [False]
