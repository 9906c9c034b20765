"""A language model.

Law: one conformance suite runs on every implementation (`tests/conformance`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One message to a language model. `role`: `system`, `user` or `assistant`."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyShape:
    """The JSON a reply must be: a schema in which every property is required and no other is allowed."""

    name: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """What a model answered, unchecked. Tokens as the endpoint counts them, else 0.

    `cut_off`: it was ended before the model had finished; whatever it looks like, it is no answer.
    """

    text: str
    cut_off: bool = False
    input_tokens: int = 0
    output_tokens: int = 0


class ChatModel(Protocol):
    """A language model. Raises ModelUnavailable."""

    @property
    def window(self) -> int:
        """How many tokens a call holds, prompt and reply together."""
        ...

    async def reply(self, messages: Sequence[ChatMessage], shape: ReplyShape) -> ChatReply:
        """Returns the next message of the conversation, asked for in this shape."""
        ...
