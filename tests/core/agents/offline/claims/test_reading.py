import pytest

from core.agents.offline.claims.reading import read
from core.agents.offline.claims.statement import Kind


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("Great, the bridge is open.", "the bridge is open."),
        ("Well, the rent is 900 euros.", "the rent is 900 euros."),
        ("OK so Anna lives in Lyon.", "Anna lives in Lyon."),
        ("Great Britain left the union.", "Great Britain left the union."),
        ("Great-uncle Fergus has handed in his licence.", "Great-uncle Fergus has handed in his licence."),
        ("Well-known firms pay more.", "Well-known firms pay more."),
        ("Yes-men get promoted.", "Yes-men get promoted."),
        ("Nice is a city in France.", "Nice is a city in France."),
        ("Well 3 is dry.", "Well 3 is dry."),
    ],
)
def test_what_is_said_ahead_is_no_part_of_a_statement_and_a_name_is(sentence: str, told: str) -> None:
    assert read(sentence).text == told


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("星澜新能源要52天，来不及。", ["星澜新能源"]),
        ("恒光电力承担防水责任五年。", ["恒光电力"]),
        ("国家电力很紧张。", []),
        ("杭州银行今天不开门。", ["杭州"]),
    ],
)
def test_a_firm_is_named_by_its_trade_behind_a_word_that_hardly_any_text_has(
    sentence: str, names: list[str]
) -> None:
    assert [term.key for term in read(sentence).terms if term.kind is Kind.NAME] == names


@pytest.mark.parametrize(
    ("sentence", "keys"),
    [
        ("欧老板说房间空着。", ["欧老板", "房间", "空"]),
        ("她说法语。", ["精通", "法语"]),
        ("他没说。", ["说"]),
    ],
)
def test_that_somebody_says_what_follows_is_no_part_of_it(sentence: str, keys: list[str]) -> None:
    assert [term.key for term in read(sentence).terms] == keys
