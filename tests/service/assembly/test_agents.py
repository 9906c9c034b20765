"""Which agent plays which role: the real server, its models an endpoint on the loopback."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import grpc
import pytest

from core.agents.llm.prompts import shipped
from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import query_graph_pb2
from memorybank.v1.retrieval_pb2 import SearchRequest
from memorybank.v1.types_pb2 import RoleUsage, Usage
from service.assembly.agents import ALL_ROLES
from service.config import ConfigurationError
from service.settings.agents import AgentsSection, RoleModelsSection
from tests.support import chat_endpoint
from tests.support.chat_endpoint import ChatEndpoint, failing
from tests.support.chat_rule import sensible
from tests.support.server import Service, refused, serving

NOTES = "The launch moved to 14 March.\n\n上线日期推迟到三月十四日，因为支付测试没有通过。"
SUMMARY = "What a model says: 14 March."


def told(body: Mapping[str, Any]) -> str:
    """A model whose summaries can be told from any other's."""
    if body["response_format"]["json_schema"]["name"] == "summary":
        return json.dumps({"summary": SUMMARY})
    return sensible(body)


@pytest.fixture
def endpoint() -> Iterator[ChatEndpoint]:
    with chat_endpoint.serving(told) as served:
        yield served


def llm(endpoint: ChatEndpoint, **more: Any) -> dict[str, Any]:
    return {"base_url": endpoint.url, "api_key": "k", "model": "m", "retries": 0, **more}


async def memorized(service: Service) -> pb.MemorizeResponse:
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b", goal="when?"))
    return await service.bank.Memorize(pb.MemorizeRequest(bank_id="b", text=NOTES))


async def summaries(service: Service) -> set[str]:
    listed = await service.graph.ListNodes(query_graph_pb2.ListNodesRequest(bank_id="b"))
    return {node.summary for node in listed.nodes}


def by_role(usage: Usage) -> dict[str, RoleUsage]:
    return {role.role: role for role in usage.roles}


async def test_a_model_plays_every_role_and_is_paid_for(endpoint: ChatEndpoint) -> None:
    async with serving(llm=llm(endpoint)) as service:
        answer = await memorized(service)
        assert await summaries(service) == {SUMMARY}

    assert [body["model"] for body in endpoint.requests] == ["m"] * len(endpoint.requests)
    spent = by_role(answer.usage)
    assert (spent["structurer"].input_tokens, spent["structurer"].output_tokens) == (7, 11)
    assert sum(role.input_tokens for role in spent.values()) == 7 * len(endpoint.requests)


async def test_a_role_can_have_a_model_of_its_own_or_none(endpoint: ChatEndpoint) -> None:
    settings = llm(endpoint, roles={"structurer": {"model": "cheap"}})
    async with serving(llm=settings, agents={"clusterer": "offline"}) as service:
        await memorized(service)

    asked = Counter(
        (body["model"], body["response_format"]["json_schema"]["name"]) for body in endpoint.requests
    )
    assert asked["cheap", "summary"] == 1
    assert not [name for _, name in asked if name == "clusters"]


async def test_one_role_alone_can_have_a_model(endpoint: ChatEndpoint) -> None:
    async with serving(llm={"roles": {"structurer": llm(endpoint)}}) as service:
        await memorized(service)
        assert await summaries(service) == {SUMMARY}

    assert all(body["response_format"]["json_schema"]["name"] == "summary" for body in endpoint.requests)


async def test_without_its_model_a_call_fails_and_what_it_brought_is_kept(endpoint: ChatEndpoint) -> None:
    endpoint.script = [failing(500)]
    async with serving(llm=llm(endpoint)) as service:
        refusal = await refused(memorized(service))
        before = await summaries(service)
        await service.bank.Restructure(pb.RestructureRequest(bank_id="b"))
        after = await summaries(service)

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "STRUCTURING_FAILED")
    assert (before, after) == (set(), {SUMMARY})


async def test_a_spent_budget_is_told_over_the_wire_and_a_raised_one_goes_on(
    endpoint: ChatEndpoint, tmp_path: Path
) -> None:
    """Each reply costs 18 tokens: of two questions the second cannot be afforded."""
    poor, rich = {"tokens_per_bank": 18}, {"tokens_per_bank": 1_000}
    async with serving(folder=tmp_path, llm=llm(endpoint), budget=poor) as service:
        refusal = await refused(memorized(service))
        found = await service.retrieval.Search(SearchRequest(bank_id="b", text="支付测试"))

    async with serving(folder=tmp_path, llm=llm(endpoint), budget=rich) as service:
        await service.bank.Restructure(pb.RestructureRequest(bank_id="b"))
        after = await summaries(service)

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "STRUCTURING_FAILED")
    assert refusal.metadata["cause"] == "BUDGET_SPENT"
    assert (refusal.metadata["spent"], refusal.metadata["allowed"]) == ("18", "18")
    assert refusal.quota == ("budget.tokens_per_bank",)
    assert refusal.pushback == ""
    assert [hit.unstructured for hit in found.hits] == [True] * len(found.hits) != []
    assert after == {SUMMARY}


