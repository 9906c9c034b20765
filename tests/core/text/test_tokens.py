import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.tokens import estimate


@pytest.mark.parametrize(
    ("text", "at_least", "at_most"),
    [
        ("", 0, 0),
        ("The quick brown fox jumps over the lazy dog.", 10, 20),  # 10 in byte-pair vocabularies
        ("量子计算机的硬件进展非常迅速。", 12, 25),
        ("2023-05-07 14:30", 9, 20),
        ("👍👍", 4, 8),
    ],
)
def test_the_estimate_errs_high_but_not_wildly(text: str, at_least: int, at_most: int) -> None:
    assert at_least <= estimate(text) <= at_most


@given(st.text(), st.text())
def test_a_text_takes_no_more_than_its_parts_and_no_less_than_either(left: str, right: str) -> None:
    whole = estimate(f"{left} {right}")

    assert max(estimate(left), estimate(right)) <= whole <= estimate(left) + estimate(right)
