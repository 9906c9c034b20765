"""What a prompt is credited with."""

import pytest

from core.bank.query import Target
from core.ids import BankId, NodeId, Tenant
from core.keys import BankKey
from core.usecases.bank.verbs.create_bank import CreateBank, create_bank
from evaluation import prompts
from evaluation.figures import Standing
from evaluation.methods import Method
from evaluation.prompts import MemorizedWorld, standing, standings
from evaluation.sets import Question
from tests.support.house import open_house

KEY = BankKey(tenant=Tenant("evaluation"), bank_id=BankId("harbour"))
ASKED = MemorizedWorld(
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


async def test_a_budget_too_small_for_what_every_prompt_holds_gives_no_prompt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(prompts, "BUDGETS", (100, 1_000))
    method = Method(name="words", target=Target.SEGMENTS)

    async with open_house() as house:
        await create_bank(
            house, CreateBank(tenant=KEY.tenant, bank_id=KEY.bank_id, goal="find the timetable")
        )
        made = await standings(house, ASKED, QUESTION, method)

    assert made == (None, Standing(shown=0.0, reachable=0.0))
