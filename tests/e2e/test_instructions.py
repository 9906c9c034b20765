"""Instruction documents on several processes over one store: no edit is lost, and a run is one everywhere."""

import asyncio
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from memorybank.v1.errors_pb2 import ERROR_REASON_STALE_REVISION
from memorybank.v1.instructions_pb2 import EditSourceResponse, Owner, SourceRef
from memorybank_client import MemoryBankClient, StaleRevision
from tests.support.process import modelless_process

ADA, PATH = Owner(user="ada"), "~/.agents/AGENTS.md"
REFS = [SourceRef(owner=ADA, path=PATH)]
EDITS = 100


@pytest.mark.slow
async def test_of_a_hundred_edits_of_one_version_on_two_processes_one_wins(tmp_path: Path) -> None:
    async with AsyncExitStack() as closing:
        servers = [await closing.enter_async_context(modelless_process(tmp_path)) for _ in range(2)]
        clients = [await closing.enter_async_context(server.client()) for server in servers]
        await clients[0].put_source(owner=ADA, path=PATH, text="- answer in English")

        ended = await asyncio.gather(
            *(edit(clients[number % 2], f"language {number}") for number in range(EDITS)),
            return_exceptions=True,
        )

        stands = [
            (await client.get_source(owner=ADA, path=PATH, min_revision=2)).source for client in clients
        ]

    won = [(n, each) for n, each in enumerate(ended) if isinstance(each, EditSourceResponse)]
    lost = Counter(each.reason for each in ended if isinstance(each, StaleRevision))
    assert len(won) == 1
    assert lost == {ERROR_REASON_STALE_REVISION: EDITS - 1}
    assert [(each.version, each.text) for each in stands] == [(2, f"- answer in language {won[0][0]}")] * 2


async def edit(client: MemoryBankClient, language: str) -> EditSourceResponse:
    return await client.edit_source(owner=ADA, path=PATH, old_text="English", new_text=language, if_version=1)


@pytest.mark.slow
async def test_a_run_is_loaded_on_one_process_edited_on_another_and_goes_on_on_a_third(
    tmp_path: Path,
) -> None:
    async with modelless_process(tmp_path) as one, modelless_process(tmp_path) as other:
        async with one.client() as here, other.client() as there:
            await here.put_source(owner=ADA, path=PATH, text="- 回复使用英文")
            began = await here.load_sources(refs=REFS, user="ada", run_id="r1")
            await there.edit_source(owner=ADA, path=PATH, old_text="英文", new_text="中文")
        await one.kill()
        await other.stop()

    async with modelless_process(tmp_path) as third, third.client() as later:
        same = await later.load_sources(refs=REFS, user="ada", run_id="r1")
        following = await later.load_sources(refs=REFS, user="ada", run_id="r2")

    assert "英文" in began.block
    assert (same.block, same.sources, same.run_time) == (began.block, began.sources, began.run_time)
    assert "中文" in following.block


@pytest.mark.slow
async def test_loads_that_begin_a_run_on_two_processes_while_it_is_edited_all_see_the_same(
    tmp_path: Path,
) -> None:
    async with AsyncExitStack() as closing:
        servers = [await closing.enter_async_context(modelless_process(tmp_path)) for _ in range(2)]
        clients = [await closing.enter_async_context(server.client()) for server in servers]
        await clients[0].put_source(owner=ADA, path=PATH, text="version 0")

        for run in range(10):
            blocks = await asyncio.gather(*(begin(clients[n % 2], run, n) for n in range(20)))
            assert len(set(blocks)) == 1


async def begin(client: MemoryBankClient, run: int, number: int) -> str:
    if number % 4 == 0:
        await client.put_source(owner=ADA, path=PATH, text=f"version {run}.{number}")
    return (await client.load_sources(refs=REFS, user="ada", run_id=f"r{run}")).block
