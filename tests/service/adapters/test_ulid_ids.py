"""Generated ids: unique, sorting by time of making, fit to be ids."""

from core.ids import is_id
from service.adapters.ulid_ids import UlidIds


def test_an_id_has_its_prefix_and_is_one() -> None:
    made = UlidIds().new("n")

    assert made.startswith("n-")
    assert is_id(made)
    assert len(made) == 2 + 26


def test_ids_ascend_within_a_millisecond_and_over_a_clock_that_steps_back() -> None:
    times = iter([5, 5, 5, 3, 6])
    randoms = iter([2**80 - 1, 0, 7, 9, 1])
    ids = UlidIds(lambda: next(times), lambda bits: next(randoms))

    made = [ids.new("i") for _ in range(5)]

    assert made == sorted(made)
    assert len(set(made)) == 5


def test_many_ids_are_all_different_and_in_order() -> None:
    ids = UlidIds()

    made = [ids.new("i") for _ in range(20_000)]

    assert made == sorted(set(made))