async def test_where_it_is_allowed_the_offline_agents_answer_for_a_model_that_is_down(
    endpoint: ChatEndpoint,
) -> None:
    endpoint.script = [failing(503)] * 99
    settings = llm(endpoint, breaker_failures=1)
    async with serving(llm=settings, agents={"fallback": True}) as service:
        answer = await memorized(service)

    assert answer.node_ids
    assert len(endpoint.requests) == 1  # then it was left alone
    fell_back = {role.role: role.fell_back for role in answer.usage.roles}
    assert fell_back == {"clusterer": 1, "structurer": len(answer.node_ids), "embedder": 0}


async def test_a_recorded_run_is_replayed_without_the_endpoint(tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    with chat_endpoint.serving(told) as endpoint:
        async with serving(llm=llm(endpoint, record=record)) as service:
            first = await memorized(service)

    async with serving(llm={"replay": record}) as service:
        again = await memorized(service)
        replayed = await summaries(service)
        new = await refused(
            service.bank.Memorize(pb.MemorizeRequest(bank_id="b", text="Nobody has asked about this yet."))
        )

    assert replayed == {SUMMARY}
    assert [r.output_tokens for r in again.usage.roles] == [r.output_tokens for r in first.usage.roles]
    assert new.code is grpc.StatusCode.UNAVAILABLE


@pytest.mark.parametrize("file", ["record", "replay"])
async def test_a_record_that_cannot_be_had_keeps_the_server_from_starting(
    endpoint: ChatEndpoint, tmp_path: Path, file: str
) -> None:
    with pytest.raises(ConfigurationError, match=rf"llm\.{file}: .*No such file"):
        async with serving(llm=llm(endpoint, **{file: tmp_path / "nowhere" / "run.jsonl"})):
            pass


def agents(folder: Path, **files: str | bytes) -> dict[str, Any]:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.md").write_bytes(text.encode() if isinstance(text, str) else text)
    return {"prompts": folder}


async def test_a_prompt_from_a_folder_stands_in_the_place_of_the_one_that_ships(
    endpoint: ChatEndpoint, tmp_path: Path
) -> None:
    own = "You write summaries in the style of a log. 你写摘要。"
    async with serving(llm=llm(endpoint), agents=agents(tmp_path / "p", structurer=own)) as service:
        await memorized(service)

    asked = {body["messages"][0]["content"].partition("\n\n")[0] for body in endpoint.requests}
    assert own in asked
    assert shipped("clusterer").partition("\n\n")[0] in asked


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"structuror": "Write."}, "structuror.md is the name of no prompt"),
        ({"structurer": " \n"}, "structurer.md is blank"),
        ({"structurer": "x" * 32_769}, "structurer.md has 32,769 characters"),
        ({"structurer": "Write {topic}."}, r"structurer.md has the placeholder \{topic\}"),
        ({"again": "Once more."}, r"again.md lacks the placeholder \{problem\}"),
        ({"structurer": b"\xff\xfe"}, "can't decode"),
        ({"structurer": "word " * 6_000}, "more than half of a window"),
    ],
)
async def test_a_prompt_that_cannot_be_used_keeps_the_server_from_starting(
    endpoint: ChatEndpoint, tmp_path: Path, files: dict[str, str | bytes], problem: str
) -> None:
    with pytest.raises(ConfigurationError, match=f"agents.prompts: .*{problem}"):
        async with serving(llm=llm(endpoint, window_tokens=8_000), agents=agents(tmp_path / "p", **files)):
            pass


async def test_a_folder_of_prompts_that_is_not_there_keeps_the_server_from_starting(
    endpoint: ChatEndpoint, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match=r"agents.prompts: .*No such file"):
        async with serving(llm=llm(endpoint), agents={"prompts": tmp_path / "none"}):
            pass


def test_the_roles_are_those_of_the_settings() -> None:
    assert (
        set(ALL_ROLES)
        == set(RoleModelsSection.model_fields)
        == set(AgentsSection.model_fields) - {"fallback", "attempts", "prompts"}
    )
