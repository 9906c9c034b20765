import pytest

from core.agents.offline.keywords import keywords, spread


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The CEO of Acme Robotics is Bob Smith.", {"Acme Robotics", "Bob Smith", "CEO"}),
        (
            "Alice moved to Paris in May 2021 and works at Dassault.",
            {"Alice", "Paris", "Dassault", "May 2021"},
        ),
        ("公司的首席执行官是李四。", {"首席执行官", "李四"}),
        ("IBM量子芯片技术", {"IBM", "量子芯片"}),
    ],
)
def test_names_terms_and_dates_are_keywords(text: str, expected: set[str]) -> None:
    assert expected <= set(keywords([text]))


def test_figures_keep_their_units() -> None:
    english = keywords(["The budget rose to $3.5 million in 2022, 12% more than before."])
    chinese = keywords(["2023年IBM发布了433量子比特的芯片。"])

    assert {"$3.5 million", "2022"} <= set(english)
    assert {"2023年", "433量子比特"} <= set(chinese)


@pytest.mark.parametrize("digits", ["1", "1,", "1.", "12 ", "一"])
def test_a_run_of_digits_without_end_is_read_in_linear_time(digits: str) -> None:
    found = keywords([f"{digits * 50_000} The budget is 1,234.5 kg, or 9,8 km."])

    assert {"1,234.5 kg", "9,8 km"} <= set(found)


def test_keywords_are_spelled_as_in_the_text_and_are_few() -> None:
    text = (
        "Transformers attend to tokens. Attention weights tokens. The attention heads of transformers differ. "
        * 3
    )

    found = keywords([text])

    assert 1 <= len(found) <= 8
    assert all(keyword.casefold() in text.casefold() for keyword in found)
    assert not {"the", "of", "to", "attent", "differ"} & set(found)


def test_a_phrase_stands_for_its_words() -> None:
    found = keywords(["The memory bank keeps nodes. A memory bank has edges. Our memory bank is small."])

    assert "memory bank" in found
    assert not {"memory", "bank"} & set(found)


def test_what_all_texts_speak_of_tells_less_than_what_one_does() -> None:
    texts = [
        f"The service uses a cache and a {part}." for part in ("router", "broker", "ledger", "scheduler")
    ]

    found = keywords(texts[:1], spread(texts))

    assert found.index("router") < found.index("cache")


def test_a_text_without_words_has_no_keywords() -> None:
    assert keywords(["", "--- ***", "the of and", "的了"]) == ()
