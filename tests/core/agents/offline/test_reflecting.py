"""The offline Reflector: its text always passes the check that core makes of it."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from core.agents.offline.recalling import OfflineReflector
from core.agents.recall_roles import (
    LONGEST_REFLECTION,
    ReflectedRecord,
    problem_of_reflection,
)
from core.model.record import MOST_REFLECTED

TIME = datetime(2024, 5, 8, tzinfo=UTC)


def reflected(*contents: str, subcategory: str = "") -> list[ReflectedRecord]:
    return [
        ReflectedRecord(
            number=number,
            content=content,
            subcategory=subcategory,
            confidence=0.5,
            weight=1.0 / (1 + number),
            event_time=TIME,
        )
        for number, content in enumerate(contents)
    ]


@pytest.mark.parametrize("content", ["word " * 80, "很长的一条经验" * 50])
async def test_as_many_records_as_have_room_are_told_the_weightiest_first(content: str) -> None:
    records = reflected(*[f"{number} {content}" for number in range(MOST_REFLECTED)])

    made = await OfflineReflector().reflect("T" * 256, "work", records)

    assert problem_of_reflection(made, "T" * 256, records) == ""
    assert made.records == tuple(range(len(made.records)))
    assert LONGEST_REFLECTION - 600 < len(made.text) <= LONGEST_REFLECTION


@pytest.mark.parametrize("before", range(8))
@pytest.mark.parametrize("figure", ["1,234,567.89", "１２３４５", "①②③④", "1234567890" * 40])
async def test_no_figure_is_cut_in_two(figure: str, before: int) -> None:
    records = reflected("字" * (293 + before) + figure + " 结束")

    made = await OfflineReflector().reflect("T", "work", records)

    assert problem_of_reflection(made, "T", records) == ""


async def test_every_sort_of_records_has_its_heading_within_the_room() -> None:
    records = [
        record
        for number in range(MOST_REFLECTED)
        for record in reflected(*["x" * 100] * (number + 1), subcategory=f"{number:0>128}")[-1:]
    ]

    made = await OfflineReflector().reflect("T", "work", records)

    assert problem_of_reflection(made, "T", records) == ""


@pytest.mark.parametrize(
    ("contents", "title", "counted"),
    [
        (
            ("The ferry to Naxos was late.", "The museum was closed.", "The ferry was cancelled for wind."),
            "Lessons",
            "- ferry: 2 of 3 records, 2024-05-08 to 2024-06-09",
        ),
        (
            ("去纳克索斯的渡轮晚点了。", "博物馆关门了。", "渡轮因为大风取消了。"),
            "教训",
            "- 渡轮：2/3 条，2024-05-08 至 2024-06-09",
        ),
    ],
)
async def test_what_several_records_speak_of_is_counted_with_its_days(
    contents: tuple[str, ...], title: str, counted: str
) -> None:
    first, second, third = reflected(*contents)
    records = [first, second, replace(third, event_time=datetime(2024, 6, 9, tzinfo=UTC))]

    made = await OfflineReflector().reflect(title, "work", records)

    assert counted in made.text.splitlines()
    assert problem_of_reflection(made, title, records) == ""


async def test_where_records_have_nothing_in_common_nothing_is_counted() -> None:
    records = reflected("The ferry was late.", "Onions keep best in the dark.")

    made = await OfflineReflector().reflect("Lessons", "work", records)

    assert "In common" not in made.text


@pytest.mark.parametrize(
    ("task", "title"), [("For “Plan the move to the new rack”:", "Lessons"), ("要做“搬迁新机柜”：", "教训")]
)
async def test_what_one_task_taught_stands_under_it_and_is_nothing_in_common(task: str, title: str) -> None:
    records = reflected(
        f"{task} list_hosts → copy_data", f"{task} Copy at night.", "Onions keep in the dark."
    )

    made = await OfflineReflector().reflect(title, "work", records)

    lines = made.text.splitlines()
    place = lines.index(f"- {task}")
    told = [line.split("（")[0].split(" (")[0] for line in lines[place + 1 : place + 3]]
    assert told == ["  - list_hosts → copy_data", "  - Copy at night."]
    assert made.text.count(task) == 1
    assert sum(line.startswith("## ") for line in lines) == 1
    assert problem_of_reflection(made, title, records) == ""


@pytest.mark.parametrize(
    ("said", "word", "speaker"),
    [
        (("User: Coffee at four, slept badly.", "User: No coffee, slept well."), "- coffee: 2", "- User: 2"),
        (("用户：下午喝了咖啡，没睡好。", "用户：没喝咖啡，睡得好。"), "- 咖啡：2", "- 用户：2"),
    ],
)
async def test_whom_records_quote_is_nothing_in_common(
    said: tuple[str, ...], word: str, speaker: str
) -> None:
    made = await OfflineReflector().reflect("T", "life", reflected(*said))

    assert word in made.text
    assert speaker not in made.text
