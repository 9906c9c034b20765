"""The pure parts of the load tests: what ghz is told, what it answers, what is shown of it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf.message import Message

from tests.bench.corpus import Corpus
from tests.load import ghz
from tests.load.questions import messages, write
from tests.load.report import HEADER, Report, page, row

SIZES = (1_000, 10_000, 100_000)
CONFIG: dict[str, Any] = {
    "name": "ramp",
    "call": "memorybank.v1.Retrieval.Search",
    "protoset": "protos/memorybank/v1/memorybank.binpb",
    "host": "127.0.0.1:7700",
    "data-file": "build/load/vector_1k.json",
    "tags": {"nodes": "1000"},
    "load-start": 100,
    "load-step": 100,
    "load-end": 300,
    "load-step-duration": "2s",
    "duration": "6s",
}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus(1_000)


@pytest.fixture(scope="module")
def sent(corpus: Corpus) -> dict[str, list[Message]]:
    return messages(corpus)


def outcome(target: str, milliseconds: list[float], **config: Any) -> ghz.Outcome:
    details = [
        {"timestamp": f"2026-01-01T00:00:{second:02}.123456789Z", "latency": took * 1e6, "status": "OK"}
        for second, took in enumerate(milliseconds)
    ]
    failed = {"timestamp": "2026-01-01T00:00:59Z", "latency": 1e6, "status": "Unavailable"}
    result = {"count": len(details) + 1, "total": 2e9, "details": [*details, failed]}
    return ghz.outcome(CONFIG | config, target, result, cpu=0.01)


@pytest.mark.parametrize("name", sorted(ghz.shipped(SIZES)))
def test_a_shipped_configuration_names_a_method_that_exists_and_a_data_file_that_is_written(
    name: str, sent: dict[str, list[Message]]
) -> None:
    config = ghz.shipped(SIZES)[name]
    size = {"1000": "1k", "10000": "10k", "100000": "100k"}[config["tags"]["nodes"]]

    data = Path(config["data-file"]).stem

    example = sent[data.replace(size, "1k")][0]
    service, _, method = config["call"].rpartition(".")
    services = example.DESCRIPTOR.file.services_by_name
    offered = next(found for found in services.values() if found.full_name == service)
    assert offered.methods_by_name[method].input_type is example.DESCRIPTOR
    assert config["metadata"] == {"x-memory-bank": f"load-{size}"}


def test_configurations_are_chosen_by_the_size_of_the_bank_and_by_name() -> None:
    assert set(ghz.shipped([1_000])) == {
        "search_vector_1k",
        "search_vector_no_neighbors_1k",
        "search_text_1k",
        "augment_1k",
        "assemble_1k",
    }
    assert set(ghz.shipped(SIZES, "text")) == {"search_text_1k", "search_text_10k", "search_text_100k"}


def test_loads_that_belong_together_run_at_once_and_the_others_alone() -> None:
    grouped = ghz.groups(ghz.shipped([10_000]))

    assert ["mixed_read_10k", "mixed_write_10k"] in grouped
    assert all(len(names) == 1 for names in grouped if "mixed_read_10k" not in names)


def test_a_configuration_is_pointed_at_a_server_and_its_steps_share_the_time() -> None:
    made = ghz.pointed(CONFIG, "127.0.0.1:1", Path("/there"), 9)

    assert made["host"] == "127.0.0.1:1"
    assert made["data-file"] == "/there/vector_1k.json"
    assert (made["load-step-duration"], made["duration"]) == ("3s", "9s")
    assert Path(made["protoset"]).is_file()


def test_calls_that_failed_are_counted_and_have_no_latency() -> None:
    found = outcome("service", [1.0, 2.0, 3.0])

    assert found.failed == 1
    assert found.percentile(50) == pytest.approx(0.002)
    assert found.sent.tolist() == [0.0, 1.0, 2.0]
    assert found.cpu_per_call == pytest.approx(0.01 / 4)


def test_a_row_says_how_many_times_the_floor_a_call_costs() -> None:
    service, floor = outcome("service", [4.0]), outcome("floor", [1.0, 1.0, 1.0])

    shown = row(service, [service, floor])

    assert dict(zip(HEADER, shown, strict=True)) | {"p50 ms": "4.00", "× floor": "2.00"} == dict(
        zip(HEADER, shown, strict=True)
    )


def test_the_report_is_one_page_that_asks_for_nothing_and_escapes_names() -> None:
    made = [
        outcome("service", [1.0, 20.0, 3.0], name="<ramp>"),
        outcome("floor", [1.0, 2.0, 3.0], name="<ramp>"),
    ]

    shown = page(Report(facts={"machine": "a & b"}, outcomes=made))

    assert shown.count("<svg") == 1
    assert shown.count("<polyline") == 4
    assert "&lt;ramp&gt;" in shown
    assert "a &amp; b" in shown
    assert "http" not in shown
    assert "<script" not in shown


def test_a_load_without_any_answer_is_reported_too() -> None:
    silent = outcome("service", [])

    shown = page(Report(facts={}, outcomes=[silent]))

    assert "no call was answered" in shown


def test_questions_are_the_same_for_the_same_seed_and_all_different(corpus: Corpus, tmp_path: Path) -> None:
    write(tmp_path, corpus)
    first = (tmp_path / "vector_1k.json").read_bytes()

    write(tmp_path, Corpus(1_000))

    assert (tmp_path / "vector_1k.json").read_bytes() == first
    for name in ("vector_1k", "text_1k", "nodes_1k"):
        asked = [json.dumps(one) for one in json.loads((tmp_path / f"{name}.json").read_text("utf-8"))]
        assert len(set(asked)) == 1_000, name
    assert np.isfinite(corpus.vectors).all()
