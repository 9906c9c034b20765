"""Whole tasks on endpoints that know strict JSON schemas, JSON mode only, or neither: the real server throughout."""

from collections.abc import Iterator

import pytest

from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import query_graph_pb2
from memorybank.v1.types_pb2 import TASK_STATUS_SUCCEEDED, Message, TaskReport
from service.assembly.agents import ROLES
from tests.support import chat_endpoint
from tests.support.chat_endpoint import ChatEndpoint
from tests.support.chat_rule import sensible
from tests.support.server import Service, serving

PROMPT = "When does the launch take place? The board met on Monday. 董事会周一开了会。"
FOUND = "The launch moved to 14 March because the payment tests failed.\n上线日期推迟到三月十四日。"
LACKING = {
    "strict schemas": set[str](),
    "JSON mode": {"json_schema"},
    "neither": {"json_schema", "json_object"},
}
FORMS = {"strict schemas": "json_schema", "JSON mode": "json_object", "neither": "text"}


@pytest.fixture
def endpoint() -> Iterator[ChatEndpoint]:
    with chat_endpoint.serving(sensible) as served:
        yield served


async def whole_task(service: Service) -> set[str]:
    """A task from its prompt to its end, and a merge; the roles that a model was paid for."""
    started = await service.bank.StartTask(pb.StartTaskRequest(bank_id="b", prompt=PROMPT))
    (step,) = started.insight.pending
    done = TaskReport(
        type=step.type, description=step.description, task_id=step.task_id, status=TASK_STATUS_SUCCEEDED
    )
    ended = await service.bank.AdvanceTask(pb.AdvanceTaskRequest(bank_id="b", task=done, text=FOUND))
    assert ended.insight.finished
    by_user = [
        Message(role="user", text=FOUND)
    ]  # another voice: the same again would join without a question
    again = await service.bank.Memorize(pb.MemorizeRequest(bank_id="b", messages=by_user))
    assert again.merges
    usages = (started.usage, ended.usage, again.usage)
    return {role.role for usage in usages for role in usage.roles if role.output_tokens}


@pytest.mark.parametrize("knows", LACKING)
async def test_every_role_is_played_in_the_strictest_form_that_the_endpoint_knows(
    endpoint: ChatEndpoint, knows: str
) -> None:
    endpoint.lacks = LACKING[knows]
    model = {"base_url": endpoint.url, "api_key": "k", "model": "m", "retries": 0}
    async with serving(llm=model) as service:
        roles = await whole_task(service)
        listed = await service.graph.ListNodes(query_graph_pb2.ListNodesRequest(bank_id="b"))

    assert roles == set(ROLES)
    assert FOUND in {node.summary for node in listed.nodes}
    assert {form for form in endpoint.forms if form not in endpoint.lacks} == {FORMS[knows]}
    refused = [form for form in endpoint.forms if form in endpoint.lacks]
    assert len(refused) <= 8 * len(endpoint.lacks)  # once for each shape; then the endpoint is known
