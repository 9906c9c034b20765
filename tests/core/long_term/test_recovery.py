"""Recoveries are found for failures like theirs: a thousand of them, in other words."""

import random
from datetime import UTC, datetime

import pytest

from core.ids import RecordId
from core.long_term.recovery import Failure, is_mending, manners, match, matches, same_mending
from core.model.record import Record, RecordKind, Recovery

NOW = datetime(2024, 5, 1, tzinfo=UTC)
TOOLS = (
    "search_documents read_file write_file send_mail query_database call_api run_tests deploy_service fetch_page"
    " parse_table translate_text resize_image book_flight list_calendar create_ticket merge_branch render_chart"
    " transcribe_audio geocode_address convert_currency"
).split()
ERRORS = {
    "ValueError": ("parameter '{a}' must not be empty", "参数 '{a}' 不能为空"),
    "TimeoutError": ("no answer within {n} seconds from {a}", "{n} 秒内没有收到 {a} 的响应"),
    "PermissionError": ("access to {a} was denied (code {n})", "拒绝访问 {a}（代码 {n}）"),
    "KeyError": ("the field {a} is missing in row {n}", "第 {n} 行缺少字段 {a}"),
    "ConnectionError": ("connection to {a}:{n} refused", "无法连接到 {a}:{n}"),
    "RateLimitError": (
        "too many requests: {n} in a minute, limit of {a}",
        "请求过多：一分钟 {n} 次，超过 {a} 的限制",
    ),
    "TypeError": ("expected {a} to be a list, got {n}", "{a} 应为列表，实际为 {n}"),
    "FileNotFoundError": ("there is no file {a} ({n})", "文件 {a} 不存在（{n}）"),
    "JSONDecodeError": ("not JSON at character {n} of {a}", "{a} 的第 {n} 个字符处不是 JSON"),
    "AuthenticationError": ("the session of {a} expired {n} minutes ago", "{a} 的会话在 {n} 分钟前过期"),
}
LEAD_INS = ("", "Error: ", "Failed again, ", "错误：", "calling it said: ")


def recovery(tool: str, error: str, message: str, fixed: str = '{"a": 2}') -> Recovery:
    return Recovery(error_type=error, tool=tool, message=message, original_json='{"a": 1}', fixed_json=fixed)


def record(record_id: str, mended: Recovery, confidence: float = 0.7) -> Record:
    return Record(
        record_id=RecordId(record_id),
        kind=RecordKind.MEMORY,
        category="strategy",
        content="…",
        confidence=confidence,
        event_time=NOW,
        create_time=NOW,
        update_time=NOW,
        valid_from=NOW,
        recovery=mended,
    )


@pytest.mark.slow
def test_of_a_thousand_failures_the_right_recovery_comes_first_and_none_below_its_match() -> None:
    chance = random.Random(3)
    known = [
        record(f"{tool}.{error}", recovery(tool, error, chance.choice(said).format(a="alpha", n=12)))
        for tool in TOOLS
        for error, said in ERRORS.items()
    ]
    right = total = 0
    for one in known:
        assert one.recovery is not None
        for lead_in in LEAD_INS:
            said = chance.choice(ERRORS[one.recovery.error_type])
            told = lead_in + said.format(a=chance.choice(("beta", "delta")), n=chance.randrange(1000))
            failure = Failure(one.recovery.error_type, one.recovery.tool, told)
            found = matches(known, failure, least=0.7, uses=lambda _: 0)
            total += 1
            right += found[0].record.record_id == one.record_id
            assert all(each.score >= 0.7 for each in found)

    assert total == 1_000
    assert right / total >= 0.98


