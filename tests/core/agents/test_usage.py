"""What a call's agents cost: added up as it is spent, and stopped when nothing is left."""

from datetime import UTC, datetime, timedelta

import pytest

from core.agents.usage import Ledger, TokenBudget, afford, charge, note_fallback
from core.errors import BudgetSpent
from core.model.usage import RoleUsage, Usage
from core.ports.chat import ChatReply


class StandingClock:
    def now(self) -> datetime:
        return datetime(2024, 5, 1, tzinfo=UTC)


def test_replies_are_charged_to_the_role_at_work() -> None:
    ledger = Ledger(StandingClock())

    with ledger.spending("judge"):
        charge(ChatReply(text="{}", input_tokens=30, output_tokens=5))
        charge(ChatReply(text="[]", input_tokens=40, output_tokens=6))

    assert ledger.total() == Usage(roles={"judge": RoleUsage(calls=2, input_tokens=70, output_tokens=11)})
    assert ledger.total().tokens == 81


def test_an_answer_of_the_offline_agent_in_a_models_place_is_counted_as_such() -> None:
    ledger = Ledger(StandingClock())

    with ledger.spending("planner"):
        note_fallback()

    assert ledger.total() == Usage(roles={"planner": RoleUsage(calls=1, fell_back=1)})


def test_a_clock_that_is_set_back_meanwhile_takes_no_time_away() -> None:
    now = iter(datetime(2024, 5, 1, tzinfo=UTC) - timedelta(seconds=n) for n in range(2))

    class SetBack:
        def now(self) -> datetime:
            return next(now)

    ledger = Ledger(SetBack())
    with ledger.spending("judge"):
        pass

    assert ledger.total().roles["judge"].milliseconds == 0


def test_spending_without_an_account_is_charged_to_none() -> None:
    afford()
    charge(ChatReply(text="", input_tokens=1))
    note_fallback()


def test_no_model_is_asked_once_the_budget_is_spent() -> None:
    ledger = Ledger(StandingClock(), call=TokenBudget("tokens_per_call", 10))
    with ledger.spending("judge"):
        afford()
        charge(ChatReply(text="", input_tokens=9, output_tokens=3))

    with ledger.spending("judge"), pytest.raises(BudgetSpent) as refused:
        afford()

    spent = refused.value
    assert (spent.budget, spent.spent, spent.allowed) == ("tokens_per_call", 12, 10)


def test_the_usage_of_several_calls_adds_up_role_by_role() -> None:
    one = Usage(roles={"judge": RoleUsage(calls=1, input_tokens=5, milliseconds=7)})
    other = Usage(roles={"judge": RoleUsage(calls=2, output_tokens=3), "planner": RoleUsage(fell_back=1)})

    both = one + other

    assert both.roles == {
        "judge": RoleUsage(calls=3, input_tokens=5, output_tokens=3, milliseconds=7),
        "planner": RoleUsage(fell_back=1),
    }
