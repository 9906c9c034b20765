"""The five roles put together: each on its own model, in strict shapes, unavailable when its model is."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from core.agents.llm.agents import llm_agents
from core.agents.roles import Agents, MergeSource, Neighbor, Piece, Progress, Topic
from core.errors import AgentUnavailable
from core.ids import NodeId
from core.model.insight import Insight
from core.model.lineage import MergeReason
from tests.support.scripted_chat import ScriptedChat

TOPIC = Topic(node_id=NodeId("n"), summary="One. Two.", context="c", keywords=("k",))
ABSORBED = MergeSource(topic=TOPIC, event_time=datetime(2024, 5, 1, tzinfo=UTC))
NEIGHBOR = Neighbor(node_id=NodeId("m"), context="c", keywords=("k",), neighbor_of=(NodeId("n"),))

Ask = Callable[[Agents], Awaitable[object]]

QUESTIONS: Mapping[str, tuple[str, Ask]] = {
    "cluster": ("clusterer", lambda roles: roles.clusterer.cluster([Piece(number=0, text="x")], "")),
    "split": ("clusterer", lambda roles: roles.clusterer.split("One. Two?")),
    "structure": ("structurer", lambda roles: roles.structurer.structure("x", "c", ("k",))),
    "conflicts_and_merges": ("judge", lambda roles: roles.judge.conflicts_and_merges(TOPIC, [TOPIC])),
    "related": ("judge", lambda roles: roles.judge.related(TOPIC, [TOPIC])),
    "consolidate": (
        "consolidator",
        lambda roles: roles.consolidator.consolidate(
            [ABSORBED, ABSORBED], [NEIGHBOR], MergeReason.CONFLICT, "The verdict.", "The point."
        ),
    ),
    "plan": ("planner", lambda roles: roles.planner.plan(Insight(goal="x"), Progress())),
}


def chats() -> dict[str, ScriptedChat]:
    return {
        role: ScriptedChat([]) for role in ("clusterer", "structurer", "judge", "consolidator", "planner")
    }


@pytest.mark.parametrize(("role", "ask"), QUESTIONS.values(), ids=QUESTIONS)
async def test_a_role_asks_its_own_model_and_is_unavailable_when_that_is(role: str, ask: Ask) -> None:
    models = chats()

    with pytest.raises(AgentUnavailable) as unavailable:
        await ask(llm_agents(models))

    assert unavailable.value.role == role
    assert [name for name, chat in models.items() if chat.asked] == [role]


@pytest.mark.parametrize(("role", "ask"), QUESTIONS.values(), ids=QUESTIONS)
async def test_every_shape_is_strict(role: str, ask: Ask) -> None:
    models = chats()
    with pytest.raises(AgentUnavailable):
        await ask(llm_agents(models))

    ((_, shape),) = models[role].asked

    assert shape.name.replace("_", "").isalpha()
    assert loose(shape.schema) == []


def loose(schema: Any) -> list[Any]:
    """The objects in a schema that leave a property out or let another in."""
    if not isinstance(schema, Mapping):
        return []
    inner = [*schema.get("properties", {}).values(), schema.get("items")]
    found = [wrong for part in inner for wrong in loose(part)]
    if schema.get("type") != "object":
        return found
    strict = schema["required"] == list(schema["properties"]) and schema["additionalProperties"] is False
    return found if strict else [*found, schema]
