"""A message's own words are told from what is quoted, fenced and forwarded in it."""

import pytest

from core.text.own_words import own_sentences


def own(text: str) -> list[str]:
    return [sentence.text for sentence in own_sentences(text, 200)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I live in Leeds.", ["I live in Leeds."]),
        ('My dog is called "Rex". I like him.', ['My dog is called "Rex".', "I like him."]),
        ('It is 5" long. I live in Leeds.', ['It is 5" long.', "I live in Leeds."]),
        ("Hello\n> quoted.\n> more.\nI live in Leeds.", ["Hello", "I live in Leeds."]),
        ("On 3 May Bob wrote:\n> I have a cat.\n\nNice.", ["Nice."]),
        ("Before.\n```\nprint(1)\n```\nAfter.", ["Before.", "After."]),
        ("Before.\n~~~\nnever closed. I live in Leeds.", ["Before."]),
        ("Read this.\n---- Original Message ----\nI live in Leeds.", ["Read this."]),
        ("看一下。\n发件人：李雷\n主题：搬家\n我搬到杭州了。", ["看一下。"]),
        ("他说：“我住在杭州。我有两个孩子。”我没信。", ["他说：“我住在杭州。", "我没信。"]),
        ("«Ich bin Koch. Ich wohne in Ulm.» So steht es da.", ["So steht es da."]),
        ("- I have a cat\n- I live in Leeds", ["I have a cat", "I live in Leeds"]),
        ("", []),
    ],
)
def test_only_the_authors_sentences_are_found(text: str, said: list[str]) -> None:
    assert own(text) == said


@pytest.mark.parametrize(
    ("text", "led"),
    [
        ("About me:\n- I have a cat\n- I live in Leeds\n\nThanks.", [None, 0, 0, None]),
        ("Translate this:\n\nI live in Leeds. I have a cat.\n\nThanks.", [None, 0, 0, None]),
        ("Which one?\n1. I has a cat\n2. I have a cat", [None, 0, 0]),
        ("I live in Leeds. I have a cat.", [None, None]),
    ],
)
def test_what_introduces_a_sentence_is_known(text: str, led: list[int | None]) -> None:
    assert [sentence.led_by for sentence in own_sentences(text, 200)] == led


def test_a_long_message_is_read_in_the_time_of_a_long_message() -> None:
    signs = "“" * 20_000 + '"' * 20_001 + "> " * 10_000

    assert len(own_sentences(signs, 200)) <= 200
