"""System calls of a real process: what it acknowledges has been synced to the disk before."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
APPENDS = 20

CALL = re.compile(
    r"^(?P<thread>\d+)\s+(?:<\.\.\. (?P<resumed>\w+) resumed>|(?P<name>\w+)\((?P<arguments>.*))"
)


def traced(path: Path, trace: Path) -> list[str]:
    """The lines of strace for a process that appends to a store and prints `ack` after each append."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    strace = ["strace", "-f", "-y", "-e", "trace=fsync,fdatasync,write,pwrite64", "-o", str(trace)]
    appending = [sys.executable, "-m", "tests.support.appending", str(path), "w", str(APPENDS)]
    ran = subprocess.run(
        [*strace, *appending],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    if "ptrace" in ran.stderr:
        pytest.skip(f"strace may not trace here: {ran.stderr.strip()}")
    assert ran.stdout.count("ack") == APPENDS, ran.stderr
    return trace.read_text().splitlines()


def test_the_log_is_synced_before_every_acknowledgement(tmp_path: Path) -> None:
    lines = traced(tmp_path / "bank.db", tmp_path / "trace")

    syncing: dict[str, bool] = {}  # by thread: whether the call it is in syncs the log
    written = synced = False  # since the last acknowledgement
    acknowledged = 0
    for line in lines:
        call = CALL.match(line)
        if call is None:
            continue
        arguments = call["arguments"] or ""
        if call["name"] == "write" and re.match(r'1<.*>, "ack ', arguments):
            assert (written, synced) == (True, True), f"acknowledged before the sync: {line}"
            written = synced = False
            acknowledged += 1
        elif call["name"] == "pwrite64" and "bank.db-wal>" in arguments:
            written, synced = True, False
        elif call["name"] in ("fsync", "fdatasync"):
            syncing[call["thread"]] = "bank.db-wal>" in arguments
        if (call["name"] or call["resumed"]) in ("fsync", "fdatasync") and line.endswith("= 0"):
            synced = synced or syncing.get(call["thread"], False)

    assert acknowledged == APPENDS
