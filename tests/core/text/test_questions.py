"""Whether a text ends by asking."""

import pytest

from core.text.questions import asks


@pytest.mark.parametrize(
    "text", ["And you?", "那周末呢？", "Seen this?! 😀", "Is it yours? [a photo of a dog]", '"Why?"']
)
def test_it_ends_by_asking(text: str) -> None:
    assert asks(text)


@pytest.mark.parametrize("text", ["", "Really? Me too.", "真的吗？我也是", "It is [why?] so", "Fine."])
def test_it_does_not(text: str) -> None:
    assert not asks(text)
