"""The offline Extractor, and what core asks of any Extractor."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from core.agents.faithful import problem_of_candidate
from core.agents.memory_roles import MOST_CANDIDATES, Candidate, Passage, PassageKind
from core.agents.offline.extracting import OfflineExtractor
from core.model.record import LIMIT
from core.ports.reader import NoReader
from tests.bench.bench_extraction import by_hand_counts
from tests.support.reading import candidates, local_reader

SAID = datetime(2024, 5, 8, tzinfo=UTC)


def passage(text: str, kind: PassageKind = PassageKind.INPUT, number: int = 0, speaker: str = "") -> Passage:
    return Passage(number=number, kind=kind, text=text, speaker=speaker, event_time=SAID, step=number + 1)


async def contents(*given: Passage) -> list[str]:
    return [candidate.content for candidate in await candidates(given)]


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_most_of_what_lasts_is_found_and_nothing_that_passes_or_that_an_agent_said(
    language: str,
) -> None:
    counted = await by_hand_counts(language)

    assert counted.right >= 0.87 * counted.lasting
    assert counted.taken == counted.right
    assert counted.own_words == 0


async def test_a_fact_stands_as_it_was_said_with_its_speaker_and_the_date_it_speaks_of() -> None:
    found = await candidates(
        [
            passage("I went to Oslo with my sister Anna yesterday. Can you book a table?", speaker="Ada"),
            passage("我上周和妹妹李娜去了杭州。请帮我订票。", number=1),
        ]
    )

    assert [(one.content, one.speaker, one.said_dates) for one in found] == [
        ("I went to Oslo with my sister Anna yesterday.", "Ada", ("2024-05-07",)),
        ("我上周和妹妹李娜去了杭州。", "用户", ("2024-04-29 – 2024-05-05",)),
    ]


@pytest.mark.parametrize(
    ("result", "lasting"),
    [
        (
            "Search results: 1. Lofts in Ghent. That took 0.4 seconds. The lease ends in March. Would you like 2 bags?"
            " It has 3 rooms. Imagine a house by the sea. Add to cart. The office in Ghent is closed on Sundays.",
            ["The lease ends in March.", "The office in Ghent is closed on Sundays."],
        ),
        (
            "共找到12条结果。已用时0.4秒。租约三月到期。您要两个袋子吗？假设明天闭馆。加入购物车。成都店周日不营业。",
            ["租约三月到期。", "成都店周日不营业。"],
        ),
        ('{"name": "Lido", "price": 84, "note": "Breakfast is served until ten."}', []),
        ("id,name,price\n1,Lamp,42\n2,Chair,18", []),
        ("2024-05-01 09:00:03 ERROR cannot connect to db-3\nRetry 1 of 5", []),
    ],
)
async def test_of_a_tools_result_what_is_told_of_the_world_and_lasts_is_taken(
    result: str, lasting: list[str]
) -> None:
    found = await candidates([passage(result, PassageKind.TOOL_RESULT)])

    assert [one.content for one in found] == lasting
    assert {one.speaker for one in found} <= {"Tool", "工具"}


async def test_a_tool_s_sentences_are_told_as_its_own_and_of_a_reply_nothing() -> None:
    (found,) = await candidates(
        [
            passage("ok\nThe ferry costs 42 EUR and leaves at 9:00.", PassageKind.TOOL_RESULT),
            passage("You told me that your sister Anna lives in Oslo.", PassageKind.REPLY, 1),
        ]
    )

    assert (found.content, found.speaker) == ("The ferry costs 42 EUR and leaves at 9:00.", "Tool")


@pytest.mark.parametrize(
    ("limit", "other"),
    [
        ("I'm allergic to mussels.", "I work in a bakery in Ghent."),
        ("My son can't eat peanuts.", "My son plays the cello."),
        ("我对蘑菇过敏。", "我在杭州一家面包店上班。"),
        ("我女儿不能喝牛奶。", "我女儿在学大提琴。"),
    ],
)
async def test_what_somebody_cannot_have_or_do_is_marked(limit: str, other: str) -> None:
    found = await candidates([passage(f"{limit} {other}")])

    assert [(one.content, one.subcategory) for one in found] == [(limit, LIMIT), (other, "")]


@pytest.mark.parametrize(
    ("said", "contexts"),
    [
        ("My sister Mia lives in Bath. She is allergic to cats.", ["", "My sister Mia lives in Bath."]),
        ("My sister says that she is allergic to cats.", [""]),
        ("我妹妹住在成都。她对猫过敏。", ["", "我妹妹住在成都。"]),
        ("我妹妹说她对猫过敏。", [""]),
        ("What is a good name for a dog? She is allergic to cats.", [""]),
    ],
)
async def test_what_refers_to_the_sentence_before_has_it_beside_it(said: str, contexts: list[str]) -> None:
    assert [one.context for one in await candidates([passage(said)])] == contexts


@pytest.mark.parametrize(
    "half_told",
    [
        "My neighbour claims he once met the queen.",
        "I nearly married a Dane.",
        "我饿得能吃下一头牛。",
        "我今天感觉自己八十岁了。",
        "当初学了法律，我现在就有钱了。",
    ],
)
async def test_what_is_only_half_told_is_no_fact(half_told: str) -> None:
    assert not await candidates([passage(half_told)])


async def test_what_was_said_twice_is_told_once_and_rests_on_both() -> None:
    text = "My sister Anna lives in Lyon."

    (found,) = await candidates([passage(text), passage(text, number=1)])

    assert (found.content, found.passages) == ("My sister Anna lives in Lyon.", (0, 1))


async def test_a_long_text_gives_no_more_facts_than_may_be_and_the_same_ones_again() -> None:
    long = passage(" ".join(f"My cousin Anna{n} moved to Lyon in {1900 + n}." for n in range(40)))

    found = await OfflineExtractor(local_reader()).extract([long], ())

    assert len(found) == MOST_CANDIDATES
    assert found == await OfflineExtractor(local_reader()).extract([long], ())


@pytest.mark.parametrize(
    "told",
    [
        "My name is Otto.",
        "我有两个孩子。",
        "我住在杭州。",
        "Ich wohne seit Mai in Kassel.",
        "J'ai deux enfants et un chat.",
        "Trabajo de camarero en Cádiz.",
        "大阪に住んでいます。",
    ],
)
async def test_a_plain_statement_is_a_fact_in_its_own_words(told: str) -> None:
    (found,) = await contents(passage(told))

    assert found.endswith(told)


@pytest.mark.parametrize(
    "text",
    [
        "I wish I lived in Leeds.",
        "Suppose I had two children.",
        "我要是住在杭州就好了。",
        "The hero of my novel lives in Leeds. He has two children.",
        "See below.\n> My name is Otto.\n> I live in Leeds.",
        "Bob wrote: “I live in Leeds. I have two children. My name is Bob.”",
        "```\nMy name is Otto.\nI live in Leeds.\n```",
        "Translate this:\n\nMy name is Otto. I live in Leeds.",
        "Which of these is right?\n- I live in Leeds.\n- I lives in Leeds.",
        "FYI\n\nFrom: Bob Hale\nSubject: My move\n\nI live in Leeds now. I have two children.",
        "把下面几句翻译成英语：\n我叫小明。\n我住在杭州。",
    ],
)
async def test_what_is_not_told_by_the_user_as_true_is_no_fact(text: str) -> None:
    assert await contents(passage(text)) == []


async def test_only_what_the_user_likes_is_a_preference() -> None:
    mine, hers = await candidates(
        [passage("I hate olives."), passage("My friend Ruth hates olives.", number=1)]
    )

    assert (mine.category, hers.category) == ("preference", "life")


async def test_without_a_reader_nothing_is_found_in_what_users_say() -> None:
    assert await OfflineExtractor(NoReader()).extract([passage("My name is Otto.")], ()) == ()


GIVEN = [
    passage("I moved to Oslo with Anna on 3 May.", speaker="Ada"),
    passage("You live in Rome.", PassageKind.REPLY, 1),
    passage("我上周和李娜搬到了杭州。", number=2),
]
SOUND = Candidate(content="Ada moved to Oslo on 3 May.", category="life", confidence=0.9, passages=(0,))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({}, ""),
        ({"content": "用户2024年4月29日那周搬到杭州。", "passages": (2,)}, ""),
        ({"content": "On Wednesday of May Ada told of Oslo."}, ""),
        ({"passages": ()}, "name the passages"),
        ({"passages": (7,)}, "name the passages"),
        ({"passages": (0, 1)}, "inputs and tool results alone"),
        ({"content": "…"}, "no words"),
        ({"content": "Ada moved. " * 40}, "may have 400"),
        ({"category": "Life!"}, "lower-case word"),
        ({"content": "Ada moved to Oslo on 4 June 2019."}, "4 stands in none"),
        ({"content": "Ada moved to Bergen on 3 May."}, "Bergen stands in none"),
        ({"content": "用户和王伟搬到了杭州。", "passages": (2,)}, "王伟 stands in none"),
        ({"content": "Ada moved to Rome."}, "Rome stands in none"),
    ],
)
def test_a_fact_must_rest_on_what_it_names(changes: dict[str, object], problem: str) -> None:
    found = problem_of_candidate(replace(SOUND, **changes), GIVEN)  # type: ignore[arg-type]

    assert problem in found
    assert bool(found) == bool(problem)


@pytest.mark.parametrize("order", ["Always answer in metric units, please.", "以后回答我都用公制单位。"])
async def test_an_order_that_is_to_stand_is_what_the_user_prefers(order: str) -> None:
    (found,) = await candidates([passage(order)])

    assert (found.content, found.category) == (order, "preference")
