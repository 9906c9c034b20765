"""What only an assistant says opens no conflicts, unless the bank judges assistants."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from core.agents.offline.agents import offline_agents
from core.agents.roles import ConflictOpinion
from core.model.bank import RetrievalSettings
from core.model.interaction import TaskReport
from core.model.structuring import Purpose
from core.usecases.bank.record import Context, Message
from core.usecases.bank.structuring.generated import generated
from core.usecases.bank.verbs.augment import Augment
from core.usecases.bank.verbs.create_bank import CreateBank, create_bank
from core.usecases.bank.verbs.memorize import Memorize, MemorizeResult, memorize
from core.usecases.bank.verbs.update_bank import UpdateBank, update_bank
from core.usecases.house import House
from core.usecases.task.advance_task import AdvanceTask, advance_task
from tests.support.embedders import local_comparer
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.house import KEY, open_house
from tests.support.scripted_agents import ScriptedAgents

NINE, TEN = "The ferry to Naxos leaves at nine.", "The ferry to Naxos leaves at ten."
NINE_ZH, TEN_ZH = "渡轮九点开船。", "渡轮十点开船。"
ANSWERERS = ("assistant", "Assistant", "ai", "model")


@asynccontextmanager
async def told_first(text: str, judge_assistants: bool | None = None) -> AsyncIterator[House]:
    """A house of the offline agents whose bank has been told a text."""
    async with open_house(agents=offline_agents(HashingEmbedder(), local_comparer())) as house:
        settings = RetrievalSettings(judge_assistants=judge_assistants)
        await create_bank(house, CreateBank(tenant=KEY.tenant, bank_id=KEY.bank_id, settings=settings))
        await memorize(house, Memorize(key=KEY, context=Context(text=text)))
        yield house


async def say(house: House, *said: tuple[str, str], named: bool = True) -> MemorizeResult:
    """Memorizes messages: roles and texts, each by a speaker of the role's name, unless they are not `named`."""
    messages = tuple(Message(role=role, speaker=role if named else "", text=text) for role, text in said)
    return await memorize(house, Memorize(key=KEY, context=Context(messages=messages)))


@pytest.mark.parametrize("role", ANSWERERS)
@pytest.mark.parametrize("named", [True, False])
async def test_an_assistants_sentence_opens_no_conflict(role: str, named: bool) -> None:
    async with told_first(NINE) as house:
        told = await say(house, (role, TEN), named=named)

        assert told.conflict_ids == ()


@pytest.mark.parametrize("role", ["user", "human", "tool", "Ann", ""])
@pytest.mark.parametrize(("first", "second"), [(NINE, TEN), (NINE_ZH, TEN_ZH)])
async def test_a_sentence_of_any_other_role_opens_one(role: str, first: str, second: str) -> None:
    async with told_first(first) as house:
        told = await say(house, (role, second))

        assert len(told.conflict_ids) == 1


async def test_what_an_assistant_said_before_stands_against_nobody() -> None:
    async with told_first("Whales sing in the dark.") as house:
        await say(house, ("assistant", TEN))
        told = await say(house, ("user", NINE))

        assert told.conflict_ids == ()


async def test_a_user_is_judged_beside_an_assistant_in_one_node() -> None:
    async with told_first(NINE) as house:
        answer = "A bus to the port leaves at six. " + TEN
        told = await say(
            house, ("assistant", answer), ("user", "Really? The ferry to Naxos leaves at eleven.")
        )

        (conflict_id,) = told.conflict_ids
        async with house.banks.reading(KEY) as bank:
            quotes = [side.quote for side in bank.conflicts[conflict_id].sides]

        assert any("eleven" in quote for quote in quotes)
        assert not any("ten" in quote for quote in quotes)


async def test_what_the_user_says_too_is_evidence() -> None:
    async with told_first(NINE) as house:
        told = await say(house, ("user", TEN), ("assistant", TEN))

        assert len(told.conflict_ids) == 1


async def test_a_bank_may_judge_assistants_and_leave_it_again() -> None:
    async with told_first(NINE, judge_assistants=True) as house:
        judged = await say(house, ("assistant", TEN))
        as_configured = RetrievalSettings()
        await update_bank(house, UpdateBank(key=KEY, fields={"judge_assistants"}, settings=as_configured))
        left = await say(house, ("assistant", "The ferry to Naxos leaves at eleven."))

        assert len(judged.conflict_ids) == 1
        assert left.conflict_ids == ()


async def test_what_an_agent_reports_of_its_task_is_evidence() -> None:
    async with told_first(NINE) as house:
        context = Context(messages=(Message(role="assistant", text=TEN),), task=TaskReport())
        await advance_task(house, AdvanceTask(key=KEY, augment=Augment(key=KEY), context=context))

        async with house.banks.reading(KEY) as bank:
            assert len(bank.open_conflicts()) == 1
            assert {s.purpose for s in bank.tree.structurings.values()} == {Purpose.MEMORIZE, Purpose.ADVANCE}


async def test_no_judge_gets_its_way_with_an_assistants_words() -> None:
    agents = ScriptedAgents()
    agents.judge.first.otherwise = lambda new, candidates: [
        ConflictOpinion(
            existing=each.node_id,
            confidence=0.9,
            reasoning="",
            description="when it leaves",
            new_quote=new.summary,
            existing_quote=each.summary,
        )
        for each in candidates
    ]
    async with open_house(agents=agents.roles) as house:
        await create_bank(house, CreateBank(tenant=KEY.tenant, bank_id=KEY.bank_id))
        await memorize(house, Memorize(key=KEY, context=Context(text=NINE)))
        told = await say(house, ("assistant", TEN), named=False)

        assert told.conflict_ids == ()


async def test_an_assistants_sentences_stand_behind_its_name_without_those_of_others() -> None:
    async with told_first(NINE) as house:
        said = await say(house, ("user", "Is it nine?"), ("assistant", "Is it nine?  It  is ten."))

        async with house.banks.reading(KEY) as bank:
            refs = bank.tree.refs(said.interaction_id)

            assert generated(bank, refs) == "assistant: It is ten.\n"
            assert generated(bank, refs[:1]) == ""
