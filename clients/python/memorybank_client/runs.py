"""One run of an agent in a user's memory: what it thinks, does and sees is kept while it runs, and what it learned when
it ends.

    with memory.run("Book the ferry to Naxos") as run:
        messages = run.messages()
        seats = run.call("search", {"to": "Naxos"}, search)
        run.answer("Booked: nine o'clock, pier 3.")

What began is ended, as failed where the caller's work raised or answered nothing. What a tool raises is kept, and
raised as it came.
"""

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

from memorybank.v1.conversation_pb2 import (
    ITEM_TYPE_ACTION,
    ITEM_TYPE_DECISION,
    ITEM_TYPE_OBSERVATION,
    ITEM_TYPE_THOUGHT,
    EndInvocationResponse,
    Item,
    ItemType,
)
from memorybank_client.client import MemoryBankClient, SyncMemoryBankClient
from memorybank_client.messages import words

Result = TypeVar("Result")
Message = dict[str, str]
"""`role` and `content`, as chat models take them."""

CONTENT, NAME, ARGUMENTS = 100_000, 128, 65_536  # code points that the contract takes
UNHELD = re.compile("[\0\ud800-\udfff]")  # code points that it does not


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Whose runs: of a user, in a conversation if any, with a collection of long-term memory."""

    user: str
    conversation: str = ""
    collection: str = ""

    def begins(self, query: str) -> dict[str, Any]:
        """Returns the fields of StartInvocationRequest."""
        return {
            "user": self.user,
            "conversation_id": self.conversation,
            "collection": self.collection,
            "query": held(query),
            "enable_memory": True,
        }

    def adds(self, invocation: str, items: Sequence[Item]) -> dict[str, Any]:
        """Returns the fields of AddWorkingItemsRequest."""
        return {"user": self.user, "invocation_id": invocation, "items": items}

    def ends(self, invocation: str, result: str, succeeded: bool, wait: bool) -> dict[str, Any]:
        """Returns the fields of EndInvocationRequest."""
        return {
            "user": self.user,
            "invocation_id": invocation,
            "result": held(result),
            "succeeded": succeeded,
            "wait": wait,
        }


def item(
    type_: ItemType.ValueType,
    content: str,
    *,
    step: int = 0,
    tool: str = "",
    arguments: Mapping[str, Any] | None = None,
    error: str = "",
) -> Item:
    """Returns an item of a working memory; what is longer than the contract takes is cut, arguments are left out, as
    they are where they are no JSON."""
    given = "" if arguments is None else as_json(arguments, default=str)
    return Item(
        type=type_,
        content=held(content),
        step=step,
        tool=held(tool, NAME),
        arguments_json=given if len(given) <= ARGUMENTS else "",
        failed=bool(error),
        error_type=held(error, NAME),
    )


def held(text: str, most: int | None = CONTENT) -> str:
    """Returns as much of a text as the contract takes. NUL, and halves of characters, as in names of files that are not
    UTF-8, become U+FFFD: tools answer with anything."""
    return UNHELD.sub("\ufffd", text[:most])


def as_json(arguments: Mapping[str, Any], default: Callable[[Any], Any] | None = None) -> str:
    """Returns arguments as JSON, empty where they are none."""
    try:
        return held(
            json.dumps(arguments, ensure_ascii=False, allow_nan=False, default=default), ARGUMENTS + 1
        )
    except (TypeError, ValueError, RecursionError):
        return ""


class _Steps:
    """What a run knows of itself, and the items that its verbs make."""

    def __init__(self, owner: Owner, query: str, context: Mapping[str, Any], wait: bool) -> None:
        self.owner = owner
        self.query = query
        self.invocation_id = ""
        self.outcome: EndInvocationResponse | None = None
        self._context = dict(context)
        self._wait = wait
        self._result: str | None = None
        self._step = 1

    def answer(self, text: Any) -> None:
        """Notes the run's answer, a text or a model's message: it goes to the user, and is kept when the run ends."""
        self._result = words(text)

    def _asks(self) -> dict[str, Any]:
        return {**self._context, "invocation_id": self.invocation_id}

    def _end(self, error: BaseException | None) -> dict[str, Any]:
        result = self._result or ("" if error is None else f"{type(error).__name__}: {error}")
        succeeded = error is None and self._result is not None
        return self.owner.ends(self.invocation_id, result, succeeded, self._wait)

    def _made(self, type_: ItemType.ValueType, content: str, **more: Any) -> dict[str, Any]:
        made = item(type_, content, step=self._step, **more)
        return self.owner.adds(self.invocation_id, [made])

    def _called(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return self._made(ITEM_TYPE_ACTION, "", tool=tool, arguments=arguments)

    def _saw(self, tool: str, result: object) -> dict[str, Any]:
        seen = self._made(ITEM_TYPE_OBSERVATION, str(result), tool=tool)
        self._step += 1
        return seen

    def _failed(self, tool: str, error: Exception) -> dict[str, Any]:
        kind = type(error).__name__
        seen = self._made(ITEM_TYPE_OBSERVATION, str(error), tool=tool, error=kind)
        self._step += 1
        return seen


def messages_of(made: Any) -> list[Message]:
    """Returns the messages of an assembled context."""
    return [{"role": message.role, "content": message.text} for message in made.messages]


class Run(_Steps):
    """A run over a synchronous client. `context`: the fields of AssembleContextRequest that `messages` asks with.
    `wait`: whether the end is waited for until the turn, the summary and what was learned are there."""

    def __init__(
        self,
        client: SyncMemoryBankClient,
        owner: Owner,
        query: str,
        context: Mapping[str, Any],
        *,
        wait: bool = True,
    ) -> None:
        super().__init__(owner, query, context, wait)
        self.client = client

    def __enter__(self) -> Self:
        self.invocation_id = self.client.start_invocation(**self.owner.begins(self.query)).invocation_id
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.outcome = self.client.end_invocation(**self._end(error))

    def messages(self) -> list[Message]:
        """Returns what to send a chat model now: memory first, this run's own with it, the question last."""
        return messages_of(self.client.assemble_context(**self._asks()))

    def thought(self, text: str) -> None:
        """Keeps what the agent thought."""
        self.client.add_working_items(**self._made(ITEM_TYPE_THOUGHT, text))

    def decided(self, text: str) -> None:
        """Keeps what the agent decided: of all items it is shown longest."""
        self.client.add_working_items(**self._made(ITEM_TYPE_DECISION, text))

    def call(self, name: str, arguments: Mapping[str, Any], tool: Callable[..., Result]) -> Result:
        """Calls a tool and keeps the call with what came of it."""
        self.client.add_working_items(**self._called(name, arguments))
        try:
            result = tool(**arguments)
        except Exception as error:
            self.client.add_working_items(**self._failed(name, error))
            raise
        self.client.add_working_items(**self._saw(name, result))
        return result


