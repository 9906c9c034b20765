"""A server killed between a write and the vectors that it owes: the next one to open the folder makes them."""

import asyncio
from pathlib import Path

import numpy as np

from core.bank.state import BankState
from core.usecases.bank.structuring.absorb import embedding_text
from tests.e2e.test_killed import NOTES, QUICK, stored
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.process import modelless_process, served_process

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
