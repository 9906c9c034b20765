"""A bank outlives the embedder it was made with."""

from pathlib import Path

import grpc
import pytest

from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import retrieval_pb2 as retrieval
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.server import Service, refused, serving


async def bank_of_another_embedder(service: Service) -> None:
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1", goal="谁是CEO"))
    await service.graph.AddNode(graph.AddNodeRequest(bank_id="b1", node_id="n1", summary="张三是CEO"))


@pytest.mark.slow
async def test_what_needs_another_embedder_is_a_failed_precondition(tmp_path: Path) -> None:
    async with serving(HashingEmbedder(64), tmp_path) as before:
        await bank_of_another_embedder(before)

    async with serving(HashingEmbedder(32), tmp_path) as after:
        refusals = [
            await refused(after.retrieval.Search(retrieval.SearchRequest(bank_id="b1", text="CEO"))),
            await refused(after.retrieval.Augment(retrieval.AugmentRequest(bank_id="b1"))),
            await refused(after.graph.AddNode(graph.AddNodeRequest(bank_id="b1", summary="s"))),
            await refused(after.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text="一件事。"))),
            await refused(after.bank.AdvanceTask(pb.AdvanceTaskRequest(bank_id="b1", text="一件事。"))),
        ]

        assert {(r.code, r.reason) for r in refusals} == {
            (grpc.StatusCode.FAILED_PRECONDITION, "EMBEDDING_SPACE_MISMATCH")
        }
        assert await after.revision("b1") == 2


async def test_what_needs_no_embedder_works_all_the_same(tmp_path: Path) -> None:
    async with serving(HashingEmbedder(64), tmp_path) as before:
        await bank_of_another_embedder(before)

    async with serving(HashingEmbedder(32), tmp_path) as after:
        found = await after.retrieval.Search(
            retrieval.SearchRequest(bank_id="b1", text="CEO", mode=retrieval.SEARCH_MODE_ATTRIBUTE)
        )
        read = await after.graph.GetNode(graph.GetNodeRequest(bank_id="b1", node_id="n1"))

    assert found.hits[0].node == read.node
