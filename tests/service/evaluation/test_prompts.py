"""What a prompt is credited with."""

from core.bank.query import Target
from core.ids import BankId, NodeId, Tenant
from core.keys import BankKey
from core.usecases.bank.create_bank import CreateBank, create_bank
from service.evaluation.figures import BUDGETS, Outcome, Standing, figures
from service.evaluation.methods import Method
from service.evaluation.prompts import Asked, standing, standings
from service.evaluation.sets import Question
from tests.support.house import open_house

KEY = BankKey(tenant=Tenant("evaluation"), bank_id=BankId("harbour"))
ASKED = Asked(
    key=KEY,
    message_of={},
    lines={"m1": "The ferry leaves at six.", "m2": "On Sundays at eight."},
    nodes_of={"m1": frozenset((NodeId("n-1"),)), "m2": frozenset((NodeId("n-2"),))},
)
QUESTION = Question(question_id="q", text="ferry?", category="c", evidence=frozenset(("m1", "m2")))


def test_evidence_is_shown_by_its_whole_words_and_reachable_behind_its_node() -> None:
    prompt = "- [i-1#0] 2024-01-01\n  The ferry\n  leaves at six.\n- [n-2] 2024-01-02 Sundays"

    assert standing(ASKED, QUESTION, prompt) == Standing(shown=0.5, reachable=1.0)
    assert standing(ASKED, QUESTION, "[n-20] The ferry leaves.") == Standing(shown=0.0, reachable=0.0)


async def test_a_budget_too_small_for_the_insight_document_gives_no_prompt() -> None:
    method = Method(name="words", target=Target.SEGMENTS)

    async with open_house() as house:
        long_goal = "find the timetable of every ferry " * 150
        await create_bank(house, CreateBank(tenant=KEY.tenant, bank_id=KEY.bank_id, goal=long_goal))
        made = await standings(house, ASKED, QUESTION, method)

    assert made == (None, Standing(shown=0.0, reachable=0.0), Standing(shown=0.0, reachable=0.0))


def test_a_question_without_a_prompt_is_a_miss_and_is_counted() -> None:
    whole = Standing(shown=1.0, reachable=1.0)
    outcomes = [
        Outcome(ranks=(1,), needed=1, prompts=(None, whole, whole)),
        Outcome(ranks=(1,), needed=1, prompts=(whole, Standing(shown=0.5, reachable=1.0), whole)),
    ]

    first, second, _ = figures(outcomes, seed=1).prompts

    assert (first.whole.mean, first.some, first.reachable, first.without) == (0.5, 0.5, 0.5, 1)
    assert (second.whole.mean, second.some, second.reachable, second.without) == (0.5, 1.0, 1.0, 0)
    assert [outcomes[0].shows_all(budget) for budget in BUDGETS] == [0.0, 1.0, 1.0]
