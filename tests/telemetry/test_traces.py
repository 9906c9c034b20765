"""A call's trace, from its caller through the server, its store, embedder and models, to a collector."""

import asyncio
import json
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1.retrieval_pb2 import SearchRequest
from memorybank.v1.types_pb2 import WAIT_STORED, WAIT_STRUCTURED
from service.config import ConfigurationError
from service.process.observing import observing
from service.settings.process import MetricsSection, OtlpSection
from tests.support import chat_endpoint, embedding_endpoint, rerank_endpoint
from tests.support.chat_rule import sensible
from tests.support.server import Service, refused, serving

pytest.importorskip("opentelemetry.sdk", reason="the extra otel is not installed")
from tests.support.otlp_collector import Collector, attributes, collecting  # it imports the extra

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
SAMPLED = (("traceparent", f"00-{TRACE}-{PARENT}-01"),)
NOT_SAMPLED = (("traceparent", f"00-{TRACE}-{PARENT}-00"),)
SECRET = "the safe's combination is 7-13-21"
WORDS = json.loads((Path(__file__).parent / "memory_spans.json").read_text(encoding="utf-8"))


class World:
    """A server with a model, an embedder and a reranker behind endpoints."""

    def __init__(self, chat: Any, embedding: Any, rerank: Any) -> None:
        self.chat, self.embedding, self.rerank = chat, embedding, rerank

    def settings(self, **sections: Any) -> dict[str, Any]:
        model = {"api_key": "k", "model": "m"}
        return {
            "llm": {"roles": {"structurer": {**model, "base_url": self.chat.url}}},
            "embedder": {
                **model,
                "kind": "openai",
                "base_url": self.embedding.url,
                "dimension": embedding_endpoint.DIMENSION,
            },
            "retrieval": {"reranker": {**model, "base_url": self.rerank.url, "timeout_seconds": 30}},
            **sections,
        }

    @property
    def traces(self) -> set[str]:
        return {*self.chat.traces, *self.embedding.traces, *self.rerank.traces}


@pytest.fixture
def world() -> Any:
    with (
        chat_endpoint.serving(sensible) as chat,
        embedding_endpoint.serving() as embedding,
        rerank_endpoint.serving() as rerank,
    ):
        yield World(chat, embedding, rerank)


async def remember_and_ask(service: Service, metadata: Any = SAMPLED) -> None:
    await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1"), metadata=metadata)
    await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text=SECRET), metadata=metadata)
    await service.retrieval.Search(
        SearchRequest(bank_id="b1", text="which combination? 密码是什么?"), metadata=metadata
    )
    await refused(service.bank.GetBank(pb.GetBankRequest(bank_id="b2"), metadata=metadata))


@asynccontextmanager
async def traced(world: World, collector: Collector, **otlp: Any) -> AsyncIterator[Service]:
    """A server that sends all that it knows to the collector before the context ends."""
    chosen = {"endpoint": collector.address, **otlp}
    async with serving(own_embedder=True, **world.settings(otlp=chosen)) as service:
        yield service


async def test_one_trace_goes_from_the_caller_through_the_server_to_store_embedder_and_models(
    world: World,
) -> None:
    with collecting() as collector:
        async with traced(world, collector, memory_spans=True) as service:
            await remember_and_ask(service)

    (call,) = collector.named("memorybank.v1.MemoryBank/Memorize")
    (search,) = collector.named("memorybank.v1.Retrieval/Search")
    assert {span.trace_id.hex() for span in collector.spans} == {TRACE}
    assert call.parent_span_id.hex() == search.parent_span_id.hex() == PARENT
    assert attributes(call) == {
        "rpc.system.name": "grpc",
        "rpc.method": "memorybank.v1.MemoryBank/Memorize",
        "rpc.response.status_code": "OK",
    }
    within = {span.name for span in collector.spans if span.parent_span_id == call.span_id}
    assert {"store.append", "embed", "agent.structurer", "create_memory"} <= within
    assert "rerank" in {span.name for span in collector.spans if span.parent_span_id == search.span_id}
    (asked,) = collector.named("agent.structurer")
    assert attributes(asked)["gen_ai.usage.input_tokens"] > 0
    assert call.start_time_unix_nano <= asked.start_time_unix_nano < asked.end_time_unix_nano
    sent = {f"00-{TRACE}-{span.span_id.hex()}-01" for span in (call, search)}
    assert world.chat.traces == [f"00-{TRACE}-{call.span_id.hex()}-01"]
    assert world.traces == sent
    (gone,) = collector.named("memorybank.v1.MemoryBank/GetBank")
    assert attributes(gone)["rpc.response.status_code"] == "NOT_FOUND"
    assert "error.type" not in attributes(gone), "the caller's mistake is no fault of the server"
    assert collector.resources[0]["service.name"] == "memorybank"


