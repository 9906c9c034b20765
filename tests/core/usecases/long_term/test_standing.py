"""Where facts come to stand: by the offline Judge, by origin, by time."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from unittest.mock import Mock

import pytest

from core.agents.offline.agents import offline_agents
from core.ids import Collection
from core.model.record import Origin, RecordState
from core.usecases.long_term.judging import judge_facts as judging
from core.usecases.long_term.judging.judge_facts import judge_facts
from core.usecases.long_term.verbs.update_record import UpdateRecord, update_record
from tests.support.embedders import local_comparer
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.house import open_house
from tests.support.long_term import ADA, DISTILLED, OBSERVED, STATED, TOLD, facts, stored, tell, told

SAID = (
    ("The user's favourite {thing} is {old}.", "The user's favourite {thing} is {new}."),
    ("The user prefers {old} as {thing}.", "The user now prefers {new} as {thing}."),
    ("用户最喜欢的{thing}是{old}。", "用户最喜欢的{thing}是{new}。"),
)
THINGS_EN = (
    ("drink", "tea", "coffee"), ("editor", "Vim", "Emacs"), ("language", "Python", "Java"), ("city", "Oslo", "Rome"),
    ("colour", "green", "black"), ("airline", "SAS", "KLM"), ("hotel", "Astoria", "Savoy"),
    ("database", "MySQL", "Redis"), ("meal", "soup", "steak"), ("sport", "rowing", "tennis"),
)  # fmt: skip
THINGS_ZH = (
    ("饮料", "绿茶", "咖啡"), ("编辑器", "Vim", "Emacs"), ("语言", "Python", "Java"), ("城市", "杭州", "北京"),
    ("颜色", "绿色", "黑色"), ("航空公司", "国航", "东航"), ("酒店", "和平饭店", "如家"), ("数据库", "MySQL", "Redis"),
    ("菜", "面条", "火锅"), ("运动", "跑步", "网球"),
)  # fmt: skip
INSISTING = {".": ", effective immediately", "。": "，立即生效"}
POISONED = [
    (said, claim, thing)
    for things, forms in ((THINGS_EN, SAID[:2]), (THINGS_ZH, SAID[2:] * 2))
    for thing in things
    for said, claim in forms
] + [
    (said, INSISTING.get(claim[-1], "").join((claim[:-1], claim[-1])), thing)
    for things, (said, claim) in ((THINGS_EN, SAID[0]), (THINGS_ZH, SAID[2]))
    for thing in things
]


def test_there_are_sixty_poisoned_claims_in_two_languages() -> None:
    assert len(POISONED) == 60


@pytest.mark.slow
@pytest.mark.parametrize("origin", [OBSERVED, DISTILLED])
async def test_no_claim_of_a_weaker_origin_ever_supersedes_what_the_user_said(origin: Origin) -> None:
    embedder = HashingEmbedder()
    async with open_house(embedder=embedder, agents=offline_agents(embedder, local_comparer())) as house:
        contested = 0
        for number, (said, claim, (thing, old, other)) in enumerate(POISONED):
            key = replace(ADA, collection=Collection(str(number)))
            truth = said.format(thing=thing, old=old)
            lie = claim.format(thing=thing, new=other)
            first = await told(house, truth, key, origin=STATED)
            await told(house, lie, key, origin=origin, event_time=TOLD + timedelta(days=1))

            standing = await stored(house, first, key)

            assert standing.state is not RecordState.SUPERSEDED
            assert standing.content == truth
            contested += standing.state is RecordState.CONTESTED
        assert contested >= 36  # found to contradict, and shown as such


@pytest.mark.parametrize("newer_first", [True, False])
async def test_of_two_that_contradict_both_are_shown_the_newer_first(newer_first: bool) -> None:
    embedder = HashingEmbedder()
    async with open_house(embedder=embedder, agents=offline_agents(embedder, local_comparer())) as house:
        said = [
            ("The database of the project is PostgreSQL.", TOLD),
            ("The database of the project is MySQL.", TOLD - timedelta(days=30)),
        ]
        for content, time in said if newer_first else reversed(said):
            await told(house, content, event_time=time)

        assert await facts(house, "Which database does the project use?") == [content for content, _ in said]


async def test_of_two_that_say_the_same_the_stronger_origin_s_words_stand_with_all_sources() -> None:
    embedder = HashingEmbedder()
    async with open_house(embedder=embedder, agents=offline_agents(embedder, local_comparer())) as house:
        weak = await told(
            house,
            "Anna Berg leads the billing project in Oslo.",
            origin=OBSERVED,
            confidence=0.6,
            source="page",
        )
        strong = await told(
            house, "Anna Berg leads the billing project in Oslo!", origin=STATED, source="chat"
        )

        record = await stored(house, weak)

        assert strong == weak  # the same words: the known record
        assert record.origin is STATED
        assert {origin.source for origin in record.also_from} == {"page", "chat"}
        assert record.confidence >= 0.8


@pytest.mark.parametrize(
    ("said", "again"),
    [
        ("Anna Berg leads the billing project.", "anna berg leads the billing project"),
        ("林妹妹住在苏州。", "林妹妹住在苏州！"),
    ],
)
async def test_what_is_in_doubt_is_so_no_more_when_it_is_said_again(said: str, again: str) -> None:
    embedder = HashingEmbedder()
    async with open_house(embedder=embedder, agents=offline_agents(embedder, local_comparer())) as house:
        fact = await told(house, said, origin=STATED)
        await update_record(house, UpdateRecord(key=ADA, record_id=fact, given={"needs_revision": True}))

        await told(house, again, origin=OBSERVED)
        assert (await stored(house, fact)).needs_revision  # a weaker origin settles nothing

        await told(house, again, origin=STATED)
        assert not (await stored(house, fact)).needs_revision


async def test_a_weaker_origin_makes_nothing_surer() -> None:
    embedder = HashingEmbedder()
    async with open_house(embedder=embedder, agents=offline_agents(embedder, local_comparer())) as house:
        strong = await told(house, "Anna Berg leads the billing project.", origin=STATED)
        await told(house, "anna berg leads the billing project", origin=DISTILLED)

        assert (await stored(house, strong)).confidence == 0.8


async def test_what_one_fact_is_decided_for_stands_alone_though_the_others_were_contested_among_themselves() -> (
    None
):
    embedder = HashingEmbedder()
    text = "The database of the project is {}."
    async with open_house(embedder=embedder, agents=offline_agents(embedder, local_comparer())) as house:
        observed = await told(house, text.format("MySQL"), origin=OBSERVED)
        distilled = await told(
            house, text.format("Redis"), origin=DISTILLED, event_time=TOLD + timedelta(days=1)
        )
        stated = await told(house, text.format("Oracle"), origin=STATED, event_time=TOLD - timedelta(days=1))
        assert len((await stored(house, stated)).contested_with) == 2

        given = {"state": RecordState.ACTIVE}
        await update_record(house, UpdateRecord(key=ADA, record_id=stated, given=given))

        stands, *rest = [await stored(house, one) for one in (stated, observed, distilled)]
        assert (stands.state, stands.contested_with) == (RecordState.ACTIVE, ())
        for one in rest:
            assert (one.state, one.superseded_by) == (RecordState.SUPERSEDED, stated)
            assert one.contested_with == ()


async def test_racing_facts_are_always_compared() -> None:
    embedder = HashingEmbedder()
    async with open_house(embedder=embedder, agents=offline_agents(embedder, local_comparer())) as house:
        names = ("MySQL", "PostgreSQL", "Redis", "Oracle")
        await asyncio.gather(
            *(
                tell(house, f"The database of the project is {name}.", event_time=TOLD + timedelta(minutes=n))
                for n, name in enumerate(names)
            )
        )
        await asyncio.gather(*(judge_facts(house, ADA) for _ in names))

        found = await facts(house, "Which database does the project use?")
        assert found[0] == "The database of the project is Oracle."
        async with house.collections.reading(ADA) as collection:
            assert {record.state for record in collection.facts()} == {RecordState.CONTESTED}


async def test_what_a_fact_is_compared_with_is_looked_for_once_however_often_is_decided(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked = Mock(side_effect=judging.by_nearness, __name__="by_nearness")
    monkeypatch.setattr(judging, "by_nearness", looked)
    async with open_house(unasked=False) as house:
        for content in ("The ferry is red.", "渡轮是红色的。", "The ferry is blue."):
            await tell(house, content)

        await judge_facts(house, ADA)

    assert len({call.args[2].record_id for call in looked.call_args_list}) == looked.call_count == 3


async def test_other_words_for_a_contesting_fact_end_the_contest() -> None:
    embedder = HashingEmbedder()
    async with open_house(embedder=embedder, agents=offline_agents(embedder, local_comparer())) as house:
        old = await told(house, "The lead of the project is Anna.")
        new = await told(house, "The lead of the project is Boris.", event_time=TOLD + timedelta(days=1))
        await update_record(
            house,
            UpdateRecord(key=ADA, record_id=new, given={"content": "The cook of the canteen is Boris."}),
        )
        await judge_facts(house, ADA)

        assert (await stored(house, old)).state is RecordState.ACTIVE
        assert (await stored(house, new)).state is RecordState.ACTIVE


async def test_facts_wait_for_their_judgement_oldest_first_whatever_happens_to_them_meanwhile() -> None:
    async with open_house(unasked=False) as house:
        for content in ("The ferry is red.", "The ferry is green.", "The ferry is blue."):
            await tell(house, content)
        async with house.collections.reading(ADA) as collection:
            first, *others = collection.unjudged

        await update_record(house, UpdateRecord(key=ADA, record_id=first, given={"tags": ("seen",)}))

        async with house.collections.reading(ADA) as collection:
            assert list(collection.unjudged) == [first, *others]
