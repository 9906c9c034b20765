import hashlib
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import analysis
from core.text.analysis import terms
from tests.support.real_texts import calibration

ODDITIES = (
    "The U.S. bought GPT-4, C++ and F# at 10:30; John's 1,000 e-mails of 3.5 MB",
    "a speci\u2010\n  fied value, user-\nfriendly",
    "ＧＰＴ－４与机器学习，2024年3月；ひらがな 한국어 हिन्दी भाषा ไทย naïve Straße",
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Cats were running", ["cat", "run"]),
        ("John's dog, the Smiths' cat and O’Brien", ["john", "dog", "smith", "cat", "obrien", "o", "brien"]),
        ("They don't, can't and ain't: we'll see", ["see"]),
        ("The U.S. at 5 p.m.", ["us", "5", "pm"]),
        ("3.5 of 1,000 or 12,50", ["3.5", "1000", "1250", "12", "50"]),
        ("GPT-4", ["gpt4", "gpt", "4"]),
        ("e-mails", ["email", "e", "mail"]),
        ("2023-05-07", ["20230507", "2023", "05", "07"]),
        ("C++ and C#", ["c++", "c#"]),
        ("snake_case __ --", ["snakecas", "snake", "case"]),
        ("a speci\u2010\n   fied value", ["specifi", "speci", "fie", "valu"]),
        ("user-\nfriendly - or\n- not", ["userfriend", "user", "friend"]),
        ("wait...what? Done.Next", ["wait", "donenext", "done", "next"]),
    ],
)
def test_english_is_stemmed_and_keeps_numbers_and_names(text: str, expected: list[str]) -> None:
    found = terms(text)

    assert found == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("机器学习", ["机器", "器学", "学习"]),
        ("我，猫。", ["我", "猫"]),
        ("使用GPT-4模型", ["使用", "gpt4", "gpt", "4", "模型"]),
        ("2023年5月，营收3.5亿", ["2023", "年", "5", "月", "营收", "3.5", "亿"]),
        ("東京タワー", ["東京", "京タ", "タワ", "ワー"]),
        ("한국어", ["한국", "국어"]),
        ("𠮷野家", ["𠮷野", "野家"]),
    ],
)
def test_text_without_spaces_is_cut_into_pairs_of_characters(text: str, expected: list[str]) -> None:
    found = terms(text)

    assert found == expected


def test_words_of_other_scripts_stay_whole_with_their_marks() -> None:
    found = terms("हिन्दी भाषा, Привет МИР, ภาษาไทย")

    assert found == ["हिन्दी", "भाषा", "привет", "мир", "ภาษาไทย"]


def test_wide_forms_and_case_do_not_matter() -> None:
    assert terms("ＧＰＴ－４　ＣＡＦÉ") == terms("gpt-4 café")


def test_a_question_of_function_words_asks_for_nothing() -> None:
    assert terms("Who were you, and why?") == []


def test_a_blob_becomes_one_short_term() -> None:
    found = terms("A" * 10_000 + " " + "7" * 10_000)

    assert [len(term) for term in found] == [64, 64]


def test_threads_agree() -> None:
    text = "Running dogs in 1,000 cities — 机器学习 GPT-4 " * 50

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(terms, [text] * 32))

    assert all(answer == terms(text) for answer in answers)


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_gives_terms_whatever_its_normal_form(text: str) -> None:
    found = terms(text)

    assert all(found)
    assert terms(unicodedata.normalize("NFD", text)) == found


@given(st.text())
def test_terms_are_the_same_when_met_again(text: str) -> None:
    assert terms(text) == terms(text)


def test_the_edition_is_raised_when_the_rules_change() -> None:
    """What was derived under an edition is taken up again under the same one: see `core.bank.restoring`."""
    texts = [*calibration("english"), *calibration("chinese"), *ODDITIES]
    made = "\n".join(" ".join(terms(text)) for text in texts)

    assert (analysis.EDITION, hashlib.sha256(made.encode()).hexdigest()[:16]) == (2, "df9ecf569ba849c4")


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_ascii_text_is_cut_as_any_other(text: str) -> None:
    assert analysis._ASCII_TOKEN.findall(text.casefold()) == analysis._TOKEN.findall(text.casefold())