async def test_work_that_outlasts_its_call_is_in_its_trace_and_marked(world: World) -> None:
    answers = threading.Event()

    def late(body: Any) -> str:
        answers.wait(60)
        return sensible(body)

    world.chat.rule = late
    with collecting() as collector:
        async with traced(world, collector) as service:
            await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1"), metadata=SAMPLED)
            memorize = pb.MemorizeRequest(bank_id="b1", text=SECRET, wait=WAIT_STORED, request_id="m")
            await service.bank.Memorize(memorize, metadata=SAMPLED)
            answers.set()
            memorize.wait = WAIT_STRUCTURED
            await service.bank.Memorize(memorize, metadata=NOT_SAMPLED)

    (call,) = collector.named("memorybank.v1.MemoryBank/Memorize")
    (asked,) = collector.named("agent.structurer")
    assert (asked.trace_id, asked.parent_span_id) == (call.trace_id, call.span_id)
    assert attributes(asked)["memorybank.background"] is True
    assert asked.end_time_unix_nano > call.end_time_unix_nano


async def test_memory_spans_speak_the_conventions_words_and_tell_nothing_that_is_remembered(
    world: World,
) -> None:
    with collecting() as collector:
        async with traced(world, collector, memory_spans=True) as service:
            await remember_and_ask(service)

    (created,), (searched,) = collector.named("create_memory"), collector.named("search_memory")
    told = {"gen_ai.operation.name": "search_memory", "gen_ai.memory.store.id": "b1"}
    assert attributes(searched) == told
    assert attributes(created)["gen_ai.operation.name"] == "create_memory"
    names = {name for span in (created, searched) for name in attributes(span)}
    assert names <= set(WORDS["attributes"])
    told_of_all = [str((span.name, attributes(span))) for span in collector.spans]
    assert not [each for each in told_of_all if "combination" in each or "密码" in each]


async def test_memory_spans_and_their_names_are_left_out_unless_asked_for(world: World) -> None:
    with collecting() as collector:
        async with traced(world, collector) as service:
            await remember_and_ask(service)

    assert collector.named("store.append")
    assert not {"create_memory", "search_memory"} & {span.name for span in collector.spans}
    assert "b1" not in str([attributes(span) for span in collector.spans])


async def test_what_the_caller_does_not_sample_is_not_recorded_and_goes_on_in_its_trace(world: World) -> None:
    with collecting() as collector:
        async with traced(world, collector, sampling=1.0) as service:
            await remember_and_ask(service, NOT_SAMPLED)

    assert collector.spans == []
    assert world.traces
    assert all(trace.startswith(f"00-{TRACE}-") and trace.endswith("-00") for trace in world.traces)


@pytest.mark.parametrize(("sampling", "recorded"), [(1.0, True), (0.0, False)])
async def test_calls_without_a_trace_are_sampled_as_configured(
    world: World, sampling: float, recorded: bool
) -> None:
    with collecting() as collector:
        async with traced(world, collector, sampling=sampling) as service:
            await remember_and_ask(service, ())

    assert bool(collector.named("memorybank.v1.Retrieval/Search")) == recorded
    assert all(not span.parent_span_id for span in collector.named("memorybank.v1.Retrieval/Search"))


async def test_the_times_of_calls_come_by_the_stable_names(world: World) -> None:
    with collecting() as collector:
        async with traced(world, collector, sampling=0.0) as service:
            await remember_and_ask(service)

    points = {
        (told["rpc.method"], told["rpc.response.status_code"]): point.count
        for point in collector.points["rpc.server.call.duration"]
        if (told := attributes(point))
    }
    assert points["memorybank.v1.Retrieval/Search", "OK"] == 1
    assert points["memorybank.v1.MemoryBank/GetBank", "NOT_FOUND"] == 1


@pytest.mark.slow
async def test_a_collector_that_is_away_holds_up_no_call_and_no_end(world: World) -> None:
    with collecting() as collector:
        away = collector.address
    async with asyncio.timeout(60), serving(otlp={"endpoint": away, "sampling": 1.0}) as service:
        await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1"))


async def test_without_tracing_the_callers_trace_goes_on_and_none_is_made_up(world: World) -> None:
    async with serving(own_embedder=True, **world.settings()) as service:
        await remember_and_ask(service)
        assert world.traces == {SAMPLED[0][1]}
        await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text="Another thing 另一件事"))
    assert world.traces == {SAMPLED[0][1], ""}


async def test_a_server_whose_extra_is_missing_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "service.adapters.otel", None)

    with pytest.raises(ConfigurationError, match=r"agentic-memory-bank\[otel\]"):
        async with observing(MetricsSection(), OtlpSection(endpoint="http://127.0.0.1:1")):
            pass
