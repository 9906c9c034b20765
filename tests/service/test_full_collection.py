"""A collection that is full of what its user stated: what a conversation teaches finds no room, and that is told."""

import asyncio
from pathlib import Path

from memorybank.v1 import conversation_pb2 as conversation
from memorybank.v1 import operations_pb2
from memorybank_client import MemoryBankClient
from service.assembly.server import running
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.server import settings_for
from tests.support.shell import Shell

SAID = ("I live in Rome with two cats.", "我有两个孩子，我们住在上海。")


async def test_what_a_conversation_teaches_without_room_is_counted_and_told(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, limits={"records_per_collection": 1})
    async with (
        running(settings, HashingEmbedder(), ()) as address,
        MemoryBankClient(str(address)) as client,
    ):
        shell = Shell(server=str(address))
        await client.store_fact(user="ada", content="The project's database is PostgreSQL.")
        before = await asyncio.to_thread(shell.done, "facts", "list", "--user", "ada")
        talk = {"user": "ada", "conversation_id": "c"}
        turns = [conversation.Turn(input=said, reply="OK") for said in SAID]
        await client.add_turns(**talk, turns=turns)
        ended = await client.end_conversation(**talk, wait=True)
        counts = (await client.get_collection(user="ada")).counts
        info: operations_pb2.GetServerInfoResponse = await client.get_server_info()
        after = await asyncio.to_thread(shell.done, "facts", "list", "--user", "ada")
        amiss = await asyncio.to_thread(shell, "doctor")

    assert list(ended.fact_ids) == []
    assert (counts.facts, counts.without_room) == (1, 2)
    assert info.full_collections == 1
    assert "full" not in before
    assert "the collection is full: 2 records learned lately found no room" in " ".join(after.split())
    assert "1 collection full" in " ".join(f"{amiss.out} {amiss.err}".split())
