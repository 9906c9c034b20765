"""Servers killed between a write and the vectors that they owe: the next one to open the store makes them."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import numpy as np

from core.bank.state import BankState
from core.usecases.bank.structuring.absorb import embedding_text
from service.adapters.store.postgres_store import PostgresStore
from tests.e2e.test_killed import NOTES, QUICK, key, stored
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.postgres import empty_database
from tests.support.process import forked_process, modelless_process, served_process

NO_MODEL = {"judging.model": "none"}
TOLD = (
    "Mara Lind repaired the crane of Harbour Nine in Trieste.",
    "The crane of Harbour Nine in Trieste was repaired for Mara Lind.",
    "林玛拉在的里雅斯特修好了九号港的起重机。",
    "的里雅斯特九号港的起重机是为林玛拉修的。",
)


def stale(state: BankState) -> set[str]:
    """The nodes whose vectors are not of their words, of those that a relation has reworded."""
    embedder = HashingEmbedder()
    return {
        put.node.node_id
        for put in state.nodes
        if put.node.context != put.node.base_context
        and (put.vector is None or not np.array_equal(put.vector, embedder.vector(embedding_text(put.node))))
    }


async def test_no_vector_is_missing_after_a_kill(tmp_path: Path) -> None:
    async with (
        served_process(tmp_path, NO_MODEL | QUICK, module="tests.support.unreworded_server") as server,
        server.client() as client,
    ):
        await client.create_bank(bank_id=NOTES)
        for text in TOLD:
            await client.memorize(bank_id=NOTES, text=text)
        await server.kill()
    state, _ = await stored(tmp_path, NOTES)
    left = stale(state)
    assert left
    assert left <= set(state.record.unembedded)

    async with modelless_process(tmp_path, NO_MODEL | QUICK):
        while True:
            state, _ = await stored(tmp_path, NOTES)
            if not state.record.unembedded:
                break
            await asyncio.sleep(0.1)

    assert stale(state) == set()
    assert state.record.due_time is None


async def test_no_vector_is_missing_after_both_replicas_of_one_database_are_killed(tmp_path: Path) -> None:
    database = empty_database()
    settings = {"judging.model": "none", "store.url": database.url} | QUICK
    folders = [tmp_path / "one", tmp_path / "other"]
    async with AsyncExitStack() as closing:
        enter = closing.enter_async_context
        servers = [
            await enter(forked_process("tests.support.unreworded_server", folder, settings))
            for folder in folders
        ]
        clients = [await enter(server.client()) for server in servers]
        await clients[0].create_bank(bank_id=NOTES)
        for number, text in enumerate(TOLD):
            await clients[number % 2].memorize(bank_id=NOTES, text=text)
        for server in servers:
            await server.kill()
    store = await PostgresStore.open(database)
    left = stale(await standing(store))
    assert left
    assert left <= set((await standing(store)).record.unembedded)

    async with AsyncExitStack() as closing:
        for folder in folders:
            await closing.enter_async_context(modelless_process(folder, settings))
        state = await when_embedded(store)

    assert stale(state) == set()
    await store.close()


async def when_embedded(store: PostgresStore) -> BankState:
    """Returns the bank's rows once no node of it waits."""
    while True:
        state = await standing(store)
        if not state.record.unembedded:
            return state
        await asyncio.sleep(0.1)


async def standing(store: PostgresStore) -> BankState:
    state: BankState | None = await store.load(key(NOTES))
    assert state is not None
    return state
