"""What the service tells of itself: a line for every structuring, and metrics where they are configured."""

import asyncio
import json
import socket
from pathlib import Path
from urllib.request import urlopen

import grpc
import pytest
import structlog
from structlog.testing import LogCapture, capture_logs

from core.agents.usage import Answer, RoleCall
from core.ids import BankId, InteractionId, Tenant
from core.keys import BankKey
from core.model.usage import RoleUsage, Usage
from core.usecases.observer import StructuringEnded
from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1.query_graph_pb2 import AddNodeRequest
from memorybank.v1.retrieval_pb2 import SearchRequest
from service.adapters.prometheus import PrometheusMetrics
from service.assembly.server import require_protection
from service.cli.certs import DAYS, NAMES, make
from service.config import ConfigurationError
from service.process.observing import Logging, observing
from service.settings.process import MetricsSection, OtlpSection
from tests.support import rerank_endpoint
from tests.support.server import refused, serving, settings_for

SECRET = "the safe's combination is 7-13-21"


async def scraped(port: int) -> str:
    def fetch() -> bytes:
        with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
            return bytes(answer.read())

    return (await asyncio.to_thread(fetch)).decode()


async def test_calls_and_agents_are_counted_where_metrics_are_configured() -> None:
    with capture_logs() as events:
        async with serving(metrics={"listen": "127.0.0.1:0"}) as service:
            (announced,) = [event for event in events if event["event"] == "metrics"]
            port = int(announced["address"].rpartition(":")[2])
            await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1"))
            await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text=SECRET))
            await refused(service.bank.GetBank(pb.GetBankRequest(bank_id="b2")))
            for _ in range(2):
                await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b3", request_id="r"))

            shown = await scraped(port)

    labels = 'grpc_method="{}",grpc_service="memorybank.v1.MemoryBank",grpc_type="unary"'
    handled = "grpc_server_handled_total{{grpc_code={},{}}} 1.0"
    assert handled.format('"OK"', labels.format("Memorize")) in shown
    assert handled.format('"NOT_FOUND"', labels.format("GetBank")) in shown
    assert f"grpc_server_handling_seconds_count{{{labels.format('Memorize')}}} 1.0" in shown
    assert f"grpc_server_started_total{{{labels.format('GetBank')}}} 1.0" in shown
    assert 'memorybank_refused_total{reason="BANK_NOT_FOUND"} 1.0' in shown
    assert "memorybank_replayed_total 1.0" in shown
    assert "memorybank_commit_unknown_total 0.0" in shown
    assert 'memorybank_store_seconds_count{operation="append"}' in shown
    assert "memorybank_append_changes_count" in shown
    assert "memorybank_loop_lag_seconds" in shown
    assert 'memorybank_agent_calls_total{outcome="ok",role="clusterer"} 1.0' in shown
    assert 'memorybank_agent_seconds_count{role="structurer"} 1.0' in shown
    assert 'memorybank_structurings_total{outcome="ok"} 1.0' in shown
    assert "b1" not in shown
    assert SECRET not in shown


async def test_metrics_tell_what_the_process_holds() -> None:
    with capture_logs() as events:
        async with serving(metrics={"listen": "127.0.0.1:0"}) as service:
            (announced,) = [event for event in events if event["event"] == "metrics"]
            await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1"))
            for text in ("when does the ferry leave?", "when does the ferry leave?"):
                await service.retrieval.Search(SearchRequest(bank_id="b1", text=text))
            watching = service.bank.WatchBank(pb.WatchBankRequest(bank_id="b1"))
            await watching.read()

            shown = await scraped(int(announced["address"].rpartition(":")[2]))

            watching.cancel()
    figures = {line.split()[0]: float(line.split()[1]) for line in shown.splitlines() if line[:1] != "#"}
    assert figures["memorybank_banks_open"] == figures["memorybank_watchers"] == 1
    assert 0 < figures["memorybank_open_bytes"] < figures["memorybank_memory_budget_bytes"]
    assert figures["memorybank_calls_in_flight"] == 1  # the watcher
    assert (figures["memorybank_commands_queued"], figures["memorybank_structurings_running"]) == (0, 0)
    assert (
        figures["memorybank_embedder_cached_texts"] == figures["memorybank_embedder_cache_misses_total"] == 1
    )
    assert figures["memorybank_embedder_cache_hits_total"] == 1
    assert figures["memorybank_feed_unconfirmed_seconds"] < 60
    assert figures["process_resident_memory_bytes"] > 1_000_000
    assert "memorybank_build_info{" in shown


async def test_a_reranker_is_counted_among_them() -> None:
    with rerank_endpoint.serving() as endpoint, capture_logs() as events:
        endpoint.script = [rerank_endpoint.scoring(0.5), rerank_endpoint.failing(503)]
        reranker = {"base_url": endpoint.url, "model": "m", "timeout_seconds": 30}
        async with serving(retrieval={"reranker": reranker}, metrics={"listen": "127.0.0.1:0"}) as service:
            (announced,) = [event for event in events if event["event"] == "metrics"]
            port = int(announced["address"].rpartition(":")[2])
            await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1"))
            await service.graph.AddNode(AddNodeRequest(bank_id="b1", summary=SECRET))
            for _ in range(2):
                await service.retrieval.Search(SearchRequest(bank_id="b1", text="the safe"))

            shown = await scraped(port)

    assert 'memorybank_agent_calls_total{outcome="ok",role="reranker"} 1.0' in shown
    assert 'memorybank_agent_calls_total{outcome="unavailable",role="reranker"} 1.0' in shown
    assert 'memorybank_agent_seconds_count{role="reranker"} 2.0' in shown
    assert SECRET not in str(events)


