"""On which occasion a Chinese sentence tells something: last year's, the former one, this one here, by day, now.

Law: pure, by words alone; says that two sentences tell of two occasions, never what follows from it.
"""

import re

from core.agents.offline.claims.statement import Kind, Statement

OTHER_TIME = re.compile(
    r"(?:去年|前年|明年|以前|原来|过去)(?:的|[暑寒]假|[春夏秋冬]天|国庆|春节|\d+月)|[上下]一?[次回场趟届期季轮班]|第一[次回]|[旧老新]款|岁(?:时|那年|的时候)|时候"
)
TIMES = tuple(  # of one length, of which one is not the other
    map(
        re.compile,
        (
            "去年|今年|明年|前年|后年|上半年|下半年|[上下]学期",
            "昨天|今天|明天|后天|前天|昨晚|今晚|今早|明早",
            "上周|本周|这周|下周|周末|工作日|平日",
            "上个?月|本月|这个月|下个?月",
            "白天|夜里|夜间|晚上|早上|上午|下午|中午|昨晚|今晚|今早|明早",
            "[春夏秋冬][天季]",
        ),
    )
)
SAME_TIME = {"夜里": "晚上", "夜间": "晚上"}
SHORT = {
    "今早": ("今天", "早上"),
    "今晚": ("今天", "晚上"),
    "昨晚": ("昨天", "晚上"),
    "明早": ("明天", "早上"),
}
DAYS = 1  # the place of days in `TIMES`
NEAR, FAR = re.compile("^这[^一是里样些]"), re.compile("^那[^么是里样些]")
NOW = re.compile("如今|现在|目前|今年")


def on_another_occasion(left: Statement, right: Statement) -> bool:
    """Whether one of them alone names another time or occasion, or one points here and the other there."""
    if NEAR.match(left.text) and FAR.match(right.text) or FAR.match(left.text) and NEAR.match(right.text):
        return True
    return (OTHER_TIME.search(left.text) is None) is not (OTHER_TIME.search(right.text) is None)


def at_other_times(left: Statement, right: Statement) -> bool:
    """Whether each tells a year, a day or a part of the day, and none is the other's."""
    both = zip(left.in_text(_times), right.in_text(_times), strict=True)
    return any(a and b and a.isdisjoint(b) for a, b in both)


def then_and_now(left: Statement, right: Statement) -> bool:
    """Whether one names a year, and the other says that it is so now."""
    dated = [any(t.kind is Kind.DATE and t.unit == "year" for t in side.terms) for side in (left, right)]
    return dated[0] is not dated[1] and bool(NOW.search((right if dated[0] else left).text))


def _times(text: str) -> tuple[frozenset[str], ...]:
    """Returns the times that a text tells from the day it is told on, by their length."""
    return tuple(frozenset(_whole(one, n) for one in times.findall(text)) for n, times in enumerate(TIMES))


def _whole(time: str, length: int) -> str:
    """Returns the day, or the part of the day, that a short word for both tells."""
    day_and_part = SHORT.get(time)
    if day_and_part is not None:
        return day_and_part[0 if length == DAYS else 1]
    return SAME_TIME.get(time, time)
