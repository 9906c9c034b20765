"""Amounts, clock times and dates in whatever notation: which are equal, and texts written alike."""

import pytest

from core.text.quantities import quantities, written_alike

EQUAL = [
    ("The demo is on 4 March.", "The demo is on Tuesday, 4 March."),
    ("The deadline is 2025-03-04.", "The deadline is 4 March 2025."),
    ("The deadline is 04.03.2025.", "The deadline is March 4, 2025."),
    ("The demo is in March.", "The demo is on March 4th."),
    ("会议在3月4日。", "会议在三月四号。"),
    ("会议在2025年3月。", "会议在3月4日。"),
    ("The rent is 1.5k euros.", "The rent is 1,500 euros."),
    ("The rent is €1,500.", "The rent is 1500 EUR."),
    ("It costs two hundred dollars.", "It costs $200."),
    ("The plant cost 2 million euros.", "The plant cost 2,000,000 euros."),
    ("The file has 1 GB.", "The file has 1024 MB."),
    ("The bag weighs 1.2 kg.", "The bag weighs 1200 grams."),
    ("The trail is 5 miles long.", "The trail is 8 km long."),
    ("The discount is 25%.", "The discount is 25 percent."),
    ("折扣是百分之二十五。", "折扣是25%。"),
    ("The break takes half an hour.", "The break takes 30 minutes."),
    ("休息半小时之后开会三十分钟。", "休息半小时之后开会30分钟。"),
    ("The call is at 14:00 UTC.", "The call is at 3 pm CET."),
    ("The call is at 2 p.m.", "The call is at 14:00."),
    ("Lunch is at noon.", "Lunch is at 12:00."),
    ("The bus leaves at half past six.", "The bus leaves at 6:30."),
    ("The bus leaves at a quarter to seven.", "The bus leaves at 6:45."),
    ("会议下午两点半开始。", "会议14:30开始。"),
    ("There are twenty-five seats.", "There are 25 seats."),
    ("厅里有三百五十个座位。", "厅里有350个座位。"),
    ("这套房一万二。", "这套房12000元。".replace("元", "")),
    ("房租是三千五百元。", "房租是3500块。"),
    ("月薪2万元。", "月薪20000元。"),
    ("It takes an hour and a half.", "It takes 90 minutes."),
    ("It takes two and a half hours.", "It takes 150 minutes."),
    ("会话过一个半小时失效。", "会话过九十分钟失效。"),
    ("这袋面粉一公斤半。", "这袋面粉1500克。"),
    ("协议签于一九七六年七月四日。", "协议签于1976年7月4日。"),
]
UNEQUAL = [
    ("The demo is on 4 March.", "The demo is on Thursday, 6 March."),
    ("The rent is 1200 euros.", "The rent is 1250 euros."),
    ("The bag weighs 1.2 kg.", "The bag weighs 1.22 kg."),
    ("The rent is 900 euros.", "The rent is 900 dollars."),
    ("The call is at 14:30 UTC.", "The call is at 14:30 CET."),
    ("The call is at 2 am.", "The call is at 2 pm."),
    ("It is 5 km away.", "It takes 5 minutes."),
    ("厅里有三百零五个座位。", "厅里有三百五十个座位。"),
    ("会议早上八点开始。", "会议晚上八点开始。"),
    ("The demo is in March 2024.", "The demo is in March 2025."),
]
NONE = [
    "You may march on.",
    "A second look at one of them.",
    "web-1 runs GPT-4.",
    "他一直在这里。",
    "Ann moved in.",
]


@pytest.mark.parametrize(("a", "b"), EQUAL)
def test_equal_quantities_are_written_alike_whichever_way_around(a: str, b: str) -> None:
    alike, turned = written_alike(a, b), written_alike(b, a)

    assert quantities(alike.a)
    assert [alike.a[q.start : q.end] for q in quantities(alike.a)] == [
        alike.b[q.start : q.end] for q in quantities(alike.b)
    ]
    assert not alike.left_a
    assert not alike.left_b
    assert (turned.b, turned.a) == (alike.a, alike.b)


@pytest.mark.parametrize(("a", "b"), UNEQUAL)
def test_unequal_quantities_stay_as_they_are_and_are_left_over(a: str, b: str) -> None:
    alike = written_alike(a, b)

    assert (alike.a, alike.b) == (a, b)
    assert alike.left_a
    assert alike.left_b


@pytest.mark.parametrize("text", NONE)
def test_what_is_not_surely_a_quantity_is_none(text: str) -> None:
    assert quantities(text) == ()


def test_full_hours_are_compared_without_minutes() -> None:
    alike = written_alike("It is open until 17:00.", "It is open until 20:00, at 20:00:05 no more, and 9:30.")

    assert alike.a == "It is open until 17h."
    assert alike.b == "It is open until 20h, at 20:00:05 no more, and 9:30."


def test_thousands_are_compared_without_commas() -> None:
    alike = written_alike("It has 40,000 books.", "It has 1,250,000 books, in rooms 1, 22 and 3,4.")

    assert (alike.a, alike.b) == ("It has 40000 books.", "It has 1250000 books, in rooms 1, 22 and 3,4.")
