"""The native scores module at its own door; the formula it follows: `tests/core/bank/test_scoring.py`."""

import pytest

from core.native.scores import mixed


class Odd:
    """A key that hashes like all of its kind."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Odd) and self.name == other.name

    def __hash__(self) -> int:
        return -7


def test_keys_are_told_apart_by_what_they_are_and_not_by_their_hash() -> None:
    keys = [Odd(str(number % 50)) for number in range(200)]

    found = mixed(keys, [0.0] * 200, [number / 200 for number in range(200)], 0.0, 0.0, 1.0, 0.0, 200)

    assert [key.name for key, *_ in found] == [str(number) for number in reversed(range(50))]


def test_nothing_is_mixed_of_nothing_and_none_of_some() -> None:
    assert mixed([], [], [], 1.0, 0.0, 1.0, 0.5, 10) == []
    assert mixed(["a"], [1.0], [1.0], 1.0, 0.0, 1.0, 0.5, 0) == []


@pytest.mark.parametrize(
    ("bm25", "cosines", "floor", "refused"),
    [
        ([1.0], [0.5, 0.5], 0.0, ValueError),
        ([1.0, 1.0], [0.5], 0.0, ValueError),
        ([1.0, 1.0], [0.5, 0.5], 1.0, ValueError),
        ([1.0, "one"], [0.5, 0.5], 0.0, TypeError),
    ],
)
def test_what_is_no_list_of_candidates_is_refused(
    bm25: list[float], cosines: list[float], floor: float, refused: type[Exception]
) -> None:
    with pytest.raises(refused):
        mixed(["a", "b"], bm25, cosines, 1.0, floor, 1.0, 0.5, 10)


def test_a_key_that_cannot_be_hashed_is_refused() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        mixed([["a"]], [1.0], [1.0], 1.0, 0.0, 1.0, 0.5, 1)  # type: ignore[type-var]
