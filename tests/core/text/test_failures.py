"""Pages that say only that something could not be had, and what is more than that."""

import pytest

from core.text.failures import failures, is_failure

PAGE = (
    "<html><head><title>503 Service Temporarily Unavailable</title></head><body><center>"
    "<h1>503 Service Temporarily Unavailable</h1></center><hr><center>nginx/1.18.0</center></body></html>"
)
APOLOGY = (
    "HTTP/1.1 503 Service Unavailable\n\nThe server is temporarily unable to service your request due to maintenance "
    "downtime or capacity problems. Please try again later."
)


@pytest.mark.parametrize(
    "text",
    [
        PAGE,
        APOLOGY,
        "HTTP 503 Service Unavailable",
        "404 Not Found\nThe requested URL /timetable was not found on this server.",
        "GET https://ferry.example/times returned HTTP 503 Service Unavailable.",
        "Could not open the timetable page: HTTP 503.",
        "requests.exceptions.ReadTimeout: Read timed out.",
        "Error 429: Too Many Requests. Please try again later.",
        "请求失败：HTTP 503 服务不可用，请稍后重试。",
        "网站打不开。",
        "错误 502：网关错误",
    ],
)
def test_a_page_that_says_only_that_it_could_not_be_had_is_known(text: str) -> None:
    assert is_failure(text)


@pytest.mark.parametrize(
    "text",
    [
        "The API answers HTTP 503 when the quota is exhausted.",
        "The museum opens at nine. The booking page gave HTTP 503.",
        "In 2023 the outage lasted 503 minutes.",
        "Error 404 is the name of a band from Oslo founded in 1999.",
        "当配额用完时接口返回 HTTP 503。",
        "渡轮九点从三号码头开出。",
    ],
)
def test_what_says_more_is_kept(text: str) -> None:
    assert not is_failure(text)


def test_a_call_goes_with_the_page_it_brought_and_thoughts_with_them_where_nothing_else_was_found() -> None:
    call = [
        "Thought: look it up",
        "Action: fetch(https://x.example)",
        "Observation: HTTP 503 Service Unavailable",
    ]

    assert failures(call) == {0, 1, 2}
    assert failures(["The ferry leaves at nine.", "HTTP 503 Service Unavailable"]) == {1}
    assert failures(["The ferry leaves at nine."]) == frozenset()
