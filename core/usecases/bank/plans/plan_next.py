"""Planning the next step where no interaction brings it about: a goal was set, or work ran out."""

from core.agents.opinions import OpinionPending
from core.agents.roles import Progress
from core.agents.usage import Ledger
from core.bank.bank import Bank
from core.keys import BankKey
from core.model.insight import Insight
from core.ports.aggregates import Draft
from core.usecases.bank.plans.going_on import insight_steps
from core.usecases.bank.plans.plan import plan
from core.usecases.bank.ports import NodePorts
from core.usecases.bank.structuring.decide import decide
from core.usecases.spending import on_account


async def plan_next(ports: NodePorts, key: BankKey, ledger: Ledger, *, goalless: bool = False) -> None:
    """Asks the Planner if nothing is pending and there is a goal (or one is to be found, `goalless`).

    Raises AgentUnavailable, AgentReplyInvalid, BudgetSpent, EmbedderUnavailable.
    """
    made: dict[int, Insight] = {}  # by the revision of the document that it follows

    async def ask(revision: int, insight: Insight, progress: Progress) -> None:
        made[revision] = await plan(ports, key, insight, progress, ledger)

    def compose(bank: Bank, _revision: int) -> Draft[None]:
        insight = bank.insight
        if not (insight.goal or goalless) or insight.pending or insight.finished:
            return Draft(result=None)
        asked = bank.insight_revision
        if asked not in made:
            progress = Progress(conflicts=tuple(bank.open_conflicts()))
            raise OpinionPending(lambda: ask(asked, insight, progress))
        steps = tuple(insight_steps(ports, bank, made[asked]))
        return Draft(result=None, steps=steps, touches=frozenset(("insight", "bank")))

    async with on_account(ports, key, ledger):
        await decide(ports, key, compose, ledger)
