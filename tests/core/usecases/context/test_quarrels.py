"""Contexts over many open conflicts: no side stands alone, none is over its budget, and the head knows no input."""

import random
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import NamedTuple

import pytest
import pytest_asyncio

from core.bank.bank import Bank
from core.bank.steps import ConflictPut
from core.errors import BudgetTooSmall
from core.ids import BankId, Collection, ConflictId, RecordId
from core.keys import BankKey, CollectionKey
from core.language.en.headings import CONTEXT as ENGLISH
from core.language.zh.headings import CONTEXT as CHINESE
from core.long_term.collection import Collection as Records
from core.long_term.steps import RecordPut
from core.model.conflict import Conflict, ConflictStatus, Side
from core.model.record import RecordState
from core.ports.aggregates import Draft
from core.text.tokens import estimate
from core.usecases.bank.verbs.add_nodes import AddNodes, NewNode, add_nodes
from core.usecases.bank.verbs.create_bank import CreateBank, create_bank
from core.usecases.context.asked import AssembleContext
from core.usecases.context.assemble_context import assemble_context
from core.usecases.conversation.verbs.add_key import AddKey, add_key
from core.usecases.house import House
from tests.support.house import START, open_house
from tests.support.long_term import new, tell
from tests.support.scale import scaled
from tests.support.talking import KEY, said, say, tend

pytestmark = pytest.mark.asyncio(loop_scope="module")

BANK = BankKey(tenant=KEY.tenant, bank_id=BankId("quarrels"))
FACTS = CollectionKey(tenant=KEY.tenant, user=KEY.user, collection=Collection(""))
CONTEXTS = 100 if scaled(1) == 1 else 10_000
LEAST_ENOUGH = 400
"""Tokens that hold what is never cut."""
PLACES = (
    "depot",
    "harbour",
    "archive",
    "orchard",
    "quarry",
    "station",
    "brewery",
    "chapel",
    "foundry",
    "granary",
)
NAMES = ("Ardal", "Benno", "Cressy", "Dovik", "Elmar", "Farrow", "Gorin", "Haldis", "Ivona", "Jarek")
ZH_PLACES = ("仓库", "码头", "档案馆", "果园", "采石场", "车站", "酿酒厂", "教堂", "铸造厂", "粮仓")
ZH_NAMES = ("阿达尔", "本诺", "克雷西", "多维克", "埃尔马", "法罗", "戈林", "哈尔迪", "伊沃娜", "雅雷克")


class Quarrel(NamedTuple):
    """What either side says, and what is asked of it."""

    sides: tuple[str, str]
    question: str


def quarrels() -> Iterator[Quarrel]:
    for number, (place, name) in enumerate((place, name) for place in PLACES for name in NAMES):
        few = 11 + number
        told = [f"The {place} of {name} holds {count} barrels." for count in (few, few + 200)]
        yield Quarrel((told[0], told[1]), f"How many barrels does the {place} of {name} hold?")
    for number, (place, name) in enumerate((place, name) for place in ZH_PLACES for name in ZH_NAMES):
        few = 11 + number
        told = [f"{name}的{place}里有{count}桶酒。" for count in (few, few + 200)]
        yield Quarrel((told[0], told[1]), f"{name}的{place}里有多少桶酒？")


def contests() -> Iterator[Quarrel]:
    """What facts and preferences of a collection contest; the last of either language are orders."""
    for number, name in enumerate(NAMES):
        told = [f"{name} keeps {count} horses in the valley." for count in (21 + number, 61 + number)]
        yield Quarrel((told[0], told[1]), f"How many horses does {name} keep?")
    for number, name in enumerate(ZH_NAMES):
        told = [f"{name}在山谷里养了{count}匹马。" for count in (21 + number, 61 + number)]
        yield Quarrel((told[0], told[1]), f"{name}养了多少匹马？")
    yield Quarrel(("I prefer a window seat on trains.", "I prefer an aisle seat on trains."), "Which seat?")
    yield Quarrel(("我坐火车喜欢靠窗的座位。", "我坐火车喜欢靠过道的座位。"), "我喜欢什么座位？")
    yield Quarrel(("Always answer in French.", "Always answer in Danish."), "Which language?")
    yield Quarrel(("请总是用法语回答。", "请总是用丹麦语回答。"), "用什么语言？")


