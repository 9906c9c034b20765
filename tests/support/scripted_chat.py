"""A ChatModel in memory that answers what it was told to, and remembers what it was asked."""

from collections.abc import Callable, Iterable, Sequence

from core.errors import ModelUnavailable
from core.ports import ChatMessage, ChatReply, ReplyShape

Rule = Callable[[Sequence[ChatMessage], ReplyShape], str]


class ScriptedChat:
    """Gives the replies one after the other, or what a rule makes of each question.

    An exception among the replies is raised in its turn; asked more often than there are replies, it
    raises ModelUnavailable. Tokens are counted as characters, so that a test can tell what it cost.
    """

    def __init__(self, replies: Iterable[str | Exception] | Rule, window: int = 8_000) -> None:
        self.asked: list[tuple[Sequence[ChatMessage], ReplyShape]] = []
        self._rule = replies if callable(replies) else _in_turn(replies)
        self._window = window

    @property
    def window(self) -> int:
        return self._window

    async def reply(self, messages: Sequence[ChatMessage], shape: ReplyShape) -> ChatReply:
        self.asked.append((tuple(messages), shape))
        text = self._rule(messages, shape)
        return ChatReply(
            text=text,
            input_tokens=sum(len(message.text) for message in messages),
            output_tokens=len(text),
        )


def _in_turn(replies: Iterable[str | Exception]) -> Rule:
    coming = iter(replies)

    def next_one(_messages: Sequence[ChatMessage], _shape: ReplyShape) -> str:
        reply = next(coming, None)
        if reply is None:
            raise ModelUnavailable("the script has no more replies")
        if isinstance(reply, Exception):
            raise reply
        return reply

    return next_one
