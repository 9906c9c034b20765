"""What is never taken for a paraphrase, however near the embedder finds it."""

import pytest

from core.agents.offline.claims.reading import read
from core.agents.offline.sameness import contains

NEVER_THE_SAME = (
    ("Rosa's mentor is Emil.", "Emil's mentor is Rosa."),
    ("The letter goes from the bank to the tenant.", "The letter goes from the tenant to the bank."),
    ("The pump is up.", "The pump is down."),
    ("The alarm is turned on at night.", "The alarm is turned off at night."),
    ("The tram is in service.", "The tram is out of service."),
    ("The key is here.", "The key still isn't here."),
    ("老罗是小冯的师傅。", "小冯是老罗的师傅。"),
    ("红队输给了黄队。", "黄队输给了红队。"),
    ("轮渡到码头。", "轮渡不到码头。"),
    ("先刷漆，再铺地板。", "先铺地板，再刷漆。"),
    ("铺地板之前先刷漆。", "刷漆之前先铺地板。"),
    ("刷漆在铺地板之后。", "先刷漆，再铺地板。"),
    ("缆车是免费的。", "缆车是收费的。"),
    ("The printer on the first floor is online.", "The printer on the first floor is offline."),
    ("小芸拿到了签证。", "小芸至今没拿到签证。"),
)
THE_SAME = (
    ("The mentor of Rosa is Emil.", "Rosa's mentor is Emil."),
    ("It is not possible to cross the ford.", "It is impossible to cross the ford."),
    ("老罗是小冯的师傅。", "小冯的师傅是老罗。"),
)


@pytest.mark.parametrize(("a", "b"), NEVER_THE_SAME)
def test_what_is_turned_round_or_denied_is_not_the_same(a: str, b: str) -> None:
    assert not contains(read(a), read(b), near=True)
    assert not contains(read(b), read(a), near=True)


@pytest.mark.parametrize(("a", "b"), THE_SAME)
def test_the_same_turned_another_way_is_the_same(a: str, b: str) -> None:
    assert contains(read(a), read(b), near=True)
