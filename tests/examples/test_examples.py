"""The examples as they stand: over real HTTP to a model by script, over gRPC to the real service."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from examples import react_agent, research
from examples.scripted_model import model_endpoint
from memorybank.v1 import types_pb2 as types
from memorybank_client import SyncMemoryBankClient
from service.assembly.server import running
from tests.support.frameworks import IS_THERE, Frameworks, frameworks
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.server import settings_for

ROOT = Path(__file__).parents[2]
ANSWER = "146 euro: ferry 126, museum 20."

with_langgraph = pytest.mark.skipif(not IS_THERE, reason="`make examples` sets up LangGraph")


@pytest.fixture(autouse=True)
def the_script_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever model the developer has set."""
    monkeypatch.delenv("OPENAI_MODEL", raising=False)


def words(messages: list[dict[str, Any]]) -> str:
    return str(messages[-1]["content"])


def settled(address: str) -> tuple[types.Insight, types.Conflict, list[str]]:
    """Of the only bank: where its task stands, its only conflict, and what its memories say."""
    with SyncMemoryBankClient(address) as client:
        (bank,) = client.list_banks().banks
        (conflict,) = client.list_conflicts(
            bank_id=bank.bank_id, statuses=[types.CONFLICT_STATUS_OPEN, types.CONFLICT_STATUS_RESOLVED]
        ).conflicts
        nodes = client.list_nodes(bank_id=bank.bank_id).nodes
        insight = client.get_insight(bank_id=bank.bank_id).insight
        return insight, conflict, [node.summary for node in nodes]


@pytest.fixture(scope="module")
def langgraph() -> Iterator[Frameworks]:
    with frameworks("examples.langgraph_agent") as opened:
        yield opened


def shows_the_conflict_settled(address: str) -> None:
    insight, conflict, memories = settled(address)
    assert insight.finished
    assert [task.type for task in insight.completed] == ["SOLVE", "CROSS_VALIDATION", "ANSWER"]
    assert conflict.status == types.CONFLICT_STATUS_RESOLVED
    assert any("42 euro since 1 May" in said for said in memories)
    assert not any("costs 38 euro" in said for said in memories)


async def test_the_react_agent_meets_a_conflict_has_it_settled_and_answers(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), HashingEmbedder()) as address:
        with model_endpoint() as endpoint:
            steps = await asyncio.to_thread(lambda: list(react_agent.solve(str(address), endpoint)))
        await asyncio.to_thread(shows_the_conflict_settled, str(address))

    assert [kind for kind, _ in steps] == ["SOLVE", "CROSS_VALIDATION", "ANSWER"]
    assert words(steps[1][1]) == "A ferry ticket to Naxos costs 42 euro since 1 May."
    assert words(steps[-1][1]) == ANSWER
    asked = [call["function"]["name"] for message in steps[-1][1] for call in message.get("tool_calls", ())]
    assert asked == ["deep_retrieval"]
    refuted = "[refuted by a verdict since: “A ferry ticket to Naxos costs 38 euro.”"
    assert any(refuted in str(message["content"]) for message in steps[-1][1])


@with_langgraph
@pytest.mark.slow
async def test_langgraphs_prebuilt_agent_does_the_same_with_the_memory_as_its_middleware(
    langgraph: Frameworks, tmp_path: Path
) -> None:
    async with running(settings_for(tmp_path), HashingEmbedder()) as address:
        printed = await asyncio.to_thread(
            langgraph.printed_by, "-m", "examples.langgraph_agent", str(address)
        )
        await asyncio.to_thread(shows_the_conflict_settled, str(address))

    assert printed.rstrip().endswith(ANSWER)
    assert "CROSS_VALIDATION: " in printed


SHOWN = """
import sys
from examples.langgraph_agent import ChatOpenAI, PROMPT, SecretStr, StructuredTool, model_endpoint, search

with model_endpoint() as endpoint:
    model = ChatOpenAI(base_url=endpoint.base_url, api_key=SecretStr("k"), model="script")
    print(solve_with_langgraph(model, [StructuredTool.from_function(search)], PROMPT, sys.argv[1]))
"""


@with_langgraph
@pytest.mark.slow
async def test_the_lines_that_the_clients_readme_shows_run(langgraph: Frameworks, tmp_path: Path) -> None:
    readme = (ROOT / "clients" / "python" / "README.md").read_text(encoding="utf-8")
    (lines,) = [
        block for block in re.findall(r"```python\n(.*?)```", readme, re.DOTALL) if "langchain" in block
    ]

    async with running(settings_for(tmp_path), HashingEmbedder()) as address:
        printed = await asyncio.to_thread(langgraph.printed_by, "-c", lines + SHOWN, str(address))

    assert printed.strip() == ANSWER


AWAITED = """
import asyncio, sys
from examples.langgraph_agent import PROMPT, HumanMessage, SyncMemoryBankClient, SyncReActAdapter
from examples.langgraph_agent import agent_with, model_endpoint

with model_endpoint() as endpoint, SyncMemoryBankClient(sys.argv[1]) as client:
    agent = agent_with(SyncReActAdapter(client), endpoint)
    print(asyncio.run(agent.ainvoke({"messages": [HumanMessage(PROMPT)]}))["messages"][-1].text)
"""


@with_langgraph
@pytest.mark.slow
async def test_the_middleware_serves_an_agent_that_is_awaited(langgraph: Frameworks, tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), HashingEmbedder()) as address:
        printed = await asyncio.to_thread(langgraph.printed_by, "-c", AWAITED, str(address))
        await asyncio.to_thread(shows_the_conflict_settled, str(address))

    assert printed.strip() == ANSWER


AGAIN = """
import sys
from examples.langgraph_agent import PROMPT, HumanMessage, SyncMemoryBankClient, SyncReActAdapter
from examples.langgraph_agent import agent_with, model_endpoint

with model_endpoint() as endpoint, SyncMemoryBankClient(sys.argv[1]) as client:
    memory = SyncReActAdapter(client)
    agent = agent_with(memory, endpoint)
    said = agent.invoke({"messages": [HumanMessage(PROMPT)]})["messages"]
    first = len(memory.insight.completed)
    said = agent.invoke({"messages": [*said, HumanMessage(PROMPT)]})["messages"]
    print(memory.finished, memory.insight.earlier_tasks == first, len(memory.insight.completed) > first)
"""


@with_langgraph
@pytest.mark.slow
async def test_the_second_message_of_a_conversation_begins_the_next_task(
    langgraph: Frameworks, tmp_path: Path
) -> None:
    async with running(settings_for(tmp_path), HashingEmbedder()) as address:
        printed = await asyncio.to_thread(langgraph.printed_by, "-c", AGAIN, str(address))

    assert printed.strip() == "True True True"


def test_the_search_tool_finds_by_words_and_by_chinese_characters() -> None:
    assert research.search("ferry ticket fares").startswith("harbour_fares.md")
    assert research.search("博物馆门票").startswith("museum_zh.md")
    assert research.search("quarks") == "nothing found"


@with_langgraph
async def test_a_step_of_the_middleware_says_what_the_agent_answered_and_not_what_it_read(
    langgraph: Frameworks, tmp_path: Path
) -> None:
    async with running(settings_for(tmp_path), HashingEmbedder()) as address:
        printed = await asyncio.to_thread(
            langgraph.printed_by, "-m", "tests.examples.middleware_checks", str(address)
        )

    assert printed.splitlines() == ["The ferry ticket costs 42 euros.", "渡轮票价为四十二欧元。"]
