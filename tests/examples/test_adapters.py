"""Frameworks over the service, in the environment of the examples, with their packages as they are."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.assembly.server import running
from tests.examples.adapter_checks import CHECKS
from tests.support.frameworks import IS_THERE, PYTHON, Frameworks, frameworks
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.server import settings_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not IS_THERE, reason="`make examples` sets them up"),
]

QUICKSTARTS = {
    "openai_agents_session": ("agents", "You asked for the ferry. 4"),
    "langchain_history": ("langchain_core", "Pier 3. Ada takes the ferry to Naxos. 艾达坐渡轮。"),
    "google_adk_memory": ("google/adk", "I take the ferry to Naxos. 我坐渡轮去纳克索斯。"),
    "claude_memory_tool": ("anthropic", "- Ferry at ten. 渡轮九点开。"),
}
PACKAGES = next(PYTHON.parents[1].glob("lib/python3*/site-packages"), Path("missing"))


@pytest.fixture(scope="module")
def environment() -> Iterator[Frameworks]:
    adapters = "memorybank_client.adapters"
    with frameworks(f"{adapters}.langchain", f"{adapters}.anthropic_memory") as opened:
        yield opened


async def test_adapters_do_what_their_frameworks_ask_of_them(environment: Frameworks, tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), HashingEmbedder()) as address:
        printed = await asyncio.to_thread(
            environment.printed_by, "-m", "tests.examples.adapter_checks", str(address)
        )

    expected = [
        check.__name__ for package, check in CHECKS if (PACKAGES / package.replace(".", "/")).exists()
    ]
    assert printed.split() == expected
    assert len(expected) >= 3  # LangChain's and Anthropic's come with what the other examples take


@pytest.mark.parametrize("name", QUICKSTARTS)
async def test_a_quickstart_prints_what_it_found(environment: Frameworks, tmp_path: Path, name: str) -> None:
    package, said = QUICKSTARTS[name]
    if not (PACKAGES / package).exists():
        pytest.skip(f"{package} is not in the environment of the examples")
    async with running(settings_for(tmp_path), HashingEmbedder()) as address:
        printed = await asyncio.to_thread(
            environment.printed_by, "-m", f"examples.quickstarts.{name}", str(address)
        )

    assert said in printed
