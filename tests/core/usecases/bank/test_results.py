"""What a completed step says of itself, whatever its Planner answers."""

from core.agents.roles import Plan, PlannedTask
from core.text.tokens import estimate
from core.usecases.bank.record import Context, Message
from core.usecases.bank.verbs.augment import Augment
from core.usecases.task.advance_task import AdvanceTask, advance_task
from core.usecases.task.start_task import StartTask, start_task
from tests.support.house import KEY, open_house
from tests.support.scripted_agents import ScriptedAgents

WORDY = "The Planner says a lot about this step. " * 20
LONG = "The agent answers at length. " * 20


async def said(answer: str) -> str:
    agents = ScriptedAgents()
    planned = Plan(completed_context=WORDY, pending=(PlannedTask(type="SEARCH", description="go on"),))
    agents.planner.plans.otherwise = lambda _insight, _progress: planned
    async with open_house(agents=agents.roles) as house:
        await start_task(house, StartTask(key=KEY, augment=Augment(key=KEY), goal="Which ferry?"))
        context = Context(messages=(Message(role="assistant", text=answer), Message(role="tool", text=LONG)))
        command = AdvanceTask(key=KEY, augment=Augment(key=KEY), context=context)
        (done,) = (await advance_task(house, command)).memory.insight.completed
    return done.context


async def test_a_short_answer_stands_as_the_agent_gave_it() -> None:
    assert await said("The Blue Star, at nine.") == "The Blue Star, at nine."


async def test_of_a_long_answer_the_planner_tells_within_the_bounds() -> None:
    told = await said(LONG)

    assert told == "The Planner says a lot about this step. The Planner says a lot about this step."
    assert estimate(told) <= 60
