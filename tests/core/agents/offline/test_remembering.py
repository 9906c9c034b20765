"""The offline Summariser and Distiller."""

from datetime import UTC, datetime

import pytest

from core.agents.faithful import length, problem_of_key, problem_of_summary
from core.agents.memory_roles import KEY_CHARACTERS, KeyOpinion, Passage, PassageKind, Purpose, Unit
from core.agents.offline.remembering import OfflineDistiller, OfflineSummariser

SAID = datetime(2024, 5, 8, tzinfo=UTC)


def passages(*texts: str, speaker: str = "") -> list[Passage]:
    return [
        Passage(number=n, kind=PassageKind.INPUT, text=text, speaker=speaker, event_time=SAID, step=n + 1)
        for n, text in enumerate(texts)
    ]


CHINESE = passages(
    "你好！今天天气不错。",
    "数据库定了，用PostgreSQL，预算不能超过10万元。",
    "那我们来看看日志的问题，好像有点慢？",
    "同意，项目截止日期是2025年8月1日。",
)
ENGLISH = passages(
    "Hi there, how are you?",
    "We decided to use PostgreSQL, and the budget is 100,000 euros at most.",
    "Could you look at the logs some time?",
    "Agreed: the deadline is 1 August 2025.",
    speaker="Ada",
)


@pytest.mark.parametrize(("said", "unit"), [(CHINESE, Unit.CHARACTERS), (ENGLISH, Unit.WORDS)])
@pytest.mark.parametrize("limit", [20, 40, 200])
async def test_a_summary_keeps_to_its_length_and_to_what_was_said(
    said: list[Passage], unit: Unit, limit: int
) -> None:
    made = await OfflineSummariser().summarise(said, limit, unit, Purpose.LONG)

    assert problem_of_summary(made, said, limit, unit) == ""
    assert made == await OfflineSummariser().summarise(said, limit, unit, Purpose.LONG)


@pytest.mark.parametrize("unit", Unit)
@pytest.mark.parametrize("before", range(12))
async def test_no_figure_is_cut_in_two(unit: Unit, before: int) -> None:
    said = passages("字" * before + "花费1,234,567.89元" * 40)

    text = await OfflineSummariser().summarise(said, 60, unit, Purpose.LONG)

    assert problem_of_summary(text, said, 60, unit) == ""


@pytest.mark.parametrize("speaker", ["Agent 4711", "客服4711"])
async def test_a_figure_in_the_name_of_who_spoke_is_heard(speaker: str) -> None:
    said = passages("We booked the ferry.", "渡轮订好了。", speaker=speaker)

    for limit, unit, purpose in ((40, Unit.WORDS, Purpose.LONG), (40, Unit.CHARACTERS, Purpose.EPISODE)):
        text = await OfflineSummariser().summarise(said, limit, unit, purpose)
        assert "4711" in text
        assert problem_of_summary(text, said, limit, unit) == ""
    assert problem_of_key(await OfflineDistiller().key(said), said) == ""


async def test_digits_in_circles_are_figures_too() -> None:
    said = passages("步骤" + "①②③④⑤" * 40)

    text = await OfflineSummariser().summarise(said, 60, Unit.CHARACTERS, Purpose.LONG)

    assert problem_of_summary(text, said, 60, Unit.CHARACTERS) == ""


async def test_what_was_decided_comes_before_pleasantries() -> None:
    chinese = await OfflineSummariser().summarise(CHINESE, 70, Unit.CHARACTERS, Purpose.LONG)
    english = await OfflineSummariser().summarise(ENGLISH, 40, Unit.WORDS, Purpose.LONG)

    assert "用户：数据库定了，用PostgreSQL，预算不能超过10万元。" in chinese
    assert "天气" not in chinese
    assert "Ada: We decided to use PostgreSQL" in english
    assert "how are you" not in english


async def test_what_came_of_a_conversation_has_no_keywords_before_it() -> None:
    said = passages("We booked ferry 7 for Friday.", speaker="Ada")

    outcome = await OfflineSummariser().summarise(said, 40, Unit.WORDS, Purpose.EPISODE)
    summary = await OfflineSummariser().summarise(said, 40, Unit.WORDS, Purpose.LONG)

    assert outcome == "Ada: We booked ferry 7 for Friday."
    assert summary.endswith(outcome)
    assert summary != outcome


@pytest.mark.parametrize("said", [CHINESE, ENGLISH, passages("好" * 5_000), passages("12345678 " * 900)])
async def test_a_key_names_what_it_rests_on_and_is_short(said: list[Passage]) -> None:
    made = await OfflineDistiller().key(said)

    assert problem_of_key(made, said) == ""
    assert 0 < len(made.text) <= KEY_CHARACTERS


async def test_a_key_tells_turn_and_speaker() -> None:
    (one,) = passages("数据库定了，用PostgreSQL。")

    made = await OfflineDistiller().key([one])

    assert made == KeyOpinion(text="[第1轮] 用户：数据库定了，用PostgreSQL。", passages=(0,))


async def test_passages_without_a_sentence_still_get_a_summary() -> None:
    odd = passages("👍👍👍 ok")

    assert await OfflineSummariser().summarise(odd, 20, Unit.WORDS, Purpose.FOLDED)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no words"),
        ("……", "no words"),
        ("The budget is 200,000 euros.", "200000 stands in none"),
        ("word " * 60, "60 words"),
        ("The budget is 100000 euros.", ""),
        ("Said on 8 May 2024: the deadline is １ August 2025.", ""),
    ],
)
def test_a_summary_with_what_no_source_holds_is_refused(text: str, problem: str) -> None:
    assert problem in problem_of_summary(text, ENGLISH, 50, Unit.WORDS)
    assert bool(problem) == bool(problem_of_summary(text, ENGLISH, 50, Unit.WORDS))


def test_a_relative_day_may_be_told_by_its_date() -> None:
    said = passages("I saw her yesterday.")

    assert problem_of_summary("They met on 7 May 2024.", said, 50, Unit.WORDS) == ""
    assert "9 stands" in problem_of_summary("They met on 9 May 2024.", said, 50, Unit.WORDS)


def test_words_and_wide_characters_are_counted_together() -> None:
    assert length("使用 PostgreSQL 数据库, it's fast", Unit.WORDS) == 8
    assert length("数据库", Unit.CHARACTERS) == 3
