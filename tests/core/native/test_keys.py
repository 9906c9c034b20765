"""The native table of rows by key, against a plain dict."""

from collections.abc import Hashable

import numpy as np
import pytest

from core.ids import InteractionId, SegmentRef
from core.native.keys import RowTable

KEYS: dict[str, list[Hashable]] = {
    "ids": [f"n-{number:05}" for number in range(5_000)],
    "references": [SegmentRef(InteractionId(f"i{number % 70}"), number // 70) for number in range(5_000)],
    "numbers that hash alike": [number << 40 for number in range(5_000)],
}


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("seed", range(3))
def test_keys_come_and_go_as_in_a_dict(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    keys: list[Hashable | None] = []
    table, plain = RowTable(keys), dict[Hashable, int]()
    for _ in range(20_000):
        key = KEYS[kind][int(rng.integers(10 + 3 * len(keys)) % 5_000)]
        row = plain.pop(key, None)
        if row is not None:
            assert table.pop(key) == row
            keys[row] = None
        elif None in keys[-50:]:
            plain[key] = row = len(keys) - 1 - keys[::-1].index(None)
            keys[row] = key
            table.add(row)
        else:
            plain[key] = len(keys)
            keys.append(key)
            table.add(len(keys) - 1)

    assert len(table) == len(plain)
    assert table.rows(KEYS[kind]) == [plain.get(key, -1) for key in KEYS[kind]]
    anew = RowTable(keys)
    assert anew.rows(iter(KEYS[kind])) == table.rows(KEYS[kind])
    assert [key in anew for key in KEYS[kind]] == [key in plain for key in KEYS[kind]]


def test_an_equal_key_finds_the_row_as_the_very_key_does() -> None:
    table = RowTable([None, "a-key", ("i", 7)])

    assert table.rows([b"a-key".decode(), ("i", 7), SegmentRef(InteractionId("i"), 7), None]) == [
        1,
        2,
        2,
        -1,
    ]
    assert table.get("other") == table.pop("other") == -1


def test_rows_far_apart_are_told_apart() -> None:
    keys: list[str | None] = [None] * 3_000_000
    keys[5], keys[70_000], keys[-1] = "near", "further", "far"
    table = RowTable([])
    with pytest.raises(ValueError, match="beyond"):
        table.add(0)

    table = RowTable(keys)

    assert table.rows(["near", "further", "far", "none"]) == [5, 70_000, 2_999_999, -1]
    assert [table.pop("far"), table.pop("far"), len(table)] == [2_999_999, -1, 2]


def test_what_is_no_key_or_is_there_is_refused_and_changes_nothing() -> None:
    keys = ["one", "two", None, "two"]
    table = RowTable(keys[:2])
    with pytest.raises(ValueError, match="there"):
        RowTable(keys)
    table = RowTable(known := ["one", "two", None])

    for wrong in (-1, 0, 2, 3, 1 << 40):
        with pytest.raises(ValueError, match=r"key|row"):
            table.add(wrong)
    with pytest.raises(TypeError):
        table.get([])  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        table.rows(7)  # type: ignore[arg-type]

    assert (len(table), table.rows(["one", "two"])) == (2, [0, 1])
    known.clear()
    with pytest.raises(ValueError, match="beyond"):
        table.get("one")
