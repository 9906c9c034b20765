"""Asking a language model until its reply can be used.

Law: a reply that cannot be used is asked again with the reason, at most twice; nothing but a reply
that was read in full comes out. Every call is afforded first and charged after, good or bad.
"""

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from core.agents.llm import windows
from core.agents.llm.fence import disarmed
from core.agents.llm.prompts import SHIPPED, Prompts
from core.agents.parsing import Fields, MalformedReply, MisshapenReply, read_object
from core.agents.usage import afford, charge
from core.errors import AgentReplyInvalid, AgentUnavailable
from core.internal_errors import ModelUnavailable
from core.ports.chat import ChatMessage, ChatModel, ChatReply, ReplyShape
from core.text.tokens import estimate

Answer = TypeVar("Answer")
Read = Callable[[Fields], Answer]

ASKED_AGAIN = 2  # times
AT_ONCE = 4  # parts of one work: each is afforded in its turn, not all before the first is charged
EMPTY = "(empty)"  # stands for an empty reply: endpoints refuse empty messages


class Asking:
    """One task of a role: its model and its system message."""

    def __init__(self, role: str, model: ChatModel, prompt: str, prompts: Prompts = SHIPPED) -> None:
        self._role = role
        self._model = model
        self._system = prompts.system(prompt)
        self._again = prompts.text("again")
        self._form = prompts.text("form")

    @property
    def room(self) -> int:
        """How many tokens a user's message may take."""
        return windows.room(self._model.window, self._system)

    async def ask(
        self, text: str, shape: ReplyShape, read: Read[Answer], mend: Read[Answer] | None = None
    ) -> Answer:
        """Asks, and returns what `read` makes of the reply. Where the last one is refused as well, `mend` may still
        save it.

        Raises AgentUnavailable, AgentReplyInvalid, BudgetSpent.
        """
        opening = [ChatMessage(role="system", text=self._system), ChatMessage(role="user", text=text)]
        messages = opening
        for attempts_left in range(ASKED_AGAIN, -1, -1):
            reply = await self._reply(messages, shape)
            try:
                return _read(reply, read, None if attempts_left else mend)
            except MalformedReply as failure:
                problem = failure
            messages = [*opening, *self._objection(reply, problem, shape)]
        raise AgentReplyInvalid(self._role, problem.problem)

    async def _reply(self, messages: list[ChatMessage], shape: ReplyShape) -> ChatReply:
        afford()
        try:
            reply = await self._model.reply(messages, shape)
        except ModelUnavailable as failure:
            raise AgentUnavailable(self._role, str(failure)) from failure
        charge(_counted(reply, messages))
        return reply

    def _objection(self, reply: ChatReply, problem: MalformedReply, shape: ReplyShape) -> list[ChatMessage]:
        """Returns the reply and what is wrong with it; of a long one as much as leaves room for the next.

        The form is told in words where it was missed: some endpoints say nothing, and do not pass it on.
        """
        said = windows.shortened(reply.text.strip(), windows.reply_room(self._model.window) // 2)
        told = self._again.replace("{problem}", disarmed(problem.problem))
        if isinstance(problem, MisshapenReply):
            schema = json.dumps(shape.schema, ensure_ascii=False)
            told = f"{told}\n\n{self._form.replace('{schema}', schema)}"
        return [
            ChatMessage(role="assistant", text=disarmed(said) or EMPTY),
            ChatMessage(role="user", text=told),
        ]


def _counted(reply: ChatReply, messages: Sequence[ChatMessage]) -> ChatReply:
    """Returns the reply with its tokens, estimated where the endpoint counts none: a budget must end some time."""
    if reply.input_tokens or reply.output_tokens:
        return reply
    asked = sum(estimate(message.text) for message in messages)
    return replace(reply, input_tokens=asked, output_tokens=estimate(reply.text))


def _read(reply: ChatReply, read: Read[Answer], mend: Read[Answer] | None) -> Answer:
    if reply.cut_off:
        raise MalformedReply("it was cut off before its end; say it in fewer words")
    fields = read_object(reply.text)
    try:
        return read(fields)
    except MalformedReply:
        if mend is None:
            raise
        return mend(fields)


async def together(works: Iterable[Coroutine[Any, Any, Answer]]) -> list[Answer]:
    """Returns all results, in order, a few made at a time. The first failure ends the others and is raised."""
    asked, turns = list(works), asyncio.Semaphore(AT_ONCE)

    async def in_turn(work: Coroutine[Any, Any, Answer]) -> Answer:
        async with turns:
            return await work

    tasks = [asyncio.ensure_future(in_turn(work)) for work in asked]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for work in asked:
            work.close()  # whose turn never came
