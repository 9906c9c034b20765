"""Which sentences say how to answer from now on."""

import pytest

from core.text.standing_orders import is_standing_order


@pytest.mark.parametrize(
    "sentence",
    [
        "Always answer in metric units, please.",
        "Answer in metric units from now on.",
        "Please never start an answer with a compliment.",
        "When you write code for me, always add comments.",
        "I want you to always cite your sources.",
        "Don't ever call me by my full name.",
        "以后请一直用公制单位回答。",
        "以后回答短一点。",
        "从现在起，请用英文回复。",
        "不要再用表情符号了。",
        "每次回答都先给结论。",
    ],
)
def test_an_order_that_is_to_stand(sentence: str) -> None:
    assert is_standing_order(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "I always use dark mode.",
        "Never give up on what you love.",
        "Always look on the bright side of life.",
        "Write a poem that always rhymes.",
        "Explain why my car always stops.",
        "Always answer in French for this conversation.",
        "From now on I will get up early.",
        "For this trip only, book aisle seats.",
        "以后我想去冰岛。",
        "以后再说吧。",
        "以后都用不上了。",
        "这次请用英文回答。",
        "每次我回家都很晚。",
    ],
)
def test_what_somebody_does_always_or_what_is_bound_is_none(sentence: str) -> None:
    assert not is_standing_order(sentence)
