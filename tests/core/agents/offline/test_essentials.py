"""What two facts must have in common before one stands for the other."""

import pytest

from core.agents.offline.denials import denied
from core.agents.offline.essentials import have_equal_essentials

EQUAL = [
    ("Acme was founded by Jane Doe.", "Jane Doe established Acme."),
    ("The rent is 1.5k euros.", "I pay €1,500 in rent."),
    ("She doesn't eat meat.", "She never eats meat."),
    ("赵宁是晨报的主编。", "晨报的主编是赵宁。"),
    ("我不吃肉。", "我从不吃肉。"),
]
UNEQUAL = [
    ("The rent is 900 euros.", "I pay 950 euros in rent."),
    ("My brother lives in York.", "My brother lives in Graz."),
    ("Ann lives in York.", "Bob lives in York."),
    ("I eat meat.", "I do not eat meat."),
    ("The exam is on 4 March.", "I sit the exam on 5 March."),
    ("我吃肉。", "我不吃肉。"),
    ("小明住在上海。", "小明住在北京。"),
]


@pytest.mark.parametrize(("a", "b"), EQUAL)
def test_paraphrases_have_equal_essentials(a: str, b: str) -> None:
    assert have_equal_essentials(a, b)
    assert have_equal_essentials(b, a)


@pytest.mark.parametrize(("a", "b"), UNEQUAL)
def test_another_amount_name_or_denial_is_another_fact(a: str, b: str) -> None:
    assert not have_equal_essentials(a, b)
    assert not have_equal_essentials(b, a)


def test_what_is_denied_stands_behind_the_word_that_denies() -> None:
    assert denied("No, it's Mishka, not Miso.") >= {"miso"}
    assert "mishka" not in denied("The cat is Mishka, not Miso.")
