"""The offline Summariser and Distiller."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from core.agents.faithful import length, problem_of_key, problem_of_summary
from core.agents.memory_roles import KEY_CHARACTERS, KeyOpinion, Passage, PassageKind, Purpose, Unit
from core.agents.offline.remembering import OfflineDistiller, OfflineSummariser
from tests.support.embedders import local_comparer
from tests.support.reading import local_reader

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
    chinese = await OfflineSummariser().summarise(CHINESE, 60, Unit.CHARACTERS, Purpose.LONG)
    english = await OfflineSummariser().summarise(ENGLISH, 40, Unit.WORDS, Purpose.LONG)

    assert "用户：数据库定了，用PostgreSQL，预算不能超过10万元。" in chinese
    assert "天气" not in chinese
    assert "Ada: We decided to use PostgreSQL" in english
    assert "how are you" not in english


async def test_what_came_of_a_conversation_has_no_keywords_before_it() -> None:
    said = passages("We booked ferry 7 for Friday.", "The ferry was booked by Bob.", speaker="Ada")

    outcome = await OfflineSummariser().summarise(said, 40, Unit.WORDS, Purpose.EPISODE)
    summary = await OfflineSummariser().summarise(said, 40, Unit.WORDS, Purpose.LONG)

    assert outcome == "Ada: We booked ferry 7 for Friday.\nAda: The ferry was booked by Bob."
    assert summary.endswith(outcome)
    assert "ferry" in summary.splitlines()[0]


@pytest.mark.parametrize("said", [CHINESE, ENGLISH, passages("好" * 5_000), passages("12345678 " * 900)])
async def test_a_key_names_what_it_rests_on_and_is_short(said: list[Passage]) -> None:
    made = await OfflineDistiller().key(said)

    assert problem_of_key(made, said) == ""
    assert 0 < len(made.text) <= KEY_CHARACTERS


def exchanged(*turns: tuple[str, str]) -> list[Passage]:
    """Inputs and their replies, a step each."""
    return [
        Passage(number=2 * n + m, kind=kind, text=text, event_time=SAID, step=n + 1)
        for n, turn in enumerate(turns)
        for m, (kind, text) in enumerate(zip((PassageKind.INPUT, PassageKind.REPLY), turn, strict=True))
    ]


CHATTER_EN = (
    ("Is the harbour far from the old town?", "Twenty minutes on foot, along the wall."),
    ("I like the light there in the evening.", "It is known for its sunsets."),
    ("What is the weather like in May?", "Mild, with 22 degrees in the afternoon."),
)
CHATTER_ZH = (
    ("港口离老城远吗？", "沿着城墙走二十分钟。"),
    ("我喜欢那里傍晚的光线。", "那里的日落很有名。"),
    ("五月天气怎么样？", "很温和，下午二十二度。"),
)


@pytest.mark.parametrize(
    ("said", "limit", "unit", "kept"),
    [
        (
            (*CHATTER_EN, ("The hotel moved us to room 12.", "Noted, room 12."), *CHATTER_EN),
            12,
            Unit.WORDS,
            "User: The hotel moved us to room 12.",
        ),
        (
            (*CHATTER_ZH, ("我们决定周五坐渡轮。", "好主意，人少一些。"), *CHATTER_ZH),
            20,
            Unit.CHARACTERS,
            "用户：我们决定周五坐渡轮。",
        ),
        (
            (*CHATTER_ZH, ("酒店把房间换成了12号。", "记下了，12号。"), *CHATTER_ZH),
            20,
            Unit.CHARACTERS,
            "用户：酒店把房间换成了12号。",
        ),
    ],
)
async def test_decisions_and_changes_go_before_all_else(
    said: tuple[tuple[str, str], ...], limit: int, unit: Unit, kept: str
) -> None:
    made = await OfflineSummariser().summarise(exchanged(*said), limit, unit, Purpose.EPISODE)

    assert made == kept


async def test_an_answer_stands_behind_its_question_and_a_reply_never_alone() -> None:
    english = await OfflineSummariser().summarise(exchanged(*CHATTER_EN), 200, Unit.WORDS, Purpose.EPISODE)
    chinese = await OfflineSummariser().summarise(
        exchanged(*CHATTER_ZH), 200, Unit.CHARACTERS, Purpose.EPISODE
    )

    assert (
        "User: What is the weather like in May?\nAssistant: Mild, with 22 degrees in the afternoon."
        in english
    )
    assert "用户：五月天气怎么样？\n助手：很温和，下午二十二度。" in chinese
    for made in (english, chinese):
        lines = made.splitlines()
        speakers = [line[:2] for line in lines]
        assert not any(one == two == "As" for one, two in zip(["As", *speakers], speakers, strict=False))


async def test_what_a_summary_names_first_several_turns_share_in_whole_words() -> None:
    said = exchanged(("The garden needs lime.", "Fine."), ("We dig the garden and put lime on it.", "Fine."))

    made = await OfflineSummariser().summarise(said, 100, Unit.WORDS, Purpose.LONG)
    alone = await OfflineSummariser().summarise(said[:2], 100, Unit.WORDS, Purpose.LONG)

    assert set(made.splitlines()[0].strip(".").split(", ")) == {"garden", "lime"}
    assert alone.splitlines()[0] == "User: The garden needs lime."


@pytest.mark.parametrize(
    ("said", "stands", "gone"),
    [
        (
            (
                ("The fitter comes on 8 May.", "Noted."),
                ("Which tiles go with oak?", "Grey ones."),
                ("Correction: the fitter comes on 22 May.", "Noted, 22 May."),
            ),
            "User: Correction: the fitter comes on 22 May.",
            "8 May",
        ),
        (
            (
                ("安装师傅5月8日来。", "记下了。"),
                ("橡木配什么瓷砖？", "灰色的。"),
                ("更正一下，安装师傅改到5月22日来。", "好，5月22日。"),
            ),
            "用户：更正一下，安装师傅改到5月22日来。",
            "5月8日",
        ),
    ],
)
async def test_a_key_holds_the_newer_of_two_that_are_about_one_thing(
    said: tuple[tuple[str, str], ...], stands: str, gone: str
) -> None:
    made = await OfflineDistiller().key(exchanged(*said))

    assert stands in made.text.splitlines()
    assert gone not in made.text


async def test_a_key_never_begins_with_what_names_nothing() -> None:
    said = exchanged(
        ("It leaves at nine, and it is never late.", "Fine."), ("The ferry to Naxos leaves at nine.", "Fine.")
    )

    made = await OfflineDistiller().key(said)

    assert "User: It leaves" not in made.text
    assert "The ferry to Naxos leaves at nine." in made.text


@pytest.mark.parametrize(
    ("matter", "said"),
    [
        (
            "kitchen",
            "The kitchen tiles will be dark green.|The kitchen fitter is called Marek Dudek."
            "|The thesis must be handed in by June 30, 2026.|The kitchen sink stays below the window.",
        ),
        (
            "厨房",
            "厨房的瓷砖用墨绿色。|厨房的安装师傅叫马建国。|论文必须在2026年6月30日之前交。|厨房水槽留在窗下。",
        ),
    ],
)
async def test_a_key_tells_of_what_its_turns_are_about(matter: str, said: str) -> None:
    made = await OfflineDistiller().key(passages(*said.split("|")))

    assert all(matter in line for line in made.text.splitlines())


@pytest.mark.parametrize(
    ("said", "asked", "told"),
    [
        (
            "The kitchen tiles will be dark green and cost 900 euros.|The kitchen fitter is Marek Dudek."
            "|The kitchen worktop of oak is 40 millimetres thick.",
            [0, 3, 1],
            ["The kitchen fitter is Marek Dudek."],
        ),
        (
            "厨房的瓷砖用墨绿色，一共花了9000元。|厨房的安装师傅叫马建国。|厨房的橡木台面厚40毫米。",
            [1, 4, 0],
            ["厨房的安装师傅叫马建国。"],
        ),
    ],
)
async def test_a_key_says_what_was_asked_for_most(said: str, asked: list[int], told: list[str]) -> None:
    turns = [replace(one, asked=count) for one, count in zip(passages(*said.split("|")), asked, strict=True)]

    made = await OfflineDistiller().key(turns)
    without = await OfflineDistiller().key(passages(*said.split("|")))

    assert [line.split(": ")[-1].split("：")[-1] for line in made.text.splitlines()] == told
    assert without.text != made.text


async def test_what_changes_a_thing_stands_for_what_was_asked_for() -> None:
    said = passages(
        "The dentist is on Monday at nine.", "We painted the fence.", "The dentist is on Thursday at two now."
    )
    turns = [replace(said[0], asked=5), *said[1:]]

    made = await OfflineDistiller(comparer=local_comparer()).key(turns)

    assert made.text.splitlines() == ["User: The dentist is on Thursday at two now."]


@pytest.mark.parametrize(
    ("input_", "reply"),
    [
        ("Mum takes a flat in Cromer, on the ground floor.", "That must be a relief for all of you."),
        ("我妈搬到一楼的公寓去了。", "这下你们全家都可以放心了。"),
    ],
)
async def test_a_comment_is_no_part_of_a_key(input_: str, reply: str) -> None:
    made = await OfflineDistiller().key(exchanged((input_, reply)))

    assert input_ in made.text
    assert reply not in made.text


async def test_a_key_tells_the_speaker() -> None:
    (one,) = passages("数据库定了，用PostgreSQL。")

    made = await OfflineDistiller().key([one])

    assert made == KeyOpinion(text="用户：数据库定了，用PostgreSQL。", passages=(0,))


@pytest.mark.parametrize(
    ("chatter", "told"),
    [
        (
            "Hey, Caroline!|Thanks, Maria. You are the best!|See you soon!",
            "I lost my job at the bakery this month.",
        ),
        ("你好呀！|谢谢，太好了！|回头见！", "我妈妈对青霉素过敏。"),
    ],
)
async def test_where_something_reads_a_key_holds_what_lasts_and_chatter_leaves_none(
    chatter: str, told: str
) -> None:
    distiller = OfflineDistiller(local_reader())

    kept = await distiller.key(passages(*chatter.split("|"), told))
    nothing = await distiller.key(said := passages(*chatter.split("|")))

    assert [line.split(": ")[-1].split("：")[-1] for line in kept.text.splitlines()] == [told]
    assert (nothing, problem_of_key(nothing, said)) == (KeyOpinion(text="", passages=()), "")


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
