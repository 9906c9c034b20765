"""The Compressor on a language model: what an agent did and saw so far, in fewer words.

Law: a reply is read with core's own checks, so that a model is told what is wrong and asked again. Items that find no
room in the window are shortened, none is left out; a result that is cut keeps its error and its figures.
"""

from collections.abc import Sequence

from core.agents.faithful import problem_of_compression
from core.agents.llm import shapes, windows
from core.agents.llm.asking import Asking
from core.agents.llm.distilling import name_of, told_of
from core.agents.llm.fence import FENCE_TOKENS, Enclosure, message
from core.agents.llm.prompts import SHIPPED, Prompts
from core.agents.memory_roles import Compression
from core.agents.outcomes import essence
from core.agents.parsing import Fields, MalformedReply
from core.model.invocation import Item
from core.ports.chat import ChatModel, ReplyShape
from core.text.tokens import estimate

NUMBERS = {"type": "array", "items": {"type": "integer"}}
COMPRESSED = ReplyShape(name="compressed", schema=shapes.fields(items=NUMBERS, text=shapes.TEXT))
WORDS, CHARACTERS = 0.5, 0.7  # of English and of Chinese that a token holds, low


class LlmCompressor:
    """Steps in the model's words."""

    def __init__(self, model: ChatModel, prompts: Prompts = SHIPPED) -> None:
        self._asking = Asking("compressor", model, "compressor", prompts)

    async def compress(self, before: str, items: Sequence[Item], room: int) -> Compression:
        words, characters = int(room * WORDS), int(room * CHARACTERS)
        kept: list[str | Enclosure] = ["What was kept so far:", Enclosure(name="kept", text=before)]
        asked = message(
            [
                f"At most {room} tokens: {words} English words, or {characters} Chinese characters.",
                *(kept if before else []),
                "What was done since:",
                *self._shown(before, items),
            ]
        )
        end = 1 + max(item.number for item in items)

        def read(reply: Fields) -> Compression:
            told = Compression(
                text=reply.text("text"), items=tuple(dict.fromkeys(reply.numbers("items", end)))
            )
            if problem := problem_of_compression(told, before, items, room):
                raise MalformedReply(problem)
            return told

        return await self._asking.ask(asked, COMPRESSED, read)

    def _shown(self, before: str, items: Sequence[Item]) -> list[Enclosure]:
        texts = list(map(told_of, items))
        room = self._asking.room - 200 - estimate(before) - len(items) * (FENCE_TOKENS + 16)
        granted = windows.shares([estimate(text) for text in texts], max(room, len(texts)))
        return [
            Enclosure(name=name_of(item), text=_within(item, text, max(size, 1)))
            for item, text, size in zip(items, texts, granted, strict=True)
        ]


def _within(item: Item, text: str, room: int) -> str:
    if estimate(text) <= room:
        return text
    stays = windows.shortened(essence(item), room // 2)
    return "\n".join(filter(None, (stays, windows.shortened(text, max(room - estimate(stays), 1)))))
