"""What all tests have in common."""

import os
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.source_documents.printing import print_tables
from tests.support.scale import scaled

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

IN_MEMORY = Path("/dev/shm")
ROOM_IN_MEMORY = 4 * 2**30


def pytest_configure() -> None:
    """Heed interrupts as in a terminal, here and in what tests start: `nohup make test &` would ignore them.

    And let numpy have one thread, as the service does: each process of a run would have as many as there are
    processors, and they spin.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("MEMORYBANK_LANG", "en")  # whatever the machine's locale is
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if scaled(1) == 1:
        _put_folders_in_memory()


def _put_folders_in_memory() -> None:
    """Put temporary folders on a file system without a disk, here and in what tests start.

    SQLite waits for the disk at each commit. What is killed finds all there again; no test cuts a machine's power.
    """
    if "TMPDIR" in os.environ or not IN_MEMORY.is_dir():
        return
    found = os.statvfs(IN_MEMORY)
    if found.f_flag & os.ST_NOEXEC or found.f_bavail * found.f_frsize < ROOM_IN_MEMORY:
        return
    os.environ["TMPDIR"] = tempfile.tempdir = str(IN_MEMORY)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put files with slow tests first: what a processor takes up last, while others idle, is to be short."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    print_tables(terminalreporter)
