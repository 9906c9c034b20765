"""What an answer is worth, by figures worked out by hand."""

import pytest

from evaluation.answers import Worth, compared, likest, worth_of

TEXT = (
    "8 May 2023 Ada: The ferry to Naxos leaves at nine. We need three tickets.\n"
    "Bob: The museum opens at ten.\n小李：渡轮九点开往纳克索斯。票价十二欧元。"
)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("When does the ferry leave?", "8 May 2023 Ada: The ferry to Naxos leaves at nine."),
        ("how many tickets do we need", "We need three tickets."),
        ("when does the museum open?", "Bob: The museum opens at ten."),
        ("票价是多少？", "票价十二欧元。"),
        ("quantum chromodynamics", ""),
    ],
)
def test_the_sentence_with_most_rare_words_of_the_question_answers(question: str, sentence: str) -> None:
    assert likest(question, TEXT) == sentence


@pytest.mark.parametrize(
    ("said", "wanted", "worth"),
    [
        ("at nine", "At nine!", Worth(1.0, 1.0)),
        ("it leaves at nine", "nine", Worth(0.4, 0.25)),
        ("nine", "at nine sharp today", Worth(0.4, 0.049787)),  # e^(1 - 4/1)
        ("十二欧元", "十二元", Worth(6 / 7, 0.75)),
        ("ten", "nine", Worth(0.0, 0.0)),
        ("", "nine", Worth(0.0, 0.0)),
    ],
)
def test_words_are_compared(said: str, wanted: str, worth: Worth) -> None:
    assert compared(said, wanted) == pytest.approx(worth, abs=1e-6)


def test_a_text_is_worth_its_best_sentence() -> None:
    assert worth_of("how many tickets do we need", TEXT, "three tickets") == pytest.approx(
        Worth(2 / 3, 0.5), abs=1e-6
    )
