"""A reranker behind an endpoint, over a real channel: what callers are told, and that failing it costs no answer."""

from collections.abc import Iterator
from typing import Any

import pytest
from structlog.testing import capture_logs

from memorybank.v1 import memory_bank_pb2 as bank
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import retrieval_pb2 as pb
from tests.support import rerank_endpoint
from tests.support.rerank_endpoint import Reply, RerankEndpoint, failing, scoring
from tests.support.server import Service, serving

FACTS = {
    "ceo": "公司的首席执行官是张三",
    "old": "前任首席执行官已经离开公司",
    "founding": "The company was founded in 1999 in Hangzhou",
}
QUESTION = "首席执行官是谁"


@pytest.fixture
def endpoint() -> Iterator[RerankEndpoint]:
    with rerank_endpoint.serving() as served:
        yield served


def retrieval(endpoint: RerankEndpoint, **reranker: Any) -> dict[str, Any]:
    given = {"base_url": endpoint.url, "api_key": "k", "model": "m", "timeout_seconds": 30, **reranker}
    return {"reranker": given}


async def facts(service: Service) -> None:
    await service.bank.CreateBank(bank.CreateBankRequest(bank_id="b1", goal=QUESTION))
    nodes = [graph.NewNode(node_id=name, summary=fact) for name, fact in FACTS.items()]
    await service.graph.BatchAddNodes(graph.BatchAddNodesRequest(bank_id="b1", nodes=nodes))


async def ask(service: Service, **request: Any) -> pb.SearchResponse:
    return await service.retrieval.Search(pb.SearchRequest(bank_id="b1", text=QUESTION, **request))


def ids(found: pb.SearchResponse) -> list[str]:
    return [hit.node.node_id for hit in found.hits]


async def test_a_search_is_reranked_says_so_and_why_unless_it_is_to_do_without(
    endpoint: RerankEndpoint,
) -> None:
    async with serving(retrieval=retrieval(endpoint, weight=10)) as service:
        await facts(service)
        plain = await ask(service, skip_reranker=True)
        endpoint.script = [scoring(*(0.1 * place for place in range(len(FACTS))))]

        found = await ask(service)

    assert (plain.reranking, found.reranking) == (pb.RERANKING_UNSPECIFIED, pb.RERANKING_DONE)
    read = [*ids(plain), "founding"]  # what fits in no way is no hit, but a candidate
    assert ids(found) == read[::-1]
    assert endpoint.requests == [
        {"model": "m", "query": QUESTION, "documents": [FACTS[name] for name in read], "top_n": 3}
    ]
    for hit in found.hits:
        assert [share.component for share in hit.why] == ["plain", "reranker"]
        assert hit.score == pytest.approx(sum(share.share for share in hit.why))


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Reply(hangs=True), pb.RERANKING_LATE),
        (failing(503), pb.RERANKING_UNAVAILABLE),
        (scoring(0.5), pb.RERANKING_UNAVAILABLE),
        (scoring(0.5, float("nan"), 0.5), pb.RERANKING_UNAVAILABLE),
        (scoring(7.0, 0.5, 0.5), pb.RERANKING_UNAVAILABLE),
    ],
)
async def test_an_endpoint_that_fails_costs_no_answer(
    endpoint: RerankEndpoint, reply: Reply, told: "pb.Reranking.ValueType"
) -> None:
    endpoint.script = [reply]
    timeout = 0.2 if reply.hangs else 30
    with capture_logs() as events:
        async with serving(retrieval=retrieval(endpoint, timeout_seconds=timeout)) as service:
            await facts(service)
            plain = await ask(service, skip_reranker=True)

            found = await ask(service)

    assert found.reranking == told
    assert list(found.hits) == list(plain.hits)
    (line,) = [event for event in events if event["event"] == "reranker failed"]
    assert line["log_level"] == "warning"
    assert not any(fact in str(events) for fact in FACTS.values())


async def test_an_endpoint_that_fails_repeatedly_is_left_alone(endpoint: RerankEndpoint) -> None:
    endpoint.script = [failing(503)] * 9
    async with serving(retrieval=retrieval(endpoint, breaker_failures=2)) as service:
        await facts(service)

        told = [(await ask(service)).reranking for _ in range(5)]

    assert told == [pb.RERANKING_UNAVAILABLE] * 5
    assert len(endpoint.requests) == 2


async def test_prompts_and_batches_say_what_became_of_it(endpoint: RerankEndpoint) -> None:
    async with serving(retrieval=retrieval(endpoint)) as service:
        await facts(service)

        made = await service.retrieval.Augment(pb.AugmentRequest(bank_id="b1"))
        skipped = await service.retrieval.Augment(pb.AugmentRequest(bank_id="b1", skip_reranker=True))
        found = await service.retrieval.BatchSearch(
            pb.BatchSearchRequest(
                bank_id="b1", searches=[pb.SearchRequest(text=QUESTION), pb.SearchRequest(node_id="ceo")]
            )
        )

    assert (made.reranking, skipped.reranking) == (pb.RERANKING_DONE, pb.RERANKING_UNSPECIFIED)
    assert [one.reranking for one in found.results] == [pb.RERANKING_DONE, pb.RERANKING_UNSPECIFIED]
