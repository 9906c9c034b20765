"""A refuted value told again is marked by its words, though the Judge finds nothing."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from core.agents.roles import Consolidation, MergeSource, Neighbor, Topic
from core.usecases.bank.record import Context
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.bank.verbs.resolve_conflict import ResolveConflict, resolve_conflict
from core.usecases.house import House
from tests.core.usecases.bank.test_rounds import conflicting
from tests.support.house import KEY, START, make_bank, open_house
from tests.support.scripted_agents import ScriptedAgents, joined

NINE = "The ferry to Naxos leaves at nine from pier 3."
TEN = "The ferry to Naxos leaves at ten."
EARLIER = "Ask at the pier. By the leaflet, the ferry to Naxos leaves at nine from pier 3."


def refuting(wrong: str, right: str = TEN) -> ScriptedAgents:
    """The judge sees that `right` contradicts `wrong` once, and never anything else; the verdict refutes `wrong`."""
    agents = ScriptedAgents()
    seen: list[Topic] = []

    def first(new: Topic, candidates: Sequence[Topic]) -> Sequence[object]:
        against = [each for each in candidates if each.summary == wrong and new.summary == right and not seen]
        seen.extend(against)
        return [conflicting(new, each) for each in against]

    agents.judge.first.otherwise = first

    def consolidated(
        nodes: Sequence[MergeSource], neighbors: Sequence[Neighbor], *more: Any
    ) -> Consolidation:
        return replace(joined(nodes, neighbors, *more), refuted=(wrong,))

    agents.consolidator.consolidations.otherwise = consolidated
    return agents


async def tell(house: House, text: str, **fields: Any) -> tuple[str, ...]:
    told = await memorize(house, Memorize(key=KEY, context=Context(text=text, **fields)))
    return tuple(told.conflict_ids)


async def marked(house: House) -> list[str]:
    async with house.banks.reading(KEY) as bank:
        return [bank.tree.text(each.ref)[each.start : each.end] for each in bank.tree.refutations()]


async def settled(house: House, wrong: str = NINE, right: str = TEN) -> None:
    await tell(house, wrong)
    (conflict_id,) = await tell(house, right)
    await resolve_conflict(
        house,
        ResolveConflict(key=KEY, conflict_id=conflict_id, verdict=right),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("text", "again"),
    [
        (NINE, NINE),
        (f"Tickets are 42 euro. As before: {NINE}", f"As before: {NINE}"),
        ("The ferry to Naxos leaves at nine from pier 3, they say.",) * 2,
    ],
)
async def test_a_memory_that_tells_again_what_was_refuted_is_marked(text: str, again: str) -> None:
    async with open_house(agents=refuting(NINE).roles) as house:
        await make_bank(house)
        await settled(house)

        await tell(house, text)

        assert await marked(house) == [NINE, again]


@pytest.mark.parametrize(
    "text",
    [
        TEN,
        "The ferry to Paros leaves at nine from pier 4.",
        "The ferry to Naxos does not leave at nine from pier 3.",
        "Does the ferry to Naxos leave at nine from pier 3?",
        "The ferry to Naxos leaves at ten from pier 3; it was nine before.",
        "Breakfast at nine.",
    ],
)
async def test_what_says_something_else_is_not(text: str) -> None:
    async with open_house(agents=refuting(NINE).roles) as house:
        await make_bank(house)
        await settled(house)

        await tell(house, text)

        assert await marked(house) == [NINE]


@pytest.mark.parametrize(
    "news", [{"source": "harbour office"}, {"event_time": START + timedelta(days=9)}], ids=["source", "date"]
)
async def test_what_brings_news_is_left_to_the_judge(news: dict[str, Any]) -> None:
    async with open_house(agents=refuting(NINE).roles) as house:
        await make_bank(house)
        await settled(house)

        await tell(house, NINE, **news)

        assert await marked(house) == [NINE]


async def test_a_verdict_marks_the_earlier_memories_that_told_the_same() -> None:
    async with open_house(agents=refuting(NINE).roles) as house:
        await make_bank(house)
        await tell(house, EARLIER)

        await settled(house)

        assert sorted(await marked(house)) == sorted([NINE, EARLIER.split(". ", 1)[1]])


async def test_a_chinese_value_told_again_is_marked() -> None:
    wrong, right = "星河公司的CEO是张三。", "星河公司的CEO是李四。"
    async with open_house(agents=refuting(wrong, right).roles) as house:
        await make_bank(house)
        await settled(house, wrong, right)

        await tell(house, "听说星河公司的CEO是张三。总部在上海。")
        await tell(house, "星河公司的CEO不是张三。")

        assert await marked(house) == [wrong, "听说星河公司的CEO是张三。"]
