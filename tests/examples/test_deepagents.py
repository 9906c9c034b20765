"""Deep Agents over the service, in the environment of the examples, with the package as it is."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.preference import PATH
from memorybank.v1.instructions_pb2 import Owner
from memorybank_client import SyncMemoryBankClient
from service.assembly.server import running
from tests.support.frameworks import IS_THERE, Frameworks, frameworks
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.server import settings_for

ROOT = Path(__file__).parents[2]
ADA = Owner(user="ada")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not IS_THERE, reason="`make examples` sets up Deep Agents"),
]


@pytest.fixture(scope="module")
def deep_agents() -> Iterator[Frameworks]:
    with frameworks("examples.deepagents_agent") as opened:
        yield opened


async def test_an_agent_keeps_a_preference_in_one_run_and_follows_it_in_the_next(
    deep_agents: Frameworks, tmp_path: Path
) -> None:
    async with running(settings_for(tmp_path), HashingEmbedder()) as address:
        printed = await asyncio.to_thread(
            deep_agents.printed_by, "-m", "examples.deepagents_agent", str(address)
        )
        kept = await asyncio.to_thread(versions, str(address))

    before, _, after = printed.partition("From now on")
    assert "The ferry leaves at nine from pier 3." in before
    assert "Successfully replaced 1 instance(s)" in after
    assert "渡轮九点从三号码头出发。" in after
    assert kept == [(2, "agent"), (1, "ada")]


def versions(address: str) -> list[tuple[int, str]]:
    with SyncMemoryBankClient(address) as client:
        found = client.list_versions(owner=ADA, path=PATH).versions
        return [(each.version, each.update_by) for each in found]


async def test_the_backend_does_what_deep_agents_ask_of_one(deep_agents: Frameworks, tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), HashingEmbedder()) as address:
        printed = await asyncio.to_thread(
            deep_agents.printed_by, "-m", "tests.examples.backend_checks", str(address)
        )

    assert len(printed.split()) == 8


SHOWN = """
import sys
from examples.deepagents_agent import ChatOpenAI, HumanMessage, QUESTION, SecretStr, model_endpoint, reply

with model_endpoint(reply) as endpoint, SyncMemoryBankClient(sys.argv[1]) as client:
    client.put_source(owner=Owner(user="ada"), path="/AGENTS.md", text="- Answer in Chinese.")
    model = ChatOpenAI(base_url=endpoint.base_url, api_key=SecretStr("k"), model="script", use_responses_api=False)
    agent = agent_of(model, client, "ada")
    print(agent.invoke({"messages": [HumanMessage(QUESTION)]})["messages"][-1].text)
"""


async def test_the_lines_that_the_clients_readme_shows_run(deep_agents: Frameworks, tmp_path: Path) -> None:
    readme = (ROOT / "clients" / "python" / "README.md").read_text(encoding="utf-8")
    (lines,) = [
        block for block in re.findall(r"```python\n(.*?)```", readme, re.DOTALL) if "deepagents" in block
    ]

    async with running(settings_for(tmp_path), HashingEmbedder()) as address:
        printed = await asyncio.to_thread(deep_agents.printed_by, "-c", lines + SHOWN, str(address))

    assert printed.strip() == "渡轮九点从三号码头出发。"
