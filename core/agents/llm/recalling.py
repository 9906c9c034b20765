"""The Router and the Reflector on a language model.

Law: a reply is read with core's own checks, so that a model is told what is wrong and asked again.
"""

from collections.abc import Mapping, Sequence

from core.agents.llm import shapes, windows
from core.agents.llm.asking import Asking
from core.agents.llm.fence import FENCE_TOKENS, Enclosure, message
from core.agents.llm.prompts import SHIPPED, Prompts
from core.agents.parsing import Fields, MalformedReply
from core.agents.recall_roles import (
    RecallAgents,
    ReflectedRecord,
    ReflectionOpinion,
    RouteOpinion,
    problem_of_reflection,
)
from core.long_term.routing import Intent, Layer
from core.model.record import CATEGORIES
from core.ports.chat import ChatModel, ReplyShape
from core.text.tokens import estimate

INTENTS = tuple(intent.value for intent in Intent)
LAYERS = tuple(layer.value for layer in Layer)
ROUTE = ReplyShape(
    name="route",
    schema=shapes.fields(
        intent=shapes.one_of(INTENTS),
        categories=shapes.some_of(CATEGORIES),
        layers=shapes.some_of(LAYERS),
        confidence=shapes.NUMBER,
    ),
)
REFLECTION = ReplyShape(
    name="reflection",
    schema=shapes.fields(records={"type": "array", "items": {"type": "integer"}}, markdown=shapes.TEXT),
)


class LlmRouter:
    """Where the model would look."""

    def __init__(self, model: ChatModel, prompts: Prompts = SHIPPED) -> None:
        self._asking = Asking("router", model, "router", prompts)

    async def route(self, query: str) -> RouteOpinion:
        shown = windows.shortened(query, self._asking.room - 100)
        return await self._asking.ask(
            message(["The query:", Enclosure(name="query", text=shown)]), ROUTE, _route
        )


class LlmReflector:
    """Patterns in the model's words."""

    def __init__(self, model: ChatModel, prompts: Prompts = SHIPPED) -> None:
        self._asking = Asking("reflector", model, "reflector", prompts)

    async def reflect(
        self, title: str, category: str, records: Sequence[ReflectedRecord]
    ) -> ReflectionOpinion:
        sizes = [estimate(record.content) + FENCE_TOKENS + 24 for record in records]
        granted = windows.shares(sizes, self._asking.room - 300)
        shown = [_enclosed(record, size) for record, size in zip(records, granted, strict=True)]
        about = Enclosure(name="title", text=title)
        asked = message(
            ["The heading is to be:", about, f"Category: {category or 'several'}.", "The records:", *shown]
        )

        def read(reply: Fields) -> ReflectionOpinion:
            named = tuple(dict.fromkeys(reply.numbers("records", len(records))))
            opinion = ReflectionOpinion(text=reply.text("markdown"), records=named)
            if problem := problem_of_reflection(opinion, title, records):
                raise MalformedReply(problem)
            return opinion

        return await self._asking.ask(asked, REFLECTION, read)


def llm_recall_agents(models: Mapping[str, ChatModel], prompts: Prompts = SHIPPED) -> RecallAgents:
    """Makes one of each. `models` holds each role's under its name: `router`, `reflector`."""
    return RecallAgents(
        router=LlmRouter(models["router"], prompts), reflector=LlmReflector(models["reflector"], prompts)
    )


def _route(reply: Fields) -> RouteOpinion:
    return RouteOpinion(
        intent=Intent(reply.choice("intent", INTENTS)),
        categories=tuple(reply.choices("categories", CATEGORIES)),
        layers=tuple(map(Layer, reply.choices("layers", LAYERS))) or (Layer.L2,),
        confidence=reply.confidence("confidence"),
    )


def _enclosed(record: ReflectedRecord, tokens: int) -> Enclosure:
    name = f"record {record.number}, {record.event_time:%Y-%m-%d}, confidence {record.confidence:.2f}"
    room = max(tokens - FENCE_TOKENS - 24, 1)
    return Enclosure(name=name, text=windows.shortened(record.content, room))