QUARRELS = tuple(quarrels())
CONTESTS = tuple(contests())
PLAIN, ORDERS = CONTESTS[:-2], CONTESTS[-2:]
INPUTS = ("Thanks!", "谢谢！", "Tell me of the barrels.", "酒的情况怎么样？")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house() -> AsyncIterator[House]:
    async with open_house(unasked=False) as opened:
        await create_bank(
            opened, CreateBank(tenant=BANK.tenant, bank_id=BANK.bank_id, goal="Count the barrels")
        )
        nodes = [node for number, quarrel in enumerate(QUARRELS) for node in _nodes(number, quarrel)]
        for start in range(0, len(nodes), 100):
            await add_nodes(opened, AddNodes(key=BANK, nodes=tuple(nodes[start : start + 100])))
        await opened.banks.commit(BANK, _open_conflicts)
        await _talk(opened)
        yield opened


def _nodes(number: int, quarrel: Quarrel) -> Iterator[NewNode]:
    """Either side: in a passage that says more, or of no record at all; of some another passage repeats one."""
    for side, told in enumerate(quarrel.sides):
        verbatim = "" if number % 10 == 3 else f"Visit {number} was on a rainy day. {told}"
        yield NewNode(
            node_id=f"n{number}s{side}",  # type: ignore[arg-type]
            summary=told,
            context=told if number % 10 == 4 else f"Visit {number}",
            verbatim=verbatim,
            source=("the ledger", "the inspector")[side],
        )
    if number % 10 == 5:
        repeated = f"{quarrel.sides[0]} A guard of number {number} said so when we left."
        yield NewNode(summary=f"A guard of number {number} said so.", verbatim=repeated, source="a guard")


def _open_conflicts(bank: Bank, _revision: int) -> Draft[None]:
    steps = []
    for number, quarrel in enumerate(QUARRELS):
        named = [bank.nodes[f"n{number}s{side}"] for side in (0, 1)]  # type: ignore[index]
        steps.append(
            ConflictPut(
                conflict=Conflict(
                    conflict_id=ConflictId(f"q{number}"),
                    sides=tuple(
                        Side(node_id=node.node_id, segments=node.segments, quote=told)
                        for node, told in zip(named, quarrel.sides, strict=True)
                    ),
                    description=f"How many barrels in case {number}",
                    confidence=0.9,
                    reasoning="",
                    status=ConflictStatus.OPEN,
                    create_time=START,
                )
            )
        )
    return Draft(result=None, steps=tuple(steps), touches=frozenset(("conflicts",)))


