"""Sentences as a comparer reads them: equal times, dates and measures written alike."""

import pytest

from core.agents.offline.claims.reading import read
from core.agents.offline.judging.notation import in_one_notation


@pytest.mark.parametrize(
    ("left", "right", "as_compared"),
    [
        (
            "The interview is at 2 pm.",
            "The interview starts at 14:00.",
            ("The interview is at 2 pm.", "The interview starts at 2 pm."),
        ),
        (
            "Lunch is at noon.",
            "At twelve o'clock they serve lunch.",
            ("Lunch is at noon.", "At noon they serve lunch."),
        ),
        (
            "The concert starts at nine in the evening.",
            "The concert begins at 21:00.",
            ("The concert starts at 21:00.", "The concert begins at 21:00."),
        ),
        (
            "The office opens at 10 a.m.",
            "The office opens at ten in the morning.",
            ("The office opens at 10 a.m.", "The office opens at 10 a.m."),
        ),
        ("面试在下午两点。", "面试14点开始。", ("面试在14点。", "面试14点开始。")),
        (
            "协议签于一九七六年七月四日。",
            "协议是1976年7月4日签的。",
            ("协议签于1976年7月4日。", "协议是1976年7月4日签的。"),
        ),
        ("这袋面粉一公斤半。", "这袋面粉重1500克。", ("这袋面粉一公斤半。", "这袋面粉重一公斤半。")),
        ("钢琴课在星期六。", "钢琴课改到周六。", ("钢琴课在周六。", "钢琴课改到周六。")),
    ],
)
def test_equal_values_are_written_alike(left: str, right: str, as_compared: tuple[str, str]) -> None:
    assert in_one_notation(read(left), read(right)) == as_compared
    assert in_one_notation(read(right), read(left)) == as_compared[::-1]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("The interview is at 2 pm.", "The interview starts at 15:00."),
        ("The climb takes half an hour.", "The climb takes thirty minutes."),
        ("We flew eleven kilometres up.", "It was cold at 11,000 metres."),
        ("The tank holds at least 30 litres.", "The tank holds thirty litres."),
        ("天线高度为 10 米。", "天线的馈线要十米长。"),
        ("The cellar is dry.", "The cellar is damp."),
        ("", "It is 2 pm."),
    ],
)
def test_other_values_and_figures_without_their_units_stay_as_they_are(left: str, right: str) -> None:
    assert in_one_notation(read(left), read(right)) == (read(left).text, read(right).text)
