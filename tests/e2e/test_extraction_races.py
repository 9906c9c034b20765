"""Deletions, purges and switches against extraction on two processes over one store: nothing comes back afterwards."""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1.conversation_pb2 import Turn
from memorybank.v1.long_term_pb2 import User
from memorybank_client import FailedPrecondition, MemoryBankClient, NotFound
from tests.support.process import modelless_process
from tests.support.scale import scaled

RACES = 1 if scaled(1) == 1 else 50  # of each sort
QUICK = {"banks.upkeep_seconds": "0.1", "banks.max_staleness_seconds": "0.001"}
Act = Callable[[MemoryBankClient, str], Awaitable[None]]
TURNS = [Turn(input=f"My cousin Anna{n} moved to Lyon in {1990 + n}.", reply="Noted.") for n in range(10)]


async def delete(client: MemoryBankClient, user: str) -> None:
    await client.delete_turns(user=user, conversation_id="c1", first_step=1, last_step=10)


async def purge(client: MemoryBankClient, user: str) -> None:
    await client.purge_user(user=user)


async def switch_off(client: MemoryBankClient, user: str) -> None:
    mask = FieldMask(paths=["enabled"])
    await client.update_user(user=User(user=user, enabled=False), update_mask=mask)


async def forget(client: MemoryBankClient, user: str) -> None:
    await client.delete_conversation(user=user, conversation_id="c1", forget_records=True)


ACTS = (delete, forget, purge, switch_off)


async def facts(client: MemoryBankClient, user: str) -> list[str]:
    try:
        listed = await client.list_records(user=user, page_size=100)
    except NotFound:
        return []
    return sorted(record.content for record in listed.records)


async def ended(client: MemoryBankClient, user: str) -> None:
    """All that a conversation asks for has been done, if it is there and memory is on."""
    try:
        await client.end_conversation(user=user, conversation_id="c1", wait=True)
    except (FailedPrecondition, NotFound):
        return


@pytest.mark.slow
async def test_nothing_that_was_found_lands_after_the_call_is_acknowledged(tmp_path: Path) -> None:
    chance, races = random.Random(7), Counter[str]()
    async with (
        modelless_process(tmp_path, QUICK) as one,
        modelless_process(tmp_path, QUICK) as other,
        one.client() as here,
        other.client() as there,
    ):
        for number, act in enumerate(ACTS * RACES):
            user = f"u{number}"
            await here.add_turns(user=user, conversation_id="c1", turns=TURNS)
            await asyncio.sleep(chance.uniform(0.0, 0.08))  # the moment of the call is what varies
            await act(there, user)
            at_once = await facts(there, user)
            await ended(here, user)
            await ended(there, user)

            assert await facts(here, user) == at_once
            assert at_once == [] or act is switch_off
            races[f"{act.__name__}, {len(at_once)} facts before"] += 1
    print(f"{races.total()} races on two processes; nothing came afterwards: {dict(races)}")
