"""Logs: JSON on standard error, without what is remembered."""

import json
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import suppress

import pytest
import structlog

from service.process.current_call import CURRENT, CurrentCall
from service.process.logs import configure_logs


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


def test_events_are_json_lines_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("info", "json")

    structlog.get_logger("x").info("stored", bank_id="账本")
    logging.getLogger("some.library").warning("slow: %d", 3)
    structlog.get_logger("x").debug("not shown")

    out, err = capsys.readouterr()
    events = [json.loads(line) for line in err.splitlines()]
    assert out == ""
    assert [(e["event"], e["level"]) for e in events] == [("stored", "info"), ("slow: 3", "warning")]
    assert events[0]["bank_id"] == "账本"
    assert events[1]["logger"] == "some.library"


def test_a_line_of_a_call_has_its_request_id_and_the_trace_that_its_caller_sent(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logs("info", "json")
    sent = ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")

    for metadata in ((sent,), (("traceparent", "no trace"),)):
        call = CurrentCall(lambda metadata=metadata: metadata)  # type: ignore[misc]
        call.request_id = "r1"
        before = CURRENT.set(call)
        structlog.get_logger("x").info("stored")
        structlog.get_logger("x").info("answered")
        CURRENT.reset(before)
    structlog.get_logger("x").info("of no call")

    *lines, other = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    traces = [line["trace_id"] for line in lines]
    assert traces[:2] == ["0af7651916cd43dd8448eb211c80319c"] * 2
    assert traces[2] == traces[3] != "no trace"
    assert {line["request_id"] for line in lines} == {"r1"}
    assert "trace_id" not in other


@pytest.mark.parametrize("form", ["json", "console"])
def test_a_traceback_does_not_show_what_variables_held(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("info", form)
    memory = "a remembered secret"

    try:
        raise ValueError(len(memory))
    except ValueError as error:
        structlog.get_logger("x").error("defect", exc_info=error)

    err = capsys.readouterr().err
    assert "ValueError" in err
    assert "remembered" not in err


@pytest.mark.parametrize("form", ["json", "console"])
def test_logging_goes_on_when_the_log_is_no_longer_read(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    broken = os.fdopen(writing, "w")
    monkeypatch.setattr(sys, "stderr", broken)
    configure_logs("info", form)
    os.close(reading)

    structlog.get_logger("x").info("stored")
    logging.getLogger("some.library").warning("slow")

    with suppress(BrokenPipeError):
        broken.close()


def test_an_answer_whose_caller_has_gone_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("info", "json")
    of_grpc = logging.getLogger("grpc._cython.cygrpc")

    of_grpc.error("ExecuteBatchError raised in core by servicer method [/memorybank.v1.Retrieval/Search]")
    of_grpc.error("Unexpected [KeyError] raised by servicer method [/memorybank.v1.Retrieval/Search]")

    events = [json.loads(line)["event"] for line in capsys.readouterr().err.splitlines()]
    assert events == ["Unexpected [KeyError] raised by servicer method [/memorybank.v1.Retrieval/Search]"]
