import pytest

from core.text.times import asks_for_now, asks_for_time, names_time


@pytest.mark.parametrize(
    "text",
    [
        *(
            "It opens at 9:30.",
            "On 3 May we met.",
            "We left last week.",
            "Two years ago",
            "See you on Friday!",
        ),
        *(
            "SINCE THEN",
            "IN MAY",
            "May 3",
            "the 3rd",
            "at 5 PM",
            "Sept",
            "the last few weeks",
            "back in 1998",
        ),
        *("下周三见面", "他去年搬走了", "3月5日开会", "上午见", "Meet 明天"),
    ],
)
def test_dates_days_and_hours_name_a_time(text: str) -> None:
    assert names_time(text)


@pytest.mark.parametrize(
    "text",
    ["It may rain.", "The house has 12 rooms.", "Second-hand", "long ago", "1234567", "这本书很好", "第3版"],
)
def test_what_looks_like_a_time_names_none(text: str) -> None:
    assert not names_time(text)


def test_questions_for_a_time_are_told_from_others() -> None:
    assert all(
        map(asks_for_time, ["When did she move?", "Which year was it?", "她什么时候搬家？", "几点开门？"])
    )
    assert not any(map(asks_for_time, ["Where does she live?", "Whenever you like", "她住在哪里？"]))


def test_questions_for_how_things_are_now_are_told_from_others() -> None:
    now = [
        "Where does she live now?",
        "Who is the current CEO?",
        "These days, what?",
        "他目前住在哪里？",
        "現在幾點開門？",
    ]
    assert all(map(asks_for_now, now))
    assert not any(map(asks_for_now, ["Where does she live?", "I know nothing.", "他以前住在哪里？"]))
