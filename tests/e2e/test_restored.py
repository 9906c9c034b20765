"""A server that is backed up under load, killed, and restored elsewhere: everything acknowledged by then is there, and
nothing of what was erased since."""

import asyncio
import sys
from itertools import count
from pathlib import Path

import pytest
from click.testing import CliRunner

from memorybank.v1.query_graph_pb2 import NewNode
from memorybank_client import MemoryBankClient, NotFound, Unavailable
from service.cli.backup import restore
from tests.support.process import CHECKOUT, CLIENT_SPACE, Server, modelless_process, vector
from tests.support.scale import scaled

WRITERS = 4
LEAST = scaled(40)  # writes before the backup, and while it is made
BUSY, FILED, GONE = "busy", "filed", "gone"
MARK = b"quokkafern"  # only what is erased says so
SECRET = f"{MARK.decode()} 青瓷瓶下的钥匙"
LETTER = "verbatim 原话 ".encode() * 20_000


async def test_what_was_acknowledged_is_restored_and_what_was_erased_since_stays_erased(
    tmp_path: Path,
) -> None:
    data, copy, restored = (tmp_path / name for name in ("data", "copy", "restored"))
    tried, acknowledged = set[str](), list[str]()
    async with modelless_process(data) as server, server.client(retries=False) as client:
        letter = await _prepared(client)
        writing = [
            asyncio.create_task(_write(server, writer, tried, acknowledged)) for writer in range(WRITERS)
        ]
        await _grown(acknowledged, LEAST)
        before = list(acknowledged)
        made = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "service", "backup", str(copy), "--data", str(data)), cwd=CHECKOUT
        )
        assert await made.wait() == 0
        during = len(acknowledged)
        await _grown(acknowledged, len(before) + LEAST)
        await client.delete_bank(bank_id=GONE)
        await server.kill()
        await asyncio.gather(*writing)

    assert during > len(before), "nothing was written while the backup was made"
    words = [str(copy), "--data", str(restored), "--erasures", str(data / "log")]
    ended = await asyncio.to_thread(CliRunner().invoke, restore, words)
    assert ended.exit_code == 0, ended.output
    assert "1 erasure in the logs, 1 of them made again" in ended.output

    async with modelless_process(restored) as server, server.client() as client:
        there = await _node_ids(client)
        assert set(before) <= there <= tried
        assert await _read(client, letter) == LETTER
        with pytest.raises(NotFound):
            await client.get_bank(bank_id=GONE)
        with pytest.raises(NotFound):
            await client.search(bank_id=GONE, text=SECRET)
        await client.add_node(bank_id=BUSY, node_id="after", summary="又写", embedding=vector(1))
        assert (await client.get_node(bank_id=BUSY, node_id=before[0])).node.summary == _words(before[0])
    assert not any(map(_says_secret, restored.rglob("*")))
    assert any(map(_says_secret, copy.rglob("*"))), "the backup itself still has it"


async def _prepared(client: MemoryBankClient) -> str:
    """Makes the banks; returns the id of a file in one of them."""
    await client.create_bank(bank_id=BUSY, embedding_space=CLIENT_SPACE)
    for bank_id in (FILED, GONE):
        await client.create_bank(bank_id=bank_id, embedding_space=CLIENT_SPACE)
    await client.add_node(bank_id=GONE, summary=SECRET, verbatim=SECRET, embedding=vector(2))
    await client.upload_attachment(SECRET.encode() * 9, bank_id=GONE)
    return (await client.upload_attachment(LETTER, bank_id=FILED)).attachment.attachment_id


async def _write(server: Server, writer: int, tried: set[str], acknowledged: list[str]) -> None:
    """Adds one node after another, until the server is gone."""
    async with server.client(retries=False) as client:
        for number in count():
            name = f"w{writer}-{number}"
            node = NewNode(
                node_id=name, summary=_words(name), verbatim=_words(name), embedding=vector(number)
            )
            tried.add(name)
            try:
                await client.batch_add_nodes(bank_id=BUSY, nodes=[node])
            except Unavailable:
                return
            acknowledged.append(name)


def _words(name: str) -> str:
    return f"{name} wrote this. {name} 写的。"


async def _grown(acknowledged: list[str], size: int) -> None:
    while len(acknowledged) < size:  # noqa: ASYNC110  what grows it is other tasks' answers
        await asyncio.sleep(0.01)


async def _node_ids(client: MemoryBankClient) -> set[str]:
    found, token = set[str](), ""
    while True:
        page = await client.list_nodes(bank_id=BUSY, page_size=1_000, page_token=token)
        found |= {node.node_id for node in page.nodes}
        if not (token := page.next_page_token):
            return found


async def _read(client: MemoryBankClient, attachment_id: str) -> bytes:
    parts = client.read_attachment(bank_id=FILED, attachment_id=attachment_id)
    return b"".join([part.content async for part in parts])


def _says_secret(file: Path) -> bool:
    return file.is_file() and MARK in file.read_bytes()
