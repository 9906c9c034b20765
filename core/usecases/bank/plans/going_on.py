"""A change of the insight document that no Planner is asked about.

Law: where the document had a next task or an end, it keeps having one: the offline rule decides, in the same change.
A bank without a goal in which conflicts alone were settled had no task: it does not finish, and is not purged for it.
The bank's record follows the document.
"""

from dataclasses import replace

from core.agents.offline.planner import next_steps
from core.agents.roles import Plan, Progress
from core.bank.bank import Bank
from core.bank.steps import BankPut, Step, insight_put
from core.ids import TaskId
from core.model.insight import Insight, is_validation
from core.usecases.bank.plans.planning import with_plan
from core.usecases.ports import CommonPorts, MakingPorts


def going_on(ports: CommonPorts, bank: Bank, insight: Insight) -> Insight:
    """Returns the bank's document as a change leaves it, with the next task or the end by rule where it lost them."""
    before = bank.insight
    is_without = (before.pending or before.finished) and not (insight.pending or insight.finished)
    if not is_without or not (insight.goal or any(not is_validation(task.type) for task in insight.done)):
        return insight
    progress = Progress(knows_of_goal=bool(bank.nodes), attempts=ports.settings.attempts)
    steps = Plan(pending=tuple(next_steps(insight, progress)))
    return with_plan(insight, steps, lambda: TaskId(ports.ids.new("t")), ports.settings.attempts)


def insight_steps(ports: MakingPorts, bank: Bank, insight: Insight) -> list[Step]:
    """Returns the document put, and the bank's record with its goal, and when it finished or that it goes on after
    all."""
    if insight is bank.insight:
        return []
    now, record = ports.clock.now(), bank.record
    if insight.finished != (record.finish_time is not None):
        record = replace(record, finish_time=now if insight.finished else None)
    if insight.goal != record.goal:
        record = replace(record, goal=insight.goal, update_time=now)
    put = insight_put(bank.insight, insight)
    return [put] if record is bank.record else [put, BankPut(record=record)]
