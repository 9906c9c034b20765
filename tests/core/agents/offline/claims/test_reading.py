import pytest

from core.agents.offline.claims.reading import read


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
