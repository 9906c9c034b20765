"""The API key of an MCP host: passed on by a server over HTTP, which has none of its own."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

pytest.importorskip("mcp")

import httpx2
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client

from tests.support.api_keys import SECRET, Guarded, guarded
from tests.support.mcp_process import mcp_over_http

pytestmark = pytest.mark.asyncio(loop_scope="module")

ASKED: tuple[str, dict[str, Any]] = ("retrieve_facts", {"query": "Where are the walnuts?"})


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Guarded]:
    async with guarded(tmp_path_factory.mktemp("keys")) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def url(server: Guarded, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """A server of Ada's memory, started by one whose own key would open it."""
    folder = tmp_path_factory.mktemp("mcp")
    key = folder / "own.key"
    key.write_text(server.tokens["all"])
    key.chmod(0o600)
    words = ("--collection", "work", "--key-file", str(key))
    async with mcp_over_http(folder, server.address, "ada", *words) as listening:
        yield listening


async def told(url: str, key: str) -> tuple[bool, str]:
    """Whether a tool failed, and what it said, to a host with this key."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        streamable_http_client(url, http_client=http) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        await session.initialize()
        answer = await session.call_tool(*ASKED)
        return bool(answer.is_error), str(answer.content)


async def test_each_host_s_own_key_goes_with_its_calls(server: Guarded, url: str) -> None:
    failed, said = await told(url, server.tokens["ada"])
    assert not failed
    assert SECRET in said

    for key in ("", server.tokens["bob"], server.tokens["revoked"], "no key"):
        failed, said = await told(url, key)
        assert failed, said
        assert SECRET not in said