async def test_every_structuring_leaves_a_line_that_tells_nothing_of_what_is_remembered() -> None:
    with capture_logs() as events:
        async with serving() as service:
            await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1"))
            made = await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text=SECRET))

    (line,) = [event for event in events if event["event"] == "structured"]
    assert (line["log_level"], line["interaction_id"], line["outcome"]) == ("info", made.interaction_id, "ok")
    assert line["calls"]["clusterer"] == 1
    assert set(line["calls"]) == set(line["tokens"]) == set(line["milliseconds"])
    assert "combination" not in json.dumps(events, default=str)


async def test_nothing_is_counted_unless_configured() -> None:
    async with observing(MetricsSection(), OtlpSection()) as told:
        assert told.calls == ()


def test_tokens_and_fallbacks_have_their_place() -> None:
    metrics = PrometheusMetrics()
    cost = RoleUsage(calls=2, input_tokens=300, output_tokens=20, fell_back=1)

    metrics.asked(RoleCall(role="judge", answer=Answer.FELL_BACK, seconds=0.2, cost=cost))

    value = metrics.registry.get_sample_value
    assert value("memorybank_agent_calls_total", {"role": "judge", "outcome": "fell_back"}) == 1
    assert value("memorybank_agent_tokens_total", {"role": "judge", "direction": "input"}) == 300
    assert value("memorybank_agent_tokens_total", {"role": "judge", "direction": "output"}) == 20


async def test_an_address_that_cannot_be_had_is_said_at_the_start() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"

        with pytest.raises(ConfigurationError, match=address):
            async with observing(MetricsSection(listen=address), OtlpSection()):
                pass


def test_metrics_stay_on_this_machine_unless_told_otherwise(tmp_path: Path) -> None:
    require_protection(settings_for(tmp_path, metrics={"listen": "[::1]:9464"}))

    with pytest.raises(ConfigurationError, match="will not show metrics"):
        require_protection(settings_for(tmp_path, metrics={"listen": "0.0.0.0:9464"}))


def test_a_call_is_told_apart_by_service_method_and_code() -> None:
    metrics = PrometheusMetrics()

    metrics.called("/memorybank.v1.Retrieval/Search", grpc.StatusCode.OK, 0.003)
    metrics.called("/memorybank.v1.Retrieval/Search", grpc.StatusCode.OK, 0.004)

    names = {
        "grpc_type": "unary",
        "grpc_service": "memorybank.v1.Retrieval",
        "grpc_method": "Search",
    }
    value = metrics.registry.get_sample_value
    assert value("grpc_server_handled_total", {**names, "grpc_code": "OK"}) == 2
    assert value("grpc_server_handling_seconds_bucket", {**names, "le": "0.005"}) == 2


def test_a_defect_in_background_work_is_an_error_with_its_traceback() -> None:
    broken = KeyError("never meant to be")
    told = StructuringEnded(
        key=BankKey(tenant=Tenant("t"), bank_id=BankId("b1")),
        interaction_id=InteractionId("i1"),
        usage=Usage(),
        failure=broken,
    )

    with capture_logs() as events:
        Logging().structured(told)

    assert [(event["log_level"], event["event"]) for event in events] == [
        ("error", "defect"),
        ("info", "structured"),
    ]
    assert events[0]["exc_info"] is broken
    assert events[1]["outcome"] == "KeyError"


def test_every_question_leaves_a_line_for_who_debugs(monkeypatch: pytest.MonkeyPatch) -> None:
    cost = RoleUsage(calls=2, input_tokens=300, output_tokens=20, milliseconds=70)
    capture = LogCapture()  # a logger of its own: another test's settings may leave out what is for debugging
    every = structlog.make_filtering_bound_logger(0)
    log = structlog.wrap_logger(structlog.ReturnLogger(), processors=[capture], wrapper_class=every)
    monkeypatch.setattr("service.process.observing.log", log)

    Logging().asked(RoleCall(role="planner", answer=Answer.INVALID, seconds=0.07, cost=cost))

    assert capture.entries == [
        {
            "log_level": "debug",
            "event": "asked",
            "role": "planner",
            "outcome": "invalid",
            "calls": 2,
            "input_tokens": 300,
            "output_tokens": 20,
            "milliseconds": 70,
        }
    ]


async def test_a_certificate_s_end_is_shown_also_of_one_with_its_authority_behind_it(tmp_path: Path) -> None:
    make(tmp_path, NAMES)
    whole = tmp_path / "chain.pem"
    whole.write_text((tmp_path / "server.pem").read_text() + (tmp_path / "ca.pem").read_text())
    pair = {"certificate": whole, "key": tmp_path / "server.key"}
    with capture_logs() as events:
        async with serving(metrics={"listen": "127.0.0.1:0"}, tls=pair):
            (announced,) = [event for event in events if event["event"] == "metrics"]
            shown = await scraped(int(announced["address"].rpartition(":")[2]))
            whole.write_text("no certificate")
            unread = await scraped(int(announced["address"].rpartition(":")[2]))

    (line,) = [line for line in shown.splitlines() if line.startswith("memorybank_tls_expiry_seconds ")]
    assert 0.9 < float(line.split()[1]) / (DAYS * 86_400) <= 1.0
    assert "memorybank_tls_expiry_seconds NaN" in unread, "and the other figures are shown all the same"
