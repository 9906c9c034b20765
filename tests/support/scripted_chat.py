"""A ChatModel in memory that answers what it was told to, and remembers what it was asked."""

from collections.abc import Callable, Iterable, Sequence

from core.internal_errors import ModelUnavailable
from core.ports.chat import ChatMessage, ChatReply, ReplyShape

Rule = Callable[[Sequence[ChatMessage], ReplyShape], str | ChatReply]


class ScriptedChat:
    """Gives the replies one after the other, or what a rule makes of each question.

    A ChatReply is given as it is, an exception is raised in its turn; asked more often than there are
    replies, it raises ModelUnavailable. Tokens of a text are counted as characters, so that a test can
    tell what it cost.
    """

    def __init__(self, replies: Iterable[str | ChatReply | Exception] | Rule, window: int = 8_000) -> None:
        self.asked: list[tuple[Sequence[ChatMessage], ReplyShape]] = []
        self._rule = replies if callable(replies) else _in_turn(replies)
        self._window = window

    @property
    def window(self) -> int:
        return self._window

    async def reply(self, messages: Sequence[ChatMessage], shape: ReplyShape) -> ChatReply:
        self.asked.append((tuple(messages), shape))
        said = self._rule(messages, shape)
        if isinstance(said, ChatReply):
            return said
        return ChatReply(
            text=said,
            input_tokens=sum(len(message.text) for message in messages),
            output_tokens=len(said),
        )


def _in_turn(replies: Iterable[str | ChatReply | Exception]) -> Rule:
    coming = iter(replies)

    def next_one(_messages: Sequence[ChatMessage], _shape: ReplyShape) -> str | ChatReply:
        reply = next(coming, None)
        if reply is None:
            raise ModelUnavailable("the script has no more replies")
        if isinstance(reply, Exception):
            raise reply
        return reply

    return next_one
