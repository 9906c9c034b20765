"""Times that texts speak of, in both languages."""

from datetime import UTC, datetime

import pytest

from core.text.moments import Frame, spans

NOW = datetime(2024, 6, 12, 15, 0, tzinfo=UTC)  # a Wednesday
FRAME = Frame(first=2023, last=2024, now=NOW)

SPOKEN = {
    "What did Ann do on 7 May 2023?": ["2023-05-07 2023-05-08"],
    "on May 7th, 2023 she left": ["2023-05-07 2023-05-08"],
    "the log of 2023-05-07": ["2023-05-07 2023-05-08"],
    "2023年5月7日发生了什么": ["2023-05-07 2023-05-08"],
    "二〇二三年五月七号": ["2023-05-07 2023-05-08"],
    "２０２３年５月": ["2023-05-01 2023-06-01"],
    "the plans of December 2023": ["2023-12-01 2024-01-01"],
    "in June": ["2023-06-01 2023-07-01", "2024-06-01 2024-07-01"],
    "She may march on.": [],
    "on 29 February": ["2024-02-29 2024-03-01"],
    "on 31 February 2024": [],
    "am 07.05.2023 um neun": ["2023-05-07 2023-05-08"],
    "31.02.2023": [],
    "version 1.2.2023.4": [],
    "in 2023": ["2023-01-01 2024-01-01"],
    "what happened yesterday": ["2024-06-11 2024-06-12"],
    "昨天说了什么": ["2024-06-11 2024-06-12"],
    "二三十天前说了什么": [],
    "十十月": [],
    "last week": ["2024-06-03 2024-06-10"],
    "上周": ["2024-06-03 2024-06-10"],
    "上个星期五": ["2024-06-07 2024-06-08"],
    "last Friday": ["2024-06-07 2024-06-08"],
    "last weekend": ["2024-06-08 2024-06-10"],
    "three days ago": ["2024-06-09 2024-06-10"],
    "三天前": ["2024-06-09 2024-06-10"],
    "two months ago": ["2024-04-01 2024-05-01"],
    "两个月前": ["2024-04-01 2024-05-01"],
    "in the past 3 days": ["2024-06-09 2024-06-13"],
    "最近三天": ["2024-06-09 2024-06-13"],
    "last May": ["2024-05-01 2024-06-01"],
    "last July": ["2023-07-01 2023-08-01"],
    "last summer": ["2023-06-01 2023-09-01"],
    "去年三月": ["2023-03-01 2023-04-01"],
    "今年的五月": ["2024-05-01 2024-06-01"],
    "去年十二月二十一日": ["2023-12-21 2023-12-22"],
    "前年夏天": ["2022-06-01 2022-09-01"],
    "十一月": ["2023-11-01 2023-12-01", "2024-11-01 2024-12-01"],
    "去年": ["2023-01-01 2024-01-01"],
    "half a year ago": [],
    "twenty-five days ago": [],
    "twenty five days ago": [],
    "3.5 years ago": [],
    "two hundred three years ago": [],
    "a year and a half ago": [],
    "It was not yesterday": [],
    "the week before last week": [],
    "大前天": ["2024-06-09 2024-06-10"],
    "大前年": ["2021-01-01 2022-01-01"],
    "上上上周": [],
    "三天半前": [],
    "二十多天前": [],
    "不是昨天": [],
    "昨天以前": [],
    "3.5月": [],
    "tomorrow at nine": ["2024-06-13 2024-06-14"],
    "the day after tomorrow": ["2024-06-14 2024-06-15"],
    "明天": ["2024-06-13 2024-06-14"],
    "大后天": ["2024-06-15 2024-06-16"],
    "next week": ["2024-06-17 2024-06-24"],
    "next Friday": ["2024-06-21 2024-06-22"],
    "next month": ["2024-07-01 2024-08-01"],
    "next May": ["2025-05-01 2025-06-01"],
    "next July": ["2024-07-01 2024-08-01"],
    "下周": ["2024-06-17 2024-06-24"],
    "下周五": ["2024-06-21 2024-06-22"],
    "下下个星期": ["2024-06-24 2024-07-01"],
    "下个月": ["2024-07-01 2024-08-01"],
    "明年三月": ["2025-03-01 2025-04-01"],
    "后年": ["2026-01-01 2027-01-01"],
    "My exam is in three days": ["2024-06-15 2024-06-16"],
    "two weeks from now": ["2024-06-24 2024-07-01"],
    "三天后考试": ["2024-06-15 2024-06-16"],
    "She learned it in three days": [],
    "三天后他走了": [],
    "How old is Ann?": [],
    "他一共花了三个月": [],
}


@pytest.mark.parametrize("text", SPOKEN)
def test_times_are_read_as_spans(text: str) -> None:
    found = [f"{start:%Y-%m-%d} {end:%Y-%m-%d}" for start, end in spans(text, FRAME)]

    assert found == SPOKEN[text]


def test_without_a_now_what_goes_by_it_is_no_time() -> None:
    assert spans("yesterday, 上周, last Friday, three days ago, 去年", Frame(first=2023, last=2023)) == []
