"""Which inputs need nothing from memory."""

import pytest

from core.text.needs import has_need


@pytest.mark.parametrize(
    "text",
    [
        "Thanks!",
        "Thank you so much for your help!",
        "ok great, see you tomorrow",
        "Hi there, good morning everyone",
        "How are you?",
        "You’re welcome.",
        "👍",
        "好的，谢谢！",
        "你好",
        "收到，明天见",
        "太好了，辛苦了！",
    ],
)
def test_a_greeting_thanks_assent_or_goodbye_needs_nothing(text: str) -> None:
    assert not has_need(text)


@pytest.mark.parametrize(
    "text",
    [
        "Thanks, and the ferry?",
        "How much is it?",
        "Is that right about Ann?",
        "See you at 9",
        "Danke schön!",
        "thank you thank you thank you thank you thank you",
        "船几点开？",
        "好的，那预算呢？",
        "谢谢，8点见",
    ],
)
def test_whatever_says_anything_else_or_is_of_another_language_has_a_need(text: str) -> None:
    assert has_need(text)
