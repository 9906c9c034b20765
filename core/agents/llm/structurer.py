"""The Structurer on a language model."""

import asyncio
from collections.abc import Sequence

from core.agents.llm import shapes, windows
from core.agents.llm.asking import Asking, together
from core.agents.llm.fence import FENCE_TOKENS, Enclosure, message
from core.agents.llm.prompts import SHIPPED, Prompts
from core.agents.llm.topics import labels
from core.agents.parsing import Fields, MalformedReply
from core.ports.chat import ChatModel, ReplyShape
from core.text.tokens import estimate

SHAPE = ReplyShape(name="summary", schema=shapes.fields(summary=shapes.TEXT))


class LlmStructurer:
    """Summaries in the model's words. Content beyond the window is summarised in parts, joined in order."""

    def __init__(self, model: ChatModel, prompts: Prompts = SHIPPED) -> None:
        self._asking = Asking("structurer", model, "structurer", prompts)

    async def structure(self, content: str, context: str, keywords: Sequence[str]) -> str:
        topic = Enclosure(
            name="topic", text=windows.shortened(labels(context, keywords), self._asking.room // 4)
        )
        room = self._asking.room - estimate(topic.text) - 4 * FENCE_TOKENS
        parts = await asyncio.to_thread(windows.parts, content, max(room, 1))  # it may be megabytes
        summaries = await together(
            self._summary(topic, part, n, len(parts)) for n, part in enumerate(parts, 1)
        )
        return "\n".join(summaries)

    async def _summary(self, topic: Enclosure, part: str, number: int, count: int) -> str:
        which = f"Part {number} of {count} of the record:" if count > 1 else "The record:"
        text = message(["The topic:", topic, which, Enclosure(name="record", text=part)])
        return await self._asking.ask(text, SHAPE, lambda reply: _summary(reply, part))


def _summary(reply: Fields, part: str) -> str:
    """Returns the reply's summary where it has words: small models answer a brace or a row of dots."""
    summary = reply.text("summary")
    if _has_words(part) and not _has_words(summary):
        raise MalformedReply("summary has no words")
    return summary


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))
