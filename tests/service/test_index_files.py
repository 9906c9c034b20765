"""Snapshots of indexes through the real server: there for the next start, gone with their bank."""

from pathlib import Path

from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import query_graph_pb2 as graph_pb
from memorybank.v1 import retrieval_pb2
from tests.support.server import Service, serving

BATCH = 100
NODES = 1_100  # so many that their words are worth taking down
WORD = "zanzibarian"


async def filled(service: Service, bank_id: str) -> None:
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id=bank_id))
    for first in range(0, NODES, BATCH):
        nodes = [
            graph_pb.NewNode(summary=f"{WORD} note {number}", node_id=f"n{number}")
            for number in range(first, first + BATCH)
        ]
        await service.graph.BatchAddNodes(graph_pb.BatchAddNodesRequest(bank_id=bank_id, nodes=nodes))


async def found(service: Service, bank_id: str, text: str) -> str:
    asked = retrieval_pb2.SearchRequest(bank_id=bank_id, text=text, top_k=1)
    return (await service.retrieval.Search(asked)).hits[0].node.node_id


def files_that_say(folder: Path, word: str) -> list[str]:
    return sorted({path.suffix for path in folder.rglob("*") if path.is_file() and word in _text(path)})


def _text(path: Path) -> str:
    return path.read_bytes().decode(errors="replace")


async def test_snapshots_serve_the_next_start_and_go_with_their_bank(tmp_path: Path) -> None:
    async with serving(folder=tmp_path) as service:
        await filled(service, "b")
        expected = await found(service, "b", f"{WORD} 77")
    assert ".index" in files_that_say(tmp_path, WORD)

    async with serving(folder=tmp_path) as service:
        assert await found(service, "b", f"{WORD} 77") == expected == "n77"

        await service.bank.DeleteBank(pb.DeleteBankRequest(bank_id="b"))

        assert files_that_say(tmp_path, WORD) == []
        assert list((tmp_path / "indexes").iterdir()) == []


async def test_a_store_in_memory_leaves_no_snapshots(tmp_path: Path) -> None:
    async with serving(folder=tmp_path, store={"kind": "memory"}) as service:
        await filled(service, "b")

    assert files_that_say(tmp_path, WORD) == []