async def _talk(house: House) -> None:
    """Turns, keys and facts: some of them repeat a side with more words."""
    turns = []
    for number in range(0, len(QUARRELS), 4):
        told = QUARRELS[number].sides[number // 4 % 2]
        turns.append(said(f"I counted them on tour {number}. {told}", "Noted, thank you for counting."))
        turns.append(said(f"How was the weather on tour {number}?", f"It rained on tour {number}."))
    turns.append(said(f"One more thing. {QUARRELS[7].sides[0]}", "I see."))
    for start in range(0, len(turns), 50):
        await say(house, *turns[start : start + 50])
    await tend(house)
    await add_key(house, AddKey(key=KEY, text="Answer in one line."))
    await add_key(house, AddKey(key=KEY, text=f"Never forget this. {QUARRELS[9].sides[0]} It matters."))
    await add_key(house, AddKey(key=KEY, text=QUARRELS[19].sides[1]))
    for number in range(2, len(QUARRELS), 10):
        await tell(house, QUARRELS[number].sides[1], FACTS)
    await house.collections.commit(FACTS, _contested)


def _contested(collection: Records, _revision: int) -> Draft[None]:
    """Facts, the first with a third that contests both; preferences; orders."""
    steps = []
    for number, contest in enumerate(CONTESTS):
        told = [*contest.sides, *(("Ardal keeps no horses at all.",) if number == 0 else ())]
        ids = [RecordId(f"contest-{number}-{side}") for side in range(len(told))]
        steps += [
            RecordPut(
                record=new(
                    text,
                    record_id=key,
                    category="life" if number < 2 * len(NAMES) else "preference",
                    state=RecordState.CONTESTED,
                    contested_with=tuple(other for other in ids if other != key),
                )
            )
            for key, text in zip(ids, told, strict=True)
        ]
    return Draft(result=None, steps=tuple(steps))


def _items_with(quarrel: Quarrel, prompt: str) -> list[str]:
    """The items that say a side, each up to the line that says it."""
    lines, found = prompt.splitlines(), []
    for place, line in enumerate(lines):
        if any(side in line for side in quarrel.sides):
            start = place
            while lines[start].startswith("  "):
                start -= 1
            found.append("\n".join(lines[start : place + 1]))
    return found


def command(input_: str, budget: int, sources: int) -> AssembleContext:
    return AssembleContext(
        input=input_,
        bank=BANK,
        conversation=KEY if sources else None,
        collection=FACTS if sources > 1 else None,
        token_budget=budget,
        observe=True,
    )


async def test_no_side_of_a_quarrel_stands_alone_and_no_context_is_over_its_budget(house: House) -> None:
    chosen, told, refused = random.Random(4), 0, 0
    for number in range(CONTEXTS):
        quarrel = chosen.choice((QUARRELS, CONTESTS)[number % 3 > 1 and number % 2])
        asked = chosen.choice((quarrel.question, quarrel.question, *INPUTS))
        budget = round(100 * 40 ** chosen.random())
        try:
            made = await assemble_context(house, command(asked, budget, number % 3))
        except BudgetTooSmall:
            assert budget < LEAST_ENOUGH
            refused += 1
            continue
        assert estimate(made.prompt) <= budget
        for each in QUARRELS:
            stands = [side in made.prompt for side in each.sides]
            told += all(stands)
            if any(stands) and not all(stands):
                alone = _items_with(each, made.prompt)
                assert all(ENGLISH.contested in item or CHINESE.contested in item for item in alone), alone
        for each in CONTESTS:
            standing = [item for item in made.prompt.splitlines() if any(side in item for side in each.sides)]
            stands = [any(side in item for item in standing) for side in each.sides]
            told += all(stands)
            if any(stands) and not all(stands):
                assert each in ORDERS, standing
            marked = [ENGLISH.contested in item or CHINESE.contested in item for item in standing]
            assert all(marked), standing
    assert told > CONTEXTS // 4
    assert refused < CONTEXTS // 2


@pytest.mark.parametrize("contest", [PLAIN[1], PLAIN[11], PLAIN[20], PLAIN[21], *ORDERS])
async def test_both_sides_of_a_contest_stand_where_there_is_room(house: House, contest: Quarrel) -> None:
    asked = replace(command(contest.question, 2_000, 2), bank=None, conversation=None)

    made = await assemble_context(house, asked)

    lines = made.prompt.splitlines()
    first, second = (next(n for n, line in enumerate(lines) if side in line) for side in contest.sides)
    assert abs(first - second) == 1


async def test_a_contest_without_room_is_told_and_so_is_a_floor_above_both_sides(house: House) -> None:
    asked = replace(command(PLAIN[1].question, 2_000, 2), bank=None, conversation=None, top_facts=2)
    small = [
        await assemble_context(house, replace(asked, token_budget=room)) for room in range(320, 120, -40)
    ]
    unlike = replace(asked, input=f"{PLAIN[1].question} And how many giraffes?", min_score=0.99)
    floored = await assemble_context(house, unlike)

    kept_out = {each.item_id for made in small for each in made.left_out if each.loss == "contested"}
    assert {"contest-1-0", "contest-1-1"} <= kept_out
    assert not any(side in floored.prompt for side in PLAIN[1].sides)


@pytest.mark.slow
async def test_inputs_in_two_languages_find_one_head(house: House) -> None:
    heads = set()
    for quarrel in QUARRELS:
        made = await assemble_context(house, command(quarrel.question, 1_000, 1))
        notes = (ENGLISH.recorded_to, CHINESE.recorded_to)
        heads.add(next(made.prompt.partition(note)[0] for note in notes if note in made.prompt))

    assert len(heads) == 1
    assert "Answer in one line." in next(iter(heads))
    assert f"- {ENGLISH.contested} {QUARRELS[19].sides[1]}" in next(iter(heads))


async def test_what_a_quarrel_keeps_out_is_told(house: House) -> None:
    """Where the pair has no room, what says one side has none either."""
    found = await assemble_context(house, command(QUARRELS[0].question, 200, 2))

    kept_out = {each.item_id for each in found.left_out if each.loss == "contested"}
    assert any(name.startswith("q") for name in kept_out)
