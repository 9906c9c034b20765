"""Two processes over one store: what is erased, purged or switched off on one stays so, whatever the other is at."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1 import long_term_pb2 as pb
from memorybank_client import MemoryBankClient, MemoryBankError, NotFound
from tests.e2e.test_purge_killed import files_with
from tests.support.process import modelless_process
from tests.support.scale import scaled

RACES = 4 if scaled(1) == 1 else 200
SECRET = "zebraquartz"


def owner(race: int) -> dict[str, Any]:
    return {"user": f"u{race}", "collection": "work"}


async def told(client: MemoryBankClient, race: int) -> list[str]:
    """Two facts that contradict each other: embedding and judging them is under way when this returns."""
    stored = [
        await client.store_fact(**owner(race), content=f"The database of {SECRET}{race} is {name}.")
        for name in ("MySQL", "PostgreSQL")
    ]
    return [each.record.record_id for each in stored]


async def busy(client: MemoryBankClient, race: int, ids: list[str]) -> None:
    """Work on the same records, whose refusal is fine."""
    calls = (
        client.store_fact(**owner(race), content=f"{SECRET}{race} is large", request_id="r")
        if race % 4 == 3
        else client.report_outcome(**owner(race), record_ids=ids[:1], succeeded=True),
        client.give_feedback(**owner(race), record_ids=ids, thumb=pb.THUMB_UP, reason=SECRET),
        client.retrieve_facts(**owner(race), query=f"{SECRET} database"),
    )
    for outcome in await asyncio.gather(*calls, return_exceptions=True):
        assert not isinstance(outcome, BaseException) or isinstance(outcome, MemoryBankError), outcome


async def ended(client: MemoryBankClient, race: int, ids: list[str]) -> None:
    """Erased, purged with its collection, purged with its user, or switched off."""
    match race % 4:
        case 0:
            await client.delete_records(**owner(race), record_ids=ids)
        case 1:
            await client.delete_collection(**owner(race))
        case 2:
            await client.purge_user(user=f"u{race}")
        case 3:
            off = pb.Collection(enabled=False, **owner(race))
            await client.update_collection(collection=off, update_mask=FieldMask(paths=["enabled"]))


async def listed(client: MemoryBankClient, race: int) -> list[str]:
    try:
        answer = await client.list_records(**owner(race))
    except NotFound:
        return []
    return [record.record_id for record in answer.records]


@pytest.mark.slow
async def test_nothing_comes_back_that_was_erased_purged_or_switched_off(tmp_path: Path) -> None:
    frozen = dict[int, list[str]]()
    async with (
        modelless_process(tmp_path) as here,
        modelless_process(tmp_path) as there,
        here.client() as one,
        there.client() as other,
    ):
        for race in range(RACES):
            ids = await told(one, race)
            await asyncio.gather(busy(one, race, ids), ended(other, race, ids))
            if race % 4 == 3:
                frozen[race] = await listed(other, race)
    async with modelless_process(tmp_path) as server, server.client() as client:
        for race in range(RACES):
            assert await listed(client, race) == frozen.get(race, [])
            if race in frozen:
                await client.delete_collection(**owner(race))
        await server.stop()
    async with modelless_process(tmp_path) as server:
        await server.stop()  # what a scrub owes is made up for at the next start
    assert files_with(tmp_path, [SECRET.encode()]) == []
    print(f"{RACES} races on two processes; nothing came back, no byte is left")
