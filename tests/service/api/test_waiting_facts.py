"""StoreFact with `wait` over a channel, where nothing is ever judged: it answers before its deadline."""

import asyncio
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
import pytest_asyncio

pytest.importorskip("mcp")

from memorybank_client import MemoryBankClient
from memorybank_client.adapters.mcp_tools import MemoryTools
from service.api.from_proto import long_term as read
from service.assembly.server import running
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.held_comparer import HeldComparer
from tests.support.server import settings_for
from tests.support.shell import Shell

DEADLINE = 120.0
PATIENCE = 0.3  # seconds that calls with this deadline wait; they have all the others to answer

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def address(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """A server that compares nothing, for ever."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("service.assembly.bootstrap.open_comparer", lambda *_: HeldComparer())
        patch.setattr(read, "TIME_TO_ANSWER", DEADLINE - PATIENCE)
        async with running(settings_for(tmp_path_factory.mktemp("data")), HashingEmbedder(), ()) as found:
            yield str(found)


@pytest_asyncio.fixture(loop_scope="module")
async def client(address: str) -> AsyncIterator[MemoryBankClient]:
    async with MemoryBankClient(address, timeouts={"store_fact": DEADLINE}) as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="module")
async def user(client: MemoryBankClient) -> str:
    """Who has facts that others are compared with."""
    user = f"u-{uuid4()}"
    for content in ("The ferry leaves at 9.", "渡轮九点开船。"):
        await client.store_fact(user=user, content=content)
    return user


@pytest.mark.parametrize("content", ["The ferry leaves at 8.", "渡轮八点开船。"])
async def test_a_fact_that_is_not_judged_in_time_is_stored_and_says_so(
    client: MemoryBankClient, user: str, content: str
) -> None:
    stored = await client.store_fact(user=user, content=content, wait=True, request_id="r-1")
    again = await client.store_fact(user=user, content=content, wait=True, request_id="r-1")
    found = await client.retrieve_facts(user=user, query=content)

    assert (stored.record.judged, again.record.judged, again.replayed) == (False, False, True)
    assert stored.record.record_id in {one.record.record_id for one in found.facts}


async def test_the_command_line_says_that_it_is_not_judged_yet(address: str, user: str) -> None:
    said = await asyncio.to_thread(
        Shell(server=address).done, "facts", "add", "It sails at 8.", "--user", user
    )

    assert said.startswith("remembered: r-")
    assert "not judged yet" in said


async def test_a_model_is_told_that_it_is_not_judged_yet(client: MemoryBankClient, user: str) -> None:
    tools = MemoryTools(client, user=user)
    stored = await tools.store_fact("The quay is wet.")
    (wrong,) = [
        one for one in (await tools.list_recent()).structured_content["memories"] if "quay" in one["content"]
    ]
    corrected = await tools.correct(wrong["id"], "The quay is dry.")

    for told in (stored, corrected):
        assert "not compared with what is known yet" in str(told.content)
        assert told.structured_content["judged"] is False
