"""What models cost is counted on the bank, bounded per call and per bank, and nothing is lost when it runs out."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from core.agents.roles import Cluster, Piece, SplitPrompt
from core.agents.usage import afford, charge
from core.bank.state import BankState
from core.errors import AgentReplyInvalid, BudgetSpent, StructuringFailed
from core.model.interaction import TaskReport
from core.ports.chat import ChatReply
from core.usecases.bank.record import Context
from core.usecases.bank.structuring.leftovers import take_up_leftovers
from core.usecases.bank.verbs.augment import Augment
from core.usecases.bank.verbs.delete_bank import DeleteBank, delete_bank
from core.usecases.bank.verbs.get_bank import GetBank, get_bank
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.bank.verbs.restructure import Restructure, restructure
from core.usecases.bank.verbs.update_bank import UpdateBank, update_bank
from core.usecases.house import House
from core.usecases.limits import Budgets
from core.usecases.observer import NullObserver, StructuringEnded
from core.usecases.task.advance_task import AdvanceTask, advance_task
from core.usecases.task.start_task import StartTask, start_task
from core.usecases.workshop import JobRunner
from tests.support.house import KEY, TickingClock, make_bank, open_house, work_done
from tests.support.scripted_agents import ScriptedAgents, one_cluster

CALL = ChatReply(text="{}", input_tokens=90, output_tokens=10)


def model() -> None:
    """One call of a language model: 100 tokens."""
    afford()
    charge(CALL)


def costly() -> ScriptedAgents:
    """Clusterer and structurer ask a model, once for each question."""
    agents = ScriptedAgents()

    def cluster(pieces: Sequence[Piece], task: str) -> Sequence[Cluster]:
        model()
        return one_cluster(pieces, task)

    def structure(content: str, _context: str, _keywords: Sequence[str]) -> str:
        model()
        return content

    agents.clusterer.clusters.otherwise = cluster
    agents.structurer.summaries.otherwise = structure
    return agents


def with_budgets(house: House, **budgets: int) -> House:
    """The house as it is after a start with other budgets."""
    return replace(house, workshop=JobRunner(house.clock, Budgets(**budgets)))


async def remember(house: House, text: str) -> None:
    await memorize(house, Memorize(key=KEY, context=Context(text=text)))


async def spent(house: House) -> int:
    """As the store has it."""
    state = await house.store.load(KEY)
    assert isinstance(state, BankState)
    return state.record.tokens_spent


async def test_tokens_are_on_the_banks_record_and_leave_its_settings_alone() -> None:
    async with open_house(agents=costly().roles) as house:
        await make_bank(house)
        before = (await get_bank(house, GetBank(key=KEY))).revision

        await remember(house, "alpha")
        await remember(house, "beta")

        assert await spent(house) == 400
        assert (await get_bank(house, GetBank(key=KEY))).record.tokens_spent == 400
        await update_bank(house, UpdateBank(key=KEY, fields={"labels"}, if_revision=before))
        assert await spent(house) == 400


async def test_calls_at_once_are_each_counted_once() -> None:
    async with open_house(agents=costly().roles) as house:
        await make_bank(house)

        await asyncio.gather(*(remember(house, f"text {n}") for n in range(12)))

        assert await spent(house) == 12 * 200


async def test_what_an_answer_cost_that_could_not_be_used_is_counted_too() -> None:
    agents = costly()

    def rubbish(_content: str, _context: str, _keywords: Sequence[str]) -> str:
        model()
        model()
        raise AgentReplyInvalid("structurer", "not JSON")

    agents.structurer.summaries.otherwise = rubbish
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)

        with pytest.raises(StructuringFailed):
            await remember(house, "alpha")

        assert await spent(house) == 300


async def test_a_call_stops_at_its_budget_and_the_next_one_goes_on() -> None:
    async with open_house(agents=costly().roles) as opened:
        house = with_budgets(opened, tokens_per_call=100)
        await make_bank(house)

        with pytest.raises(StructuringFailed) as stopped:
            await remember(house, "alpha")

        cause = stopped.value.cause
        assert isinstance(cause, BudgetSpent)
        assert (cause.budget, cause.spent, cause.allowed) == ("budget.tokens_per_call", 100, 100)
        assert await spent(house) == 100
        await restructure(house, Restructure(key=KEY))
        assert (await get_bank(house, GetBank(key=KEY))).counts.unstructured_interactions == 0
        assert await spent(house) == 200


async def test_starting_a_task_and_structuring_its_context_share_the_call_s_budget() -> None:
    agents = costly()

    def split(prompt: str) -> SplitPrompt:
        model()
        return SplitPrompt(question="when?", context=prompt)

    agents.clusterer.splits.otherwise = split
    async with open_house(agents=agents.roles) as opened:
        house = with_budgets(opened, tokens_per_call=200)

        with pytest.raises(StructuringFailed) as stopped:
            await start_task(house, StartTask(key=KEY, augment=Augment(key=KEY), prompt="alpha"))

        assert isinstance(stopped.value.cause, BudgetSpent)
        assert stopped.value.cause.spent == 200
        assert await spent(house) == 200


async def test_a_bank_that_has_spent_its_budget_waits_until_it_is_raised() -> None:
    async with open_house(agents=costly().roles) as opened:
        house = with_budgets(opened, tokens_per_bank=300)
        await make_bank(house)
        await remember(house, "alpha")
        with pytest.raises(StructuringFailed):
            await remember(house, "beta")
        with pytest.raises(StructuringFailed):
            await restructure(house, Restructure(key=KEY))
        assert await spent(house) == 300
        assert (await get_bank(house, GetBank(key=KEY))).counts.unstructured_interactions == 1

        raised = with_budgets(opened, tokens_per_bank=1_000)
        done = await restructure(raised, Restructure(key=KEY))

        assert done.usage.tokens == 100
        assert (await get_bank(raised, GetBank(key=KEY))).counts.unstructured_interactions == 0
        assert await spent(raised) == 400


async def test_the_background_leaves_alone_what_broke_a_budget() -> None:
    async with open_house(agents=costly().roles) as opened:
        house = with_budgets(opened, tokens_per_call=100)
        await make_bank(house)
        with pytest.raises(StructuringFailed):
            await remember(house, "alpha")
        clock = house.clock
        assert isinstance(clock, TickingClock)
        clock.skip(timedelta(days=1))

        assert await take_up_leftovers(house, timedelta(0)) == 0


async def test_the_background_tries_an_endpoint_that_is_down_less_and_less_often() -> None:
    agents = costly()

    def down(_pieces: Sequence[Piece], _task: str) -> Sequence[Cluster]:
        raise AgentReplyInvalid("clusterer", "not JSON")

    agents.clusterer.clusters.otherwise = down
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        for text in ("alpha", "beta", "gamma"):
            with pytest.raises(StructuringFailed):
                await remember(house, text)
        clock = house.clock
        assert isinstance(clock, TickingClock)

        started = []
        for _ in range(24 * 60):  # a day of rounds, a minute apart
            clock.skip(timedelta(minutes=1))
            started.append(await take_up_leftovers(house, timedelta(0)))
            for running in list(house.workshop._running.values()):
                with pytest.raises(StructuringFailed):
                    await running.finished()

        assert max(started) == 1
        assert sum(started) < 40
        agents.clusterer.clusters.otherwise = one_cluster
        clock.skip(timedelta(hours=1))
        await take_up_leftovers(house, timedelta(0))
        await work_done(house)
        assert await take_up_leftovers(house, timedelta(0)) == 2


async def test_an_interaction_that_fails_by_itself_is_left_alone_though_others_of_its_bank_succeed() -> None:
    agents, asked = costly(), list[str]()

    def poisoned(pieces: Sequence[Piece], task: str) -> Sequence[Cluster]:
        asked.append(pieces[0].text)
        if pieces[0].text == "poison":
            raise AgentReplyInvalid("clusterer", "not JSON")
        return one_cluster(pieces, task)

    agents.clusterer.clusters.otherwise = poisoned
    async with open_house(agents=agents.roles) as house:
        await make_bank(house)
        with pytest.raises(StructuringFailed):
            await remember(house, "poison")
        clock = house.clock
        assert isinstance(clock, TickingClock)

        for number in range(60):  # an hour of a bank that is in use
            await remember(house, f"good {number}")
            clock.skip(timedelta(minutes=1))
            await take_up_leftovers(house, timedelta(0))
            for running in list(house.workshop._running.values()):
                with pytest.raises(StructuringFailed):
                    await running.finished()

    assert asked.count("poison") < 10


async def test_a_defect_is_neither_hidden_nor_hammered_at() -> None:
    agents, told = costly(), list[StructuringEnded]()

    def broken(_pieces: Sequence[Piece], _task: str) -> Sequence[Cluster]:
        raise KeyError("never meant to be")

    class Listening(NullObserver):
        def structured(self, structured: StructuringEnded) -> None:
            told.append(structured)

    agents.clusterer.clusters.otherwise = broken
    async with open_house(agents=agents.roles) as opened:
        house = replace(opened, workshop=JobRunner(opened.clock, observer=Listening()))
        await make_bank(house)

        with pytest.raises(KeyError):
            await remember(house, "alpha")

        assert [type(structured.failure) for structured in told] == [KeyError]
        assert await take_up_leftovers(house, timedelta(0)) == 0
        await delete_bank(house, DeleteBank(key=KEY))
        assert not house.workshop.patience.is_tried(KEY)


async def test_every_call_that_asks_agents_says_what_it_cost() -> None:
    agents = costly()
    async with open_house(agents=agents.roles) as house:
        started = await start_task(
            house, StartTask(key=KEY, augment=Augment(key=KEY), goal="when?", context=Context(text="alpha"))
        )
        bare = await start_task(house, StartTask(key=KEY, augment=Augment(key=KEY), goal="and then?"))
        context = Context(text="beta", task=TaskReport(type="SEARCH", description="x"))
        advanced = await advance_task(house, AdvanceTask(key=KEY, augment=Augment(key=KEY), context=context))

    assert (started.usage.tokens, advanced.memory.usage.tokens) == (200, 200)
    assert started.usage.roles["planner"].calls >= 1
    assert bare.usage.roles["planner"].calls == 2  # its plan was empty, so it was asked once more
