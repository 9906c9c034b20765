"""UpdateBank: settings and marks of a bank. Its goal is its insight document's too."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from datetime import timedelta

from core.bank.bank import Bank
from core.bank.steps import BankPut, Step, insight_put
from core.keys import BankKey
from core.model.bank import BankRecord, RetrievalSettings
from core.ports.aggregates import CommitResult, Draft, RequestKey
from core.usecases.bank.plans.going_on import going_on
from core.usecases.bank.plans.planning import with_goal
from core.usecases.bank.ports import BankPorts
from core.usecases.revisions import require_unchanged

SETTINGS = frozenset({"top_k", "alpha", "chunk_ratio", "validation_floor", "judge_assistants"})


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateBank:
    """`fields` names what is set: `goal`, `top_k`, `alpha`, `chunk_ratio`, `validation_floor`,
    `judge_assistants`, `labels`, `ttl`; a value of None among them clears the setting."""

    key: BankKey
    fields: Set[str]
    goal: str = ""
    settings: RetrievalSettings = RetrievalSettings()
    labels: Mapping[str, str] = field(default_factory=dict)
    ttl: timedelta | None = None
    if_revision: int | None = None
    request: RequestKey | None = None


async def update_bank(ports: BankPorts, command: UpdateBank) -> CommitResult[BankRecord]:
    """Raises BankNotFound, StaleRevision, RequestIdReused."""
    now = ports.clock.now()

    def stage(bank: Bank, _revision: int) -> Draft[BankRecord]:
        require_unchanged(command.if_revision, bank.record_revision)
        record = replace(_changed(bank.record, command), update_time=now)
        insight = bank.insight
        if "goal" in command.fields:
            insight = going_on(ports, bank, with_goal(insight, record.goal))
        if not insight.finished:
            record = replace(record, finish_time=None)
        steps: list[Step] = [BankPut(record=record)]
        touches = {"bank"}
        if record.goal != bank.insight.goal and "goal" in command.fields:
            steps.append(insight_put(bank.insight, insight))
            touches.add("insight")
        return Draft(result=record, steps=tuple(steps), touches=frozenset(touches))

    return await ports.banks.commit(command.key, stage, command.request, BankRecord)


def _changed(record: BankRecord, command: UpdateBank) -> BankRecord:
    given = {name: getattr(command.settings, name) for name in SETTINGS & command.fields}
    own = {name: getattr(command, name) for name in ("goal", "labels", "ttl") if name in command.fields}
    return replace(record, settings=replace(record.settings, **given), **own)
