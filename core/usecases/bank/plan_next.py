"""Planning the next step where no interaction brings it about: a goal was set, or work ran out."""

from core.agents.opinions import Unasked
from core.agents.roles import Progress
from core.agents.usage import Ledger
from core.bank.bank import Bank
from core.bank.steps import insight_put
from core.ids import BankKey
from core.model.insight import Insight
from core.ports.aggregates import Draft
from core.usecases.bank.decide import decide
from core.usecases.bank.structure import finish_steps, plan
from core.usecases.house import House
from core.usecases.spending import on_account


async def plan_next(house: House, key: BankKey, ledger: Ledger) -> None:
    """Ask the Planner if there is a goal and nothing is pending. Raises AgentUnavailable, AgentReplyInvalid,
    BudgetSpent."""
    made: dict[int, Insight] = {}

    def compose(bank: Bank, _revision: int) -> Draft[None]:
        insight = bank.insight
        if not insight.goal or insight.pending or insight.finished:
            return Draft(result=None)
        asked = bank.insight_revision
        if asked not in made:
            progress = Progress(conflicts=tuple(bank.open_conflicts()))
            raise Unasked(lambda: _ask(house, insight, progress, ledger, made, asked))
        steps = [insight_put(bank.insight, made[asked]), *finish_steps(house, bank, made[asked])]
        return Draft(result=None, steps=tuple(steps), touches=frozenset(("insight", "bank")))

    async with on_account(house, key, ledger):
        await decide(house, key, compose, ledger)


async def _ask(
    house: House, insight: Insight, progress: Progress, ledger: Ledger, made: dict[int, Insight], asked: int
) -> None:
    made[asked] = await plan(house, insight, progress, ledger)
