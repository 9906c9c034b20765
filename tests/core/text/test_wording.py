"""The words of a text: the same however it is written, others where it means something else."""

import pytest

from core.text.wording import content_words, words_of

FERRY = "The ferry to Naxos leaves at 9:30, from pier 3."
BOAT = "渡轮九点从三号码头出发,票价12元。"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (FERRY, "  the ferry\nto Naxos — leaves at 9:30 from PIER 3"),
        (FERRY, "Ｔｈｅ ｆｅｒｒｙ to Naxos leaves at ９：３０ from pier ３！"),
        (FERRY, "“The ferry to Naxos leaves at 9:30, from pier 3”"),
        ("a well-informed crew", "a well-in-\nformed crew"),
        (BOAT, "渡轮 九点,从三号\n码头出发。票价１２元"),
        ("温度是 −5 度", "温度是-5度"),
        ("l'été à Naxos", "L'ÉTÉ à NAXOS"),
    ],
)
def test_case_width_space_and_punctuation_do_not_count(one: str, other: str) -> None:
    assert words_of(one) == words_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The ferry leaves at nine.", "The ferry does not leave at nine."),
        ("The ferry is open.", "The ferry is not open."),
        ("The ferry leaves at nine.", "The ferry leaves at nine?"),
        ("A ticket is €5.", "A ticket is $5."),
        ("It grew by 5 %.", "It grew by 5."),
        ("It is 5 degrees.", "It is -5 degrees."),
        ("version 1.5", "version 15"),
        ("[x] the bill is paid", "[ ] the bill is paid"),
        ("✓ paid", "✗ paid"),
        ("他去码头", "他不去码头"),
        ("票价12元吗?", "票价12元。"),
        ("में", "मैं"),
    ],
)
def test_what_changes_a_meaning_counts(one: str, other: str) -> None:
    assert words_of(one) != words_of(other)


def test_what_has_no_words_has_none() -> None:
    assert [words_of(text) for text in ("", " \n", "---", "***", "。。。")] == [""] * 5


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("It is not the same as that of the others.", 1),
        ("The ferry to Naxos leaves at nine.", 4),
        (FERRY, 5),
        ("the ferry, the ferry, the ferry", 1),
        ("会议改到周三", 4),
        ("是的,他们都在这里了", 1),
        (BOAT, 5),
        ("渡轮每天早上九点" * 5, 5),
    ],
)
def test_words_of_content_are_counted_once_and_as_far_as_asked(text: str, count: int) -> None:
    assert content_words(words_of(text), 5) == count
