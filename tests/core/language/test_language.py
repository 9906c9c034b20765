"""What language a text is in, and how one is written in it."""

from datetime import UTC, datetime

import pytest

from core.language import CHINESE, ENGLISH, LANGUAGES, UNDETERMINED, UNSPACED, Language, language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The ferry leaves at nine.", ENGLISH),
        ("Le bac part à neuf heures.", ENGLISH),
        ("渡轮九点开。", CHINESE),
        ("用 deep_retrieval 查看原文。", CHINESE),
        ("The word 你好 is a greeting in that language.", ENGLISH),
        ("OK 好的", CHINESE),
        ("", UNDETERMINED),
        ("12:30 — 9,5 %", UNDETERMINED),
        ("Паром отходит в девять.", UNDETERMINED),
        ("نوکا نو بجے روانہ ہوتی ہے۔", UNDETERMINED),
        ("배는 아홉 시에 떠난다.", UNDETERMINED),
        ("大阪に住んでいます。", UNSPACED),
        ("東京都庁の職員採用試験を受けた", UNSPACED),
        ("The Паром leaves at nine.", ENGLISH),
    ],
)
def test_a_text_is_in_the_language_of_most_of_its_words(text: str, language: Language) -> None:
    assert language_of(text) is language


def test_days_are_written_in_few_tokens() -> None:
    day = datetime(2024, 5, 8, tzinfo=UTC)

    assert [language.dates.written(day) for language in LANGUAGES] == ["8 May 2024", "2024年5月8日"]


def test_what_has_no_folder_is_given_english_headings() -> None:
    assert UNDETERMINED.headings is ENGLISH.headings
    assert UNDETERMINED.task_headings is ENGLISH.task_headings
