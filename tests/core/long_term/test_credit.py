"""Which records an answer cites, and what each has of an opinion on it."""

import pytest

from core.ids import RecordId
from core.long_term.credit import credited, shares
from core.long_term.settings import LongTermSettings
from core.long_term.worth import with_feedback
from tests.support.long_term import new

ONE, TWO, THREE = (RecordId(f"r-01m8kt{end}") for end in ("aa111", "bb222", "cc222"))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The ferry leaves at nine.", [1 / 3] * 3),
        (f"At nine ({ONE}).", [1.0, 0.0, 0.0]),
        ("渡轮九点出发[aa111]。", [1.0, 0.0, 0.0]),
        ("At nine [aa111], from pier 3 [bb222].", [0.5, 0.5, 0.0]),
        ("[222]", [1 / 3] * 3),  # too short
        ("aa111", [1 / 3] * 3),  # not in brackets
        ("[tbb222] [kt]", [0.0, 1.0, 0.0]),
    ],
)
def test_what_an_answer_cites_shares(answer: str, expected: list[float]) -> None:
    assert shares([ONE, TWO, THREE], answer) == expected


def test_an_end_that_two_have_cites_neither() -> None:
    ids = [RecordId("r-1aa222"), RecordId("r-2aa222")]

    assert shares(ids, "[aa222]") == [0.5, 0.5]


def test_a_share_moves_a_record_by_so_much_and_none_not_at_all() -> None:
    before = new("The ferry leaves at nine.")
    after = with_feedback(before, -1.0, LongTermSettings())

    half = credited(before, after, 0.5)

    assert half.reward == pytest.approx((before.reward + after.reward) / 2)
    assert half.confidence == pytest.approx((before.confidence + after.confidence) / 2)
    assert half.needs_revision
    assert credited(before, after, 0.0) == before
    assert credited(before, after, 1.0) == after
