"""The dashboard and the alerts ask for series that a real server exports, by labels that these have."""

import asyncio
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
import yaml  # type: ignore[import-untyped]  # ships no types
from prometheus_client.parser import text_string_to_metric_families
from structlog.testing import capture_logs

from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1.retrieval_pb2 import SearchRequest
from service.process.certificates import FIGURES as WITH_TLS
from tests.support import chat_endpoint
from tests.support.chat_rule import sensible
from tests.support.server import refused, serving

DEPLOY = Path(__file__).parents[2] / "deploy"
NAME = re.compile(r"\b(?:grpc_server|memorybank|process|python)_\w+")
SELECTED = re.compile(r"(\w+)\{([^}]*)\}")
MATCHER = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)")
GROUPED = re.compile(r"\bby \(([^)]*)\)")
OF_PROMETHEUS = {"instance", "job"}  # labels that a scrape adds; as it adds the series `up`
STILL = {  # what moves only where something fails, or is another process's doing
    "memorybank_store_errors_total",
    "memorybank_fence_refused_total",
    "memorybank_commands_queued",
    "memorybank_structurings_running",
    "memorybank_embedder_texts_under_way",
    "memorybank_feed_unconfirmed_seconds",
    "memorybank_loop_lag_seconds",
}


@dataclass(slots=True)
class Series:
    """Of one name: the labels that it has, and the sum of its values."""

    labels: set[str] = field(default_factory=set)
    total: float = 0.0


async def _scraped() -> str:
    """What a server exports after every kind of work that the panels show."""
    with chat_endpoint.serving(sensible) as chat, capture_logs() as events:
        model = {"api_key": "k", "model": "m", "base_url": chat.url}
        async with serving(
            metrics={"listen": "127.0.0.1:0"}, llm={"roles": {"structurer": model}}
        ) as service:
            (announced,) = [event for event in events if event["event"] == "metrics"]
            await service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1"))
            await service.bank.Memorize(pb.MemorizeRequest(bank_id="b1", text="The ferry leaves at nine."))
            for _ in range(2):
                await service.retrieval.Search(SearchRequest(bank_id="b1", text="when does the ferry leave?"))
            await refused(service.bank.CreateBank(pb.CreateBankRequest(bank_id="b1")))
            watching = service.bank.WatchBank(pb.WatchBankRequest(bank_id="b1"))
            await watching.read()
            await asyncio.sleep(0)  # the loop looks at its lag beside

            def fetch() -> bytes:
                with urlopen(f"http://{announced['address']}/metrics") as answer:
                    return bytes(answer.read())

            shown = (await asyncio.to_thread(fetch)).decode()
            watching.cancel()
            return shown


@pytest.fixture(scope="module")
def exported() -> Mapping[str, Series]:
    series: dict[str, Series] = {}
    for family in text_string_to_metric_families(asyncio.run(_scraped())):
        names = [family.name, f"{family.name}_total"] if family.type == "counter" else [family.name]
        if family.type == "histogram":
            names = [f"{family.name}_{part}" for part in ("bucket", "sum", "count")]
        for name in names:
            series.setdefault(name, Series())
        for sample in family.samples:
            found = series.setdefault(sample.name, Series())
            found.labels.update(sample.labels)
            found.total += sample.value
    return {name: Series() for name in WITH_TLS} | series


def panels() -> Iterator[tuple[str, str]]:
    board = json.loads((DEPLOY / "grafana" / "memorybank.json").read_text(encoding="utf-8"))
    for panel in board["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]


def alerts() -> Iterator[tuple[str, str]]:
    for group in yaml.safe_load((DEPLOY / "prometheus" / "alerts.yaml").read_text(encoding="utf-8"))[
        "groups"
    ]:
        for rule in group["rules"]:
            yield rule["alert"], rule["expr"]


@pytest.mark.parametrize(("title", "expression"), [*panels(), *alerts()])
def test_what_is_asked_for_is_exported(exported: Mapping[str, Series], title: str, expression: str) -> None:
    names = set(NAME.findall(expression))

    assert names or title == "MemoryBankDown"
    assert names <= set(exported)
    for name, matchers in SELECTED.findall(expression):
        if name in names and exported[name].labels:
            assert set(MATCHER.findall(matchers)) - OF_PROMETHEUS <= exported[name].labels
    grouped = {label.strip() for by in GROUPED.findall(expression) for label in by.split(",")}
    known = set[str]().union(*(exported[name].labels for name in names))
    if all(exported[name].labels for name in names):
        assert grouped - OF_PROMETHEUS <= known


@pytest.mark.parametrize(("title", "expression"), [*panels()])
def test_what_a_panel_shows_moved_under_load(
    exported: Mapping[str, Series], title: str, expression: str
) -> None:
    moved = {name for name in NAME.findall(expression) if exported[name].total > 0}

    assert moved or STILL.issuperset(NAME.findall(expression)), title


def test_the_variable_of_the_dashboard_is_filled_by_what_is_exported(exported: Mapping[str, Any]) -> None:
    board = json.loads((DEPLOY / "grafana" / "memorybank.json").read_text(encoding="utf-8"))
    (query,) = [each["query"]["query"] for each in board["templating"]["list"] if each["type"] == "query"]

    assert set(NAME.findall(query)) <= set(exported)
