"""What goes up in a streamed call: the header's message, then its parts, cut.

gRPC hides what a request iterator raises behind a cancelled call; it is kept here, to be raised again.
"""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from typing import Any

from google.protobuf.message import Message

from memorybank_client.errors import Cancelled
from memorybank_client.pieces import parts_of

Cut = Callable[[Any], Iterable[Message]]


def cancellations() -> int:
    """Returns how many times the running task was asked to cancel."""
    task = asyncio.current_task()
    return task.cancelling() if task is not None else 0


class Source:
    """The messages of one streamed request, once: to be read with `for`, or with `async for`."""

    def __init__(self, first: Message, parts: Any, cut: Cut) -> None:
        self._first = first
        self._parts = parts_of(parts)
        self._cut = cut
        self.broken: BaseException | None = None

    def __iter__(self) -> Iterator[Message]:
        messages = self._messages()
        while True:
            try:
                message = next(messages, None)
            except BaseException as error:
                self.broken = error
                raise
            if message is None:
                return
            yield message

    async def __aiter__(self) -> AsyncIterator[Message]:
        messages = self._messages_as_they_come()
        while True:
            try:
                message = await anext(messages, None)
            except asyncio.CancelledError:
                if not cancellations():  # else gRPC asks no more: the call has ended
                    self.broken = Cancelled("what streams up was cancelled")
                raise
            except BaseException as error:
                self.broken = error
                raise
            if message is None:
                return
            yield message

    def _messages(self) -> Iterator[Message]:
        if isinstance(self._parts, AsyncIterable):
            raise TypeError("parts that come asynchronously need the asynchronous client")
        yield self._first
        for part in self._parts:
            yield from self._cut(part)

    async def _messages_as_they_come(self) -> AsyncIterator[Message]:
        if not isinstance(self._parts, AsyncIterable):
            for message in self._messages():
                yield message
            return
        yield self._first
        async for part in self._parts:
            for message in self._cut(part):
                yield message
