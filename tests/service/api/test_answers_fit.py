"""Answers stay below what gRPC clients of other languages accept unless told otherwise: 4 MiB."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from google.protobuf.message import Message

from memorybank.v1 import conversation_pb2 as talk
from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import memory_bank_pb2 as bank
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank.v1 import types_pb2 as types
from tests.support.server import Service

MOST = 4 * 1024 * 1024
LARGE = "❄" * 65_000  # 195,000 bytes, and no words to index
NODES = 36

Call = Callable[[Any], Awaitable[Any]]


async def large_nodes(service: Service) -> None:
    """36 nodes of one bank, 7 MB, each related to the first."""
    await service.bank.CreateBank(bank.CreateBankRequest(bank_id="b1"))
    nodes = [
        graph.NewNode(
            node_id=f"n{number:03}",
            summary=f"snow {number} {LARGE}",
            related_node_ids=["n000"] if number else [],
        )
        for number in range(NODES)
    ]
    for start in range(0, NODES, 18):
        await service.graph.BatchAddNodes(
            graph.BatchAddNodesRequest(bank_id="b1", nodes=nodes[start : start + 18])
        )


async def pages(call: Call, request: Message) -> list[Any]:
    """All pages of a list, each found to be small enough."""
    found: list[Any] = []
    while not found or found[-1].next_page_token:
        if found:
            request.page_token = found[-1].next_page_token  # type: ignore[attr-defined]  # every list has one
        found.append(await call(request))
        assert found[-1].ByteSize() < MOST
    return found


@pytest.mark.parametrize("page_size", [0, 1_000], ids=["by default", "of the largest size"])
@pytest.mark.parametrize("with_vectors", [False, True])
async def test_pages_of_large_nodes_fit_and_are_the_whole_list(
    service: Service, page_size: int, with_vectors: bool
) -> None:
    await large_nodes(service)

    listed = await pages(
        service.graph.ListNodes,
        graph.ListNodesRequest(bank_id="b1", page_size=page_size, include_embedding=with_vectors),
    )
    near = await pages(
        service.graph.ListNeighbors,
        graph.ListNeighborsRequest(bank_id="b1", node_id="n000", page_size=page_size),
    )

    assert [node.node_id for page in listed for node in page.nodes] == [f"n{n:03}" for n in range(NODES)]
    assert sum(len(page.neighbors) for page in near) == NODES - 1


async def test_a_search_brings_the_best_that_fit_and_says_that_it_left_some_out(service: Service) -> None:
    await large_nodes(service)
    few = retrieval.SearchRequest(bank_id="b1", text="snow 7", top_k=3, hops=2)
    many = retrieval.SearchRequest(bank_id="b1", text="snow 7", top_k=1_000)

    best = await service.retrieval.Search(few)
    found = await service.retrieval.Search(many)

    assert (len(best.hits), best.truncated) == (3, False)
    assert best.neighbors_truncated, "33 neighbors of 195 kB do not fit beside the hits"
    assert found.truncated
    assert found.hits[:3] == best.hits
    assert max(best.ByteSize(), found.ByteSize()) < MOST


async def test_the_searches_of_a_batch_share_what_fits(service: Service) -> None:
    await large_nodes(service)
    searches = [retrieval.SearchRequest(text="snow", top_k=10, max_neighbors=0) for _ in range(20)]

    found = await service.retrieval.BatchSearch(retrieval.BatchSearchRequest(bank_id="b1", searches=searches))

    assert found.ByteSize() < MOST
    assert all(result.hits and result.truncated for result in found.results)


async def test_a_prompts_hits_fit(service: Service) -> None:
    await large_nodes(service)

    made = await service.retrieval.Augment(
        retrieval.AugmentRequest(
            bank_id="b1", query="snow", top_k=1_000, target=retrieval.SEARCH_TARGET_NODES
        )
    )

    assert made.ByteSize() < MOST
    assert made.truncated


async def test_turns_listed_and_found_fit(service: Service) -> None:
    turns = [talk.Turn(input=f"snow {number}", reply=LARGE) for number in range(30)]
    for start in range(0, 30, 10):
        await service.conversation.AddTurns(
            talk.AddTurnsRequest(user="ada", conversation_id="c1", turns=turns[start : start + 10])
        )

    listed = await pages(
        service.conversation.ListTurns, talk.ListTurnsRequest(user="ada", conversation_id="c1")
    )
    found = await service.conversation.SearchTurns(
        talk.SearchTurnsRequest(user="ada", conversation_id="c1", text="snow", top_k=1_000)
    )

    assert [turn.step for page in listed for turn in page.turns] == list(range(1, 31))
    assert found.truncated
    assert found.ByteSize() < MOST


async def test_records_listed_and_found_fit(service: Service) -> None:
    for number in range(24):
        record = long_term.Record(
            kind=long_term.RECORD_KIND_FACT, category="work", content=f"snow {number}", detail=LARGE
        )
        await service.long_term.AddRecord(long_term.AddRecordRequest(user="ada", record=record))

    listed = await pages(
        service.long_term.ListRecords, long_term.ListRecordsRequest(user="ada", page_size=1_000)
    )
    facts = await service.long_term.RetrieveFacts(
        long_term.RetrieveFactsRequest(user="ada", query="snow", top_k=1_000)
    )
    memories = await service.long_term.RetrieveMemories(
        long_term.RetrieveMemoriesRequest(user="ada", query="snow", top_k=1_000)
    )

    assert sum(len(page.records) for page in listed) == 24
    assert facts.truncated
    assert memories.truncated
    assert max(facts.ByteSize(), memories.ByteSize()) < MOST


async def test_a_record_of_very_many_short_messages_is_read_in_pages_that_fit(service: Service) -> None:
    messages = [types.Message(role="user", text=f"snow {number}") for number in range(20_000)]
    await service.bank.CreateBank(bank.CreateBankRequest(bank_id="b1"))
    kept = await service.bank.Memorize(
        bank.MemorizeRequest(bank_id="b1", messages=messages, wait=types.WAIT_STORED)
    )

    read = await pages(
        service.deep.GetInteraction,
        deep.GetInteractionRequest(bank_id="b1", interaction_id=kept.interaction_id),
    )

    text = "".join(page.interactions[0].text for page in read)
    assert text.count("snow") == 20_000
    assert len(read) > 1
