"""Rows that are cut off from their table's head find it, and nothing else."""

import pytest

from core.model.interaction import Span
from core.text.segmenting import segment
from core.text.tables import head_over

HEAD = "| Crop | Sown | Harvested |\n|---|:---:|---:|"
ROWS = [f"| crop {n} | in week {n} | in week {n + 12} |" for n in range(40)]
TABLE = "\n".join([HEAD, *ROWS])
WIDE = "| 作物 | 播种 |\n| --- | --- |\n" + "\n".join(f"| 作物{n}号 | 第{n}周 |" for n in range(80))


def heads(text: str) -> list[str]:
    spans = segment(text)
    return [head_over(text, spans, number) for number in range(len(spans))]


@pytest.mark.parametrize(
    ("text", "head"),
    [
        (TABLE, HEAD),
        (f"What grows where:\n\n{TABLE}\n", HEAD),
        (WIDE, "| 作物 | 播种 |\n| --- | --- |"),
        (TABLE.replace("\n", "\r\n"), HEAD.replace("\n", "\r\n")),
    ],
)
def test_every_part_of_a_table_behind_the_first_has_its_head(text: str, head: str) -> None:
    first, *others = heads(text)

    assert first == ""
    assert len(others) > 1
    assert {each.strip() for each in others} == {head}


@pytest.mark.parametrize(
    "text",
    [
        "Beans are sown in April. " * 60,
        "\n".join(ROWS),  # no head
        TABLE[: len(HEAD)] + "\n\n" + "Beans | peas | leeks are sown in April. " * 40,  # another paragraph
        "```\n" + "ls | sort | uniq -c\n" * 60 + "```",
    ],
)
def test_what_stands_in_no_table_has_no_head(text: str) -> None:
    assert set(heads(text)) == {""}


def test_a_table_ends_with_its_message() -> None:
    row = "| beans | in week 1 | in week 13 |"
    spans = (
        Span(start=0, end=len(HEAD), speaker="Ann"),
        Span(start=len(HEAD) + 1, end=len(HEAD) + 1 + len(row), speaker="Bob"),
    )

    assert head_over(f"{HEAD}\n{row}", spans, 1) == ""