class AsyncRun(_Steps):
    """A run over an asynchronous client."""

    def __init__(
        self,
        client: MemoryBankClient,
        owner: Owner,
        query: str,
        context: Mapping[str, Any],
        *,
        wait: bool = True,
    ) -> None:
        super().__init__(owner, query, context, wait)
        self.client = client

    async def __aenter__(self) -> Self:
        begun = await self.client.start_invocation(**self.owner.begins(self.query))
        self.invocation_id = begun.invocation_id
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.outcome = await self.client.end_invocation(**self._end(error))

    async def messages(self) -> list[Message]:
        """Returns what to send a chat model now: memory first, this run's own with it, the question last."""
        return messages_of(await self.client.assemble_context(**self._asks()))

    async def thought(self, text: str) -> None:
        """Keeps what the agent thought."""
        await self.client.add_working_items(**self._made(ITEM_TYPE_THOUGHT, text))

    async def decided(self, text: str) -> None:
        """Keeps what the agent decided: of all items it is shown longest."""
        await self.client.add_working_items(**self._made(ITEM_TYPE_DECISION, text))

    async def call(
        self, name: str, arguments: Mapping[str, Any], tool: Callable[..., Awaitable[Result]]
    ) -> Result:
        """Calls a tool and keeps the call with what came of it."""
        await self.client.add_working_items(**self._called(name, arguments))
        try:
            result = await tool(**arguments)
        except Exception as error:
            await self.client.add_working_items(**self._failed(name, error))
            raise
        await self.client.add_working_items(**self._saw(name, result))
        return result