@pytest.mark.parametrize(
    ("error", "tool", "message", "score"),
    [
        ("ValueError", "search", "parameter 'query' must not be empty", 1.0),
        (
            "ValueError",
            "search",
            "parameter 'limit' must not be empty",
            1.0,
        ),  # what is quoted is the case's own
        ("ValueError", "other", "parameter 'query' must not be empty", 0.7),
        ("KeyError", "search", "parameter 'query' must not be empty", 0.5),
        ("KeyError", "other", "something else", 0.0),
    ],
)
def test_type_tool_and_message_weigh_half_three_and_two_tenths(
    error: str, tool: str, message: str, score: float
) -> None:
    known = recovery("search", "ValueError", "parameter 'query' must not be empty")

    assert match(known, Failure(error, tool, message)) == pytest.approx(score)


def test_of_equal_matches_the_surer_then_the_more_used_comes_first() -> None:
    same = recovery("search", "ValueError", "empty")
    known = [record("a", same, 0.7), record("b", same, 0.9), record("c", same, 0.7)]
    uses = {"a": 1, "b": 0, "c": 5}

    found = matches(
        known, Failure("ValueError", "search", "empty"), least=0.7, uses=lambda r: uses[r.record_id]
    )

    assert [one.record.record_id for one in found] == ["b", "c", "a"]


def test_mendings_are_the_same_by_what_they_change_not_by_what_they_set() -> None:
    one = recovery("search", "ValueError", "empty", '{"a": 2}')

    assert same_mending(one, recovery("search", "ValueError", "empty", '{"a": 3}'))
    assert not same_mending(one, recovery("search", "ValueError", "empty", '{"a": 1, "b": 1}'))
    assert not same_mending(one, recovery("search", "ValueError", "empty", '{"a": "1"}'))
    assert not same_mending(one, recovery("other", "ValueError", "empty", '{"a": 2}'))


def mended(message: str, original: str, fixed: str) -> Recovery:
    return Recovery(
        error_type="ValueError", tool="book", message=message, original_json=original, fixed_json=fixed
    )


def test_two_causes_of_one_tool_and_argument_stay_two() -> None:
    format_ = mended("the day must be YYYY-MM-DD", '{"day": "5 May"}', '{"day": "2024-05-05"}')
    past = mended("the day 2020-05-05 has passed", '{"day": "2020-05-05"}', '{"day": "2024-05-05"}')
    later = mended("the day 2021-01-01 has passed", '{"day": "2021-01-01"}', '{"day": "2024-01-01"}')
    chinese = mended("日期“五月五日”格式不对", '{"day": "五月五日"}', '{"day": "2024-05-05"}')
    again = mended("日期“六月一日”格式不对", '{"day": "六月一日"}', '{"day": "2024-06-01"}')

    assert not same_mending(format_, past)
    assert same_mending(past, later)
    assert same_mending(chinese, again)
    assert not same_mending(chinese, past)


@pytest.mark.parametrize(
    ("original", "fixed", "manner"),
    [
        ('{"to": "Ios"}', '{"destination": "Ios"}', {"to": "renamed to destination"}),
        ('{"n": "5"}', '{"n": 5}', {"n": "retyped"}),
        ('{"n": 5}', '{"n": 6}', {"n": "set"}),
        ('{"n": 5, "x": 1}', '{"n": 5}', {"x": "removed"}),
        ('{"n": 5}', '{"n": 5, "x": 1}', {"x": "added"}),
    ],
)
def test_an_argument_is_changed_in_one_of_five_manners(
    original: str, fixed: str, manner: dict[str, str]
) -> None:
    assert manners(original, fixed) == manner


@pytest.mark.parametrize(
    ("original", "fixed", "is_so"),
    [
        ('{"q": "ferries to Naxos"}', '{"q": "weather in Oslo"}', False),
        ('{"q": "ferries to Naxos"}', '{"q": "Naxos ferry"}', True),
        ('{"q": "去纳克索斯的船"}', '{"q": "奥斯陆天气"}', False),
        ('{"q": "x", "page": "1"}', '{"q": "x", "page": 1}', True),
        ('{"to": "Ios"}', '{"destination": "Ios"}', True),
        ("{}", '{"q": "x"}', True),
    ],
)
def test_another_call_of_a_tool_is_no_mending(original: str, fixed: str, is_so: bool) -> None:
    assert is_mending(original, fixed) is is_so
