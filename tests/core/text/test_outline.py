import pytest

from core.text.outline import (
    Heading,
    heading,
    leading_heading,
    lone_heading,
    paragraphs,
    speaker_of,
    speakers,
)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("# Title", Heading(level=1, title="Title")),
        ("### 3.1 Method ##", Heading(level=3, title="Method")),
        ("## 2. 系统架构", Heading(level=2, title="系统架构")),
        ("**Storage**", Heading(level=7, title="Storage")),
        ("3.2 Results of the trial", Heading(level=2, title="Results of the trial")),
        ("第三章 方法", Heading(level=1, title="方法")),
        ("二、研究背景", Heading(level=2, title="研究背景")),
        ("3.5 million people came", None),
        ("1. Buy milk", None),
        ("#hashtag", None),
        ("A sentence.", None),
        ("", None),
    ],
)
def test_a_heading_is_told_by_its_form(line: str, expected: Heading | None) -> None:
    assert heading(line) == expected


def test_a_line_that_stands_alone_may_also_be_a_title_in_capitals_or_numbered() -> None:
    assert lone_heading("TERMS AND CONDITIONS") == Heading(level=1, title="TERMS AND CONDITIONS")
    assert lone_heading("  2. Basic Permissions.") == Heading(level=2, title="Basic Permissions")
    assert lone_heading("2. Buy milk and bread.") is None
    assert lone_heading("OK!") is None


def test_the_lowest_of_the_headings_before_a_text_is_its_heading() -> None:
    assert leading_heading("# Report\n\n## Costs\n\nRent.") == Heading(level=2, title="Costs")
    assert leading_heading("Rent.\n\n## Costs") is None


def test_who_speaks_more_than_once_is_a_speaker() -> None:
    text = "Alice: hi\nBob: hello\n[9:30] Alice: so\n张三：好\nhttp://a.b\n张三：对\nBob: x"

    assert speakers(text) == {"Alice", "Bob", "张三"}


@pytest.mark.parametrize(
    "line", ["The museum closes at 18:00.", "It opens at 9:30 and closes late.", "会议在10:30开始。"]
)
def test_a_time_of_day_names_no_speaker(line: str) -> None:
    assert speaker_of(line) == ""


def test_paragraphs_lie_between_blank_lines() -> None:
    text = "one\ntwo\r\n\r\nthree\n \nfour"

    found = [text[p.start : p.end] for p in paragraphs(text)]

    assert found == ["one\ntwo", "three", "four"]
