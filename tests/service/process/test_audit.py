"""The audit's file while it cannot be written."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from time import monotonic, sleep

from structlog.testing import capture_logs

from service.process.audit import Audit

PATIENCE = 60.0  # seconds for a thread on a busy machine


def test_a_file_that_cannot_be_written_for_a_while_costs_lines_and_not_the_audit(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    os.mkfifo(file)  # writing there fails while nothing reads, as on a full disk
    reader = os.open(file, os.O_RDONLY | os.O_NONBLOCK)
    audit = Audit(file)
    os.close(reader)
    with capture_logs() as logged:
        audit.tell("call", method="lost")
        _wait_for(logged)

    reader = os.open(file, os.O_RDONLY | os.O_NONBLOCK)
    audit.tell("call", method="kept")
    audit.close()
    lines = [json.loads(line) for line in os.read(reader, 65_536).splitlines()]
    os.close(reader)

    assert [line["event"] for line in logged] == ["audit not written"]
    assert [line["method"] for line in lines if line["event"] == "call"] == ["kept"]
    assert [line["count"] for line in lines if line["event"] == "dropped"] == [1]


def _wait_for(logged: Sequence[object]) -> None:
    until = monotonic() + PATIENCE
    while not logged and monotonic() < until:
        sleep(0.01)
