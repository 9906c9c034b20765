"""A long task run over the wire, offline or on the scripted model: forty steps, each with the prompt it was given.

Law: whoever runs the task does what the plan puts in front: retries what failed, settles what contradicts, else goes on
with the script.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from core.agents.llm.agents import llm_agents
from core.agents.offline.agents import offline_agents
from core.agents.roles import Agents
from core.ports.comparer import Likelihood
from core.ports.embedder import Embedder
from core.text.quantities import THOUSANDS
from memorybank.v1.types_pb2 import (
    TASK_OUTCOME_GAVE_UP,
    TASK_OUTCOME_SUCCEEDED,
    TASK_STATUS_FAILED,
    TASK_STATUS_SUCCEEDED,
    Insight,
    PendingTask,
    TaskReport,
)
from memorybank_client import MemoryBankClient
from service.assembly.server import running
from tests.long_tasks.script import LongTask, Step
from tests.long_tasks.scripted_model import TYPES, ScriptedModel
from tests.support.embedders import local_embedder
from tests.support.scripted_chat import ScriptedChat
from tests.support.server import settings_for

STEPS = 40
SHOWN = (1, 10, 40)
BUDGET = 3_000  # tokens of a prompt
MORNING = datetime(2024, 3, 4, 8, tzinfo=UTC)
OUTCOMES = {"succeeded": TASK_OUTCOME_SUCCEEDED, "gave_up": TASK_OUTCOME_GAVE_UP}
ROLES = ("clusterer", "structurer", "judge", "consolidator", "planner")
ID = re.compile(r"\b([a-z]{1,2})-01m80zhzwaz6bj9m5azza[a-z]0*([0-9]+)\b")
HANDLE = re.compile(r"(?<=\[)([a-z])0*([0-9]+)(?=[\]#])")


@dataclass(kw_only=True)
class Ran:
    """`prompts[n]` was given for step n + 1."""

    prompts: list[str] = field(default_factory=list)
    insight: Insight = field(default_factory=Insight)
    verdicts: int = 0
    unplanted: list[str] = field(default_factory=list)


async def run(task: LongTask, folder: Path, *, on_model: bool = False) -> Ran:
    """The task from its start to its end, or to its fortieth step."""
    model = ScriptedModel(task)
    agents = _on(model) if on_model else _offline(task)
    async with (
        running(settings_for(folder), local_embedder(), agents=agents, ids=CountedIds()) as address,
        MemoryBankClient(str(address)) as client,
    ):
        return await _Running(task, client, model).to_the_end()


def _on(model: ScriptedModel) -> Callable[[Embedder], Agents]:
    chat = ScriptedChat(model.reply)
    return lambda _embedder: llm_agents(dict.fromkeys(ROLES, chat))


def _offline(task: LongTask) -> Callable[[Embedder], Agents]:
    return lambda embedder: offline_agents(embedder, PlantedComparer(task))


class PlantedComparer:
    """Finds the contradictions that a task plants, and no other: a run's prompts hang on no likelihood near a line."""

    model = "planted"
    size = 0

    def __init__(self, task: LongTask) -> None:
        self._planted = [  # thousands are compared without commas
            replace(one, one=THOUSANDS.sub("", one.one), other=THOUSANDS.sub("", one.other))
            for one in task.conflicts
        ]

    async def compare(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Likelihood | None]:
        return [
            Likelihood(
                contradiction=0.99 if any(one.is_of(*pair) for one in self._planted) else 0.0, sameness=0.0
            )
            for pair in pairs
        ]

    def forget(self) -> None:
        """There is nothing to drop."""


class CountedIds:
    """As long as the service's own, and the same in every run: `n-01m80zhzwaz6bj9m5azzan0007` is the seventh node."""

    def __init__(self) -> None:
        self._made: Counter[str] = Counter()

    def new(self, prefix: str) -> str:
        self._made[prefix] += 1
        return f"{prefix}-01m80zhzwaz6bj9m5azza{prefix[0]}{self._made[prefix]:04}"


class _Running:
    def __init__(self, task: LongTask, client: MemoryBankClient, model: ScriptedModel) -> None:
        self._task = task
        self._client = client
        self._model = model
        self._ran = Ran()

    async def to_the_end(self) -> Ran:
        answer: Any = await self._client.start_task(
            bank_id="task",
            goal=self._task.goal,
            text=self._task.context,
            event_time=_time(0),
            token_budget=BUDGET,
        )
        while len(self._ran.prompts) < STEPS and not answer.insight.finished:
            self._ran.prompts.append(answer.prompt)
            answer = await self._step(answer.insight.pending)
        self._ran.insight = answer.insight
        return self._ran

    async def _step(self, pending: Sequence[PendingTask]) -> Any:
        now = pending[0]
        fields: dict[str, Any] = {
            "bank_id": "task",
            "event_time": _time(len(self._ran.prompts)),
            "token_budget": BUDGET,
        }
        if now.conflict_id:
            return await self._client.advance_task(**fields, **await self._verdict(now))
        step = self._task.steps[self._model.position]
        self._model.position += 1
        return await self._client.advance_task(**fields, text=step.text, task=_report(step, now))

    async def _verdict(self, now: PendingTask) -> dict[str, Any]:
        """The script's verdict; a contradiction that was not planted is dismissed, and noted."""
        open_now = (await self._client.list_conflicts(bank_id="task")).conflicts
        (conflict,) = [one for one in open_now if one.conflict_id == now.conflict_id]
        report = TaskReport(task_id=now.task_id, type=now.type, status=TASK_STATUS_SUCCEEDED)
        try:
            verdict = self._task.verdict_on([side.quote for side in conflict.sides])
        except StopIteration:
            self._ran.unplanted.append(conflict.description)
            verdict = (
                "这两条并不矛盾，都予以保留。"
                if self._task.language == "zh"
                else "There is no contradiction: keep both."
            )
        self._ran.verdicts += 1
        return {"task": report, "text": verdict}


def _report(step: Step, now: PendingTask) -> TaskReport:
    """The pending task, where the step is of it; else what the agent took up by itself."""
    planned = bool(now.retry_of) or now.description == step.description
    if step.of == "pending":
        planned = planned or TYPES.get(step.type, step.type) == TYPES.get(now.type, now.type)
    status = TASK_STATUS_SUCCEEDED if step.status == "succeeded" else TASK_STATUS_FAILED
    if planned:
        return TaskReport(task_id=now.task_id, type=now.type, description=now.description, status=status)
    return TaskReport(type=step.type, description=step.description, status=status)


def _time(step: int) -> Timestamp:
    found = Timestamp()
    found.FromDatetime(MORNING + timedelta(minutes=30 * step))
    return found


def settled(prompt: str) -> str:
    """A prompt with short ids: which of their kind they are."""
    return HANDLE.sub(r"\1-\2", ID.sub(r"\1-\2", prompt))


def golden(name: str, on_model: bool, step: int) -> Path:
    """Where the prompt of a step is kept."""
    return Path(__file__).parent / "golden" / f"{name}.{'model' if on_model else 'offline'}.{step:02}.md"
