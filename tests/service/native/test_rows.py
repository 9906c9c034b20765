"""Values made natively out of rows are the ones that Python would make, and share what is equal."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from service.native import rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    name: str
    text: str
    again: str
    words: tuple[str, ...]
    time: object


def time(cells: list[int], _texts: dict[str, str]) -> list[str]:
    return [f"time {cell}" for cell in cells]


def columns(read: Callable[..., Any] = time) -> Any:
    return (
        (Said.name, 0, rows.SHARED, None),  # type: ignore[misc]
        (Said.text, 0, rows.AS_IT_IS, None),  # type: ignore[misc]
        (Said.again, 0, rows.AS_IT_IS, None),  # type: ignore[misc]
        (Said.words, 1, rows.LIST, lambda text: tuple(json.loads(text))),  # type: ignore[misc]
        (Said.time, 2, rows.TOGETHER, read),  # type: ignore[misc]
    )


def fresh(text: str) -> str:
    """An equal text that is another object."""
    return text.encode().decode()


def row(number: int) -> tuple[Any, ...]:
    return (
        fresh("李雷"),
        fresh(f"text {number}"),
        fresh(f"text {number}"),
        '["river","河边"]',
        number % 2,
        b"beside",
    )


def test_a_value_has_each_column_in_its_slot() -> None:
    made = rows.made(Said, columns(), {}, [row(4), row(5)])

    assert made == [
        Said(name="李雷", text="text 4", again="text 4", words=("river", "河边"), time="time 0"),
        Said(name="李雷", text="text 5", again="text 5", words=("river", "河边"), time="time 1"),
    ]


def test_what_is_equal_is_one_object() -> None:
    texts: dict[str, str] = {}

    one, other = rows.made(Said, columns(), texts, [row(1), row(2)])
    (later,) = rows.made(Said, columns(), texts, [row(3)])

    assert one.text is one.again
    assert one.name is other.name
    assert one.words[1] is other.words[1] is later.words[1]
    assert set(texts) == {"river", "河边"}


def test_a_number_that_comes_again_is_one_object_and_none_of_another_type() -> None:
    numbers = [int("1000"), int("1000"), 1000.0, int("1000")]

    made = rows.made(Said, columns(), {}, [(number, *row(1)[1:]) for number in numbers])

    found: list[object] = [said.name for said in made]
    assert found[0] is found[1] is found[3]
    assert found[2] is numbers[2]


def test_what_is_read_together_is_read_once() -> None:
    asked: list[list[int]] = []

    def read(cells: list[int], _texts: dict[str, str]) -> list[int]:
        asked.append(cells)
        return [-cell for cell in cells]

    made = rows.made(Said, columns(read), {}, [row(number) for number in range(6)])

    assert asked == [[0, 1]]
    assert [said.time for said in made] == [0, -1, 0, -1, 0, -1]


def test_none_is_none_in_every_column() -> None:
    (made,) = rows.made(Said, columns(), {}, [(None,) * 5])

    assert [getattr(made, name) for name in ("name", "text", "again", "words", "time")] == [None] * 5


def test_a_row_that_is_too_short_is_refused() -> None:
    with pytest.raises(ValueError, match="a column for each member"):
        rows.made(Said, columns(), {}, [row(1), row(2)[:4]])


def test_a_reader_that_gives_too_few_is_refused() -> None:
    with pytest.raises(ValueError, match="a value for each"):
        rows.made(Said, columns(lambda cells, _texts: cells[1:]), {}, [row(1)])


def test_what_a_reader_raises_comes_through() -> None:
    def read(cells: list[int], _texts: dict[str, str]) -> list[int]:
        raise KeyError(cells[0])

    with pytest.raises(KeyError):
        rows.made(Said, columns(read), {}, [row(1)])


def test_members_of_another_class_are_refused() -> None:
    with pytest.raises(TypeError):
        rows.made(str, columns(), {}, [row(1)])


@pytest.mark.parametrize(
    "value",
    [
        [],
        [""],
        ["a"],
        ["河边", "a,b", "[", "]", "😀"],
        [["i1", 0], ["i1", -12]],
        [[[]], 123456789012345678],
    ],
)
def test_a_list_reads_as_json_does(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    (read,) = rows.lists([text], {}, lambda _: "otherwise")

    assert json.loads(json.dumps(read)) == value
    assert isinstance(read, tuple)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "]",
        "[]]",
        '["a"',
        '["a]',
        '["a",]',
        '["a" ,"b"]',
        r'["a\"b"]',
        "{}",
        "[1.5]",
        "[-]",
        "[1e3]",
        "[true]",
        "[1234567890123456789]",
        '"a"',
        "[" * 9 + "]" * 9,
    ],
)
def test_any_other_text_is_left_to_another(text: str) -> None:
    assert rows.lists([text], {}, lambda asked: ("otherwise", asked)) == [("otherwise", text)]
