"""JSON and XML as rows of fields."""

import json

import pytest

from core.text.data_runs import is_data
from core.text.fields import rows

FERRIES = [{"name": "Ferry 7", "to": "Naxos", "stops": ["Paros", "Ios"]}, {"name": "Ferry 8", "to": "Kea"}]
TIMETABLE = json.dumps({"season": "summer", "off": None, "ferries": FERRIES, "count": 2})


def test_each_object_is_a_row_behind_the_name_of_what_it_lies_in() -> None:
    assert rows(TIMETABLE) == [
        "season: summer; count: 2",
        "ferries: name: Ferry 7; to: Naxos",
        "stops: Paros, Ios",
        "ferries: name: Ferry 8; to: Kea",
    ]
    assert rows('{"船":[{"名称":"7号","到":"纳克索斯"}]}') == ["船: 名称: 7号; 到: 纳克索斯"]


def test_an_element_that_says_one_thing_is_a_field_of_the_one_it_lies_in() -> None:
    first, second = (
        '<ferry name="7"><to>Naxos &amp; Ios</to><note/></ferry>',
        "<ferry><to>纳克索斯</to></ferry>",
    )
    text = f'<t season="summer">{first}{second}</t>'

    assert rows(text) == ["t: season: summer", "ferry: name: 7; to: Naxos & Ios", "ferry: to: 纳克索斯"]


def test_a_part_that_was_cut_out_reads_as_the_whole() -> None:
    cut = TIMETABLE[TIMETABLE.index("mmer") :]

    assert rows(cut)[0].startswith("ferries: name: Ferry 7") or "name: Ferry 7" in "\n".join(rows(cut))
    assert all(": :" not in row and "{" not in row for row in rows(cut))


@pytest.mark.parametrize(
    "text",
    [
        'He said "hello": and then "bye": twice.',
        "The <b>bold</b> and the <i>slanted</i> word.",
        "<p>One</p><p>Two</p><p>Three</p>",
        'if x:\n    return {"a": 1}\nfor y in z:\n    print({"b": 2})',
        "List[int] {with} [brackets]",
        "",
    ],
)
def test_what_is_neither_has_no_rows(text: str) -> None:
    assert rows(text) == []


def test_one_line_without_spaces_is_words_where_its_fields_are() -> None:
    packed = json.dumps({"ferries": FERRIES * 3}, separators=(",", ":"))
    binary = json.dumps({"data": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0NTY3ODkw" * 20}, separators=(",", ":"))

    assert not is_data(packed)
    assert is_data(binary)
