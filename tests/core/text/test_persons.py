"""Whether a text is about whoever says it."""

import pytest

from core.text.persons import speaks_of_itself


@pytest.mark.parametrize(
    "text",
    [
        "I’m fine.",
        "im off",
        "Thank you, that is MY boat",
        "We left.",
        "so we've won",
        "it is mine",
        "ourselves",
        "for us?",
        "me-too",
        "昨天我去了。",
        "咱们走吧",
    ],
)
def test_it_is(text: str) -> None:
    assert speaks_of_itself(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "In Rome, at six.",
        "他去了北京。",
        "imminent weather",
        "the menu of a museum, our2 and _i",
        "bus, flour, awe",
    ],
)
def test_it_is_not(text: str) -> None:
    assert not speaks_of_itself(text)
