"""The adapter between a ReAct loop and the task's memory: enhance, intercept, deep retrieval.

The adapter knows where the task stands, the service keeps the memory. A step that failed and is repeated
goes on where it stopped. What a model asks for in vain is told to the model, not raised.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar
from uuid import uuid4, uuid5

from memorybank.v1.memory_bank_pb2 import AdvanceTaskResponse, StartTaskResponse
from memorybank.v1.types_pb2 import (
    TASK_OUTCOME_GAVE_UP,
    TASK_STATUS_FAILED,
    TASK_STATUS_SUCCEEDED,
    TOOL_FORMAT_OPENAI,
    VERDICT_TYPE_UNSPECIFIED,
    Insight,
    Message,
    PendingTask,
    TaskReport,
    ToolFormat,
    VerdictType,
)
from memorybank_client.adapters.carrying import OwnerRuns
from memorybank_client.adapters.files import Part
from memorybank_client.adapters.reading import ArgumentsInvalid, Reading, declared
from memorybank_client.adapters.transcript import spoken
from memorybank_client.client import MemoryBankClient, SyncMemoryBankClient
from memorybank_client.errors import FailedPrecondition, InvalidArgument, NotFound
from memorybank_client.runs import Owner

Context = str | Iterable[Any]
"""What a step went through, verbatim: a transcript, or messages of any vendor (see `memorybank_client.messages`)."""
Read = str | list[Message]
"""The same, as memory takes it."""

Client = TypeVar("Client", MemoryBankClient, SyncMemoryBankClient)

IN_VAIN = (ArgumentsInvalid, NotFound, InvalidArgument, FailedPrecondition)


class TaskLoop(Generic[Client]):
    """Where the task stands.

    `bank_id`: empty, the service makes one. `token_budget` bounds the prompts, else the service's own does;
    `tool_characters` bounds what one call of the tool brings, in code points. `tool_format`: TOOL_FORMAT_OPENAI or
    TOOL_FORMAT_ANTHROPIC, in whose form `tools` are declared. `ttl`: how long the bank is kept once its task has
    finished (NEVER: until it is deleted), else what the bank says, or the service (24 hours, unless set otherwise).
    `purge_time` says when a finished bank goes. With `owner` the loop is a run in a user's memory: each prompt is made
    of what the bank knows and what is known of the user, what the steps went through is the run's working memory, and
    its end tells conversation and collection what came of it. The prompts do not declare the `tools`: the loop hands
    them to the model.
    """

    def __init__(
        self,
        client: Client,
        *,
        bank_id: str = "",
        token_budget: int | None = None,
        tool_characters: int = 100_000,
        tool_format: ToolFormat.ValueType = TOOL_FORMAT_OPENAI,
        ttl: timedelta | None = None,
        owner: Owner | Mapping[str, str] | None = None,
    ) -> None:
        self.client: Client = client
        known = owner if owner is None or isinstance(owner, Owner) else Owner(**owner)
        self.carried = OwnerRuns(known) if known else None
        self.bank_id = bank_id
        self.insight = Insight()
        self.prompt = ""
        self.tools: list[dict[str, Any]] = []
        self.finished = False
        self.purge_time: datetime | None = None
        self._begun = False
        self._ttl = ttl
        self._token_budget = token_budget
        self._tool_characters = tool_characters
        self._tool_format = tool_format
        self._step = uuid4()
        self._noted = ""  # under which request id the step's working items were taken

    @property
    def task(self) -> PendingTask | None:
        """What is to be done next."""
        return self.insight.pending[0] if self.insight.pending else None

    def _start(self, prompt: str, context: Read) -> dict[str, Any]:
        """Returns StartTask's fields: a question beside its context, or both in one, for the service to take apart."""
        question: dict[str, Any] = {"goal": prompt, **_context(context)} if context else {"prompt": prompt}
        if self._ttl is not None:
            question["ttl"] = self._ttl
        return self._fields(question)

    def _advance(
        self,
        context: Read,
        result: str,
        succeeded: bool,
        task: TaskReport | None,
        verdict_type: VerdictType.ValueType,
    ) -> dict[str, Any]:
        """Returns AdvanceTask's fields: the context of the task that was next, unless the caller names another."""
        report = task or _report(self.task, succeeded)
        done = {"task": report, "verdict_type": verdict_type, "result": result}
        return self._fields({**_context(context), **done})

    def _fields(self, fields: dict[str, Any]) -> dict[str, Any]:
        return {
            **self._once(fields),
            **(self.carried.named() if self.carried else {}),
            "bank_id": self.bank_id,
            "token_budget": self._token_budget,
            "tool_format": self._tool_format,
            "tools_apart": True,
        }

    def _once(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Adds the request id: the same step with the same content gets the same, and goes on where it failed."""
        content = {name: str(value) for name, value in fields.items()}
        return {**fields, "request_id": str(uuid5(self._step, ascii(content)))}

    @property
    def _begins(self) -> bool:
        """Whether the next prompt of the user begins a task: the first, or one after the last was finished."""
        return self.finished or not self._begun

    def _started(self, response: StartTaskResponse) -> str:
        self._begun = True
        self.bank_id = response.bank.bank_id
        self.purge_time = None
        return self._stepped(response, response.insight.finished)

    def _advanced(self, response: AdvanceTaskResponse) -> str:
        goes = response.HasField("purge_time")
        self.purge_time = response.purge_time.ToDatetime(UTC) if goes else None
        return self._stepped(response, response.finished)

    def _notes(self, carried: OwnerRuns, context: Read) -> dict[str, Any]:
        """Returns the working items of a step that are not noted yet; empty where there are none."""
        items = carried.adds(context)
        made = self._once(items) if items else {}
        return made if made.get("request_id") != self._noted else {}

    def _stepped(self, response: StartTaskResponse | AdvanceTaskResponse, finished: bool) -> str:
        """Goes on to the next step, now that all of the last one is done: a failure before begins it again."""
        self._step = uuid4()
        self.insight, self.finished = response.insight, finished
        self.prompt = response.prompt
        self.tools = [declared(tool) for tool in response.tools] or self.tools
        if self.carried:
            self.carried.stepped(finished)
        return self.prompt


class ReActAdapter(TaskLoop[MemoryBankClient]):
    """For a loop that awaits."""

    async def enhance(self, prompt: str, context: Context = "") -> str:
        """Returns the prompt for the model: begins the task with the user's, and is the current step's from then on.

        Once the task is finished the next one begins, with all that the bank remembers.
        """
        if self._begins:
            response = await self.client.start_task(**self._start(prompt, _read(context)))
            if self.carried:
                begun = await self.client.start_invocation(**self._once(self.carried.begins(prompt)))
                self.carried.begun(begun.invocation_id)
            self._started(response)
        return self.prompt

    async def intercept(
        self,
        context: Context,
        *,
        result: str = "",
        succeeded: bool = True,
        task: TaskReport | None = None,
        verdict_type: VerdictType.ValueType = VERDICT_TYPE_UNSPECIFIED,
    ) -> str:
        """Takes in what the step went through; returns the next step's prompt, empty when `finished`.

        `result`: what the step came to, else the agent's last message says it. `verdict_type` says how a validation's
        verdict settles its conflict; else its words do.
        """
        taken = _read(context)
        if self.carried and (items := self._notes(self.carried, taken)):
            await self.client.add_working_items(**items)
            self._noted = items["request_id"]
        fields = self._advance(taken, result, succeeded, task, verdict_type)
        response = await self.client.advance_task(**fields)
        if self.carried and response.finished:
            ends = self.carried.ends(taken, result, _came_well(response.insight))
            await self.client.end_invocation(**self._once(ends))
        return self._advanced(response)

    async def call_tool(self, name: str, arguments: str | Mapping[str, Any]) -> str:
        """Calls a tool for the model, and returns the result as text. Raises LookupError for a tool that is not
        here."""
        reading = Reading(self.bank_id, name, self._tool_characters)
        try:
            await self._read(reading, arguments)
        except IN_VAIN as error:
            return f"error: {error}"
        return reading.text

    async def call_tool_parts(self, name: str, arguments: str | Mapping[str, Any]) -> list[Part]:
        """Does the same for a model that takes images in a result: returns the parts of its message, in the form in
        which `tools` are declared."""
        reading = Reading(self.bank_id, name, self._tool_characters, images=True)
        try:
            await self._read(reading, arguments)
        except IN_VAIN as error:
            return [{"type": "text", "text": f"error: {error}"}]
        return reading.parts(self._tool_format)

    async def _read(self, reading: Reading, arguments: str | Mapping[str, Any]) -> None:
        reading.ask(arguments)
        while reading.goes_on:
            reading.add(await self.client.get_interaction(**reading.fields))
        if reading.larger is not None:
            reading.add_image(
                b"".join([piece.content async for piece in self.client.read_attachment(**reading.larger)])
            )


class SyncReActAdapter(TaskLoop[SyncMemoryBankClient]):
    """For a loop that does not."""

    def enhance(self, prompt: str, context: Context = "") -> str:
        """Returns the prompt for the model: begins the task with the user's, and is the current step's from then on.

        Once the task is finished the next one begins, with all that the bank remembers.
        """
        if self._begins:
            response = self.client.start_task(**self._start(prompt, _read(context)))
            if self.carried:
                begun = self.client.start_invocation(**self._once(self.carried.begins(prompt)))
                self.carried.begun(begun.invocation_id)
            self._started(response)
        return self.prompt

    def intercept(
        self,
        context: Context,
        *,
        result: str = "",
        succeeded: bool = True,
        task: TaskReport | None = None,
        verdict_type: VerdictType.ValueType = VERDICT_TYPE_UNSPECIFIED,
    ) -> str:
        """Takes in what the step went through; returns the next step's prompt, empty when `finished`.

        `result`: what the step came to, else the agent's last message says it. `verdict_type` says how a validation's
        verdict settles its conflict; else its words do.
        """
        taken = _read(context)
        if self.carried and (items := self._notes(self.carried, taken)):
            self.client.add_working_items(**items)
            self._noted = items["request_id"]
        fields = self._advance(taken, result, succeeded, task, verdict_type)
        response = self.client.advance_task(**fields)
        if self.carried and response.finished:
            ends = self.carried.ends(taken, result, _came_well(response.insight))
            self.client.end_invocation(**self._once(ends))
        return self._advanced(response)

    def call_tool(self, name: str, arguments: str | Mapping[str, Any]) -> str:
        """Calls a tool for the model, and returns the result as text. Raises LookupError for a tool that is not
        here."""
        reading = Reading(self.bank_id, name, self._tool_characters)
        try:
            self._read(reading, arguments)
        except IN_VAIN as error:
            return f"error: {error}"
        return reading.text

    def call_tool_parts(self, name: str, arguments: str | Mapping[str, Any]) -> list[Part]:
        """Does the same for a model that takes images in a result: returns the parts of its message, in the form in
        which `tools` are declared."""
        reading = Reading(self.bank_id, name, self._tool_characters, images=True)
        try:
            self._read(reading, arguments)
        except IN_VAIN as error:
            return [{"type": "text", "text": f"error: {error}"}]
        return reading.parts(self._tool_format)

    def _read(self, reading: Reading, arguments: str | Mapping[str, Any]) -> None:
        reading.ask(arguments)
        while reading.goes_on:
            reading.add(self.client.get_interaction(**reading.fields))
        if reading.larger is not None:
            reading.add_image(
                b"".join([piece.content for piece in self.client.read_attachment(**reading.larger)])
            )


def _read(context: Context) -> Read:
    return context if isinstance(context, str) else spoken(context)


def _context(context: Read) -> dict[str, Any]:
    return {"text": context} if isinstance(context, str) else {"messages": context}


def _report(task: PendingTask | None, succeeded: bool) -> TaskReport:
    status = TASK_STATUS_SUCCEEDED if succeeded else TASK_STATUS_FAILED
    if task is None:
        return TaskReport(status=status)
    return TaskReport(task_id=task.task_id, type=task.type, description=task.description, status=status)


def _came_well(insight: Insight) -> bool:
    """Whether the task, finished, was not given up."""
    return insight.outcome != TASK_OUTCOME_GAVE_UP
