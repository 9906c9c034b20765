"""The Summariser and the Distiller on a language model (the Extractor: `extracting`, the Compressor: `compressing`).

Law: a reply is read with core's own checks, so that a model is told what is wrong and asked again.
"""

from collections.abc import Mapping, Sequence

from core.agents.faithful import problem_of_key, problem_of_summary
from core.agents.llm import shapes, windows
from core.agents.llm.asking import Asking, together
from core.agents.llm.compressing import LlmCompressor
from core.agents.llm.distilling import distil
from core.agents.llm.extracting import LlmExtractor
from core.agents.llm.fence import message
from core.agents.llm.passages import enclosed, fitted, shortened, size
from core.agents.llm.prompts import SHIPPED, Prompts
from core.agents.memory_roles import (
    Distillation,
    Execution,
    KeyOpinion,
    MemoryAgents,
    Passage,
    PassageKind,
    Purpose,
    Unit,
)
from core.agents.parsing import Fields, MalformedReply
from core.ports.chat import ChatModel, ReplyShape

SUMMARY = ReplyShape(name="summary", schema=shapes.fields(summary=shapes.TEXT))
KEY = ReplyShape(
    name="key",
    schema=shapes.fields(passages={"type": "array", "items": {"type": "integer"}}, key=shapes.TEXT),
)
ABOUT = {
    Purpose.LONG: "A stretch of a conversation:",
    Purpose.INVOCATION: "One run of an agent: what it was asked, what it did, what it answered:",
    Purpose.EPISODE: "A whole conversation; tell what came of it in the end:",
    Purpose.FOLDED: "Turns of a conversation about one topic, with others left out between them:",
}


class LlmSummariser:
    """Summaries in the model's words; of more than its window holds, of summaries of the parts."""

    def __init__(self, model: ChatModel, prompts: Prompts = SHIPPED) -> None:
        self._asking = Asking("summariser", model, "summariser", prompts)

    async def summarise(self, passages: Sequence[Passage], limit: int, unit: Unit, purpose: Purpose) -> str:
        fitting = fitted(passages, self._asking.room // 2)
        sizes = [size(passage) for passage in fitting]
        batches = windows.batches(fitting, sizes, max(self._asking.room - 200, 1))
        if len(batches) == 1:
            return await self._summary(fitting, passages, limit, unit, purpose)
        parts = await together(self._summary(batch, batch, limit, unit, purpose) for batch in batches)
        told = [
            Passage(number=number, kind=PassageKind.SUMMARY, text=part, step=batch[0].step)
            for number, (part, batch) in enumerate(zip(parts, batches, strict=True))
        ]
        return await self.summarise(told, limit, unit, purpose)

    async def _summary(
        self,
        shown: Sequence[Passage],
        known: Sequence[Passage],
        limit: int,
        unit: Unit,
        purpose: Purpose,
    ) -> str:
        asked = message([f"At most {limit} {unit}.", ABOUT[purpose], *map(enclosed, shown)])

        def read(reply: Fields) -> str:
            summary = reply.text("summary")
            if problem := problem_of_summary(summary, known, limit, unit):
                raise MalformedReply(problem)
            return summary

        return await self._asking.ask(asked, SUMMARY, read)


class LlmDistiller:
    """What must not be forgotten, in the model's words."""

    def __init__(self, model: ChatModel, prompts: Prompts = SHIPPED) -> None:
        self._key = Asking("distiller", model, "distiller_key", prompts)
        self._run = Asking("distiller", model, "distiller_run", prompts)

    async def key(self, passages: Sequence[Passage]) -> KeyOpinion:
        granted = windows.shares([size(passage) for passage in passages], self._key.room - 200)
        shown = [shortened(passage, size) for passage, size in zip(passages, granted, strict=True)]
        asked = message(["The passages:", *map(enclosed, shown)])

        def read(reply: Fields) -> KeyOpinion:
            named = tuple(dict.fromkeys(reply.numbers("passages", len(passages))))
            opinion = KeyOpinion(text=reply.text("key"), passages=named)
            if problem := problem_of_key(opinion, passages):
                raise MalformedReply(problem)
            return opinion

        return await self._key.ask(asked, KEY, read)

    async def distil(self, execution: Execution) -> Distillation:
        return await distil(self._run, execution)


def llm_memory_agents(models: Mapping[str, ChatModel], prompts: Prompts = SHIPPED) -> MemoryAgents:
    """Makes one of each. `models` holds each role's under its name: `summariser`, `distiller`, `extractor`,
    `compressor`."""
    return MemoryAgents(
        summariser=LlmSummariser(models["summariser"], prompts),
        distiller=LlmDistiller(models["distiller"], prompts),
        extractor=LlmExtractor(models["extractor"], prompts),
        compressor=LlmCompressor(models["compressor"], prompts),
    )
