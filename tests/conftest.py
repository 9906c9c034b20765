"""What all tests have in common."""

import gc
import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.source_documents.printing import print_tables
from tests.support.scale import scaled
from tests.support.tiers import held_to_tier, hold_to_tiers, is_slow

settings.register_profile(
    "any machine",
    deadline=None,
    max_examples=scaled(40),
    suppress_health_check=[HealthCheck.too_slow],
    # The same examples wherever a change is checked; others each time at full size.
    derandomize=scaled(1) == 1,
)
settings.load_profile("any machine")

IN_MEMORY = Path("/dev/shm")
ROOM_IN_MEMORY = 4 * 2**30


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick", action="store_true", help="run the quick tests alone (tests/support/tiers.py)"
    )


def pytest_configure() -> None:
    """Heed interrupts as in a terminal, here and in what tests start: `nohup make test &` would ignore them.

    And let numpy have one thread, as the service does: each process of a run would have as many as there are
    processors, and they spin.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("MEMORYBANK_LANG", "en")  # whatever the machine's locale is
    signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()  # until all is collected
    hold_to_tiers()
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


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave slow files unread where quick tests are asked for."""
    return True if config.getoption("quick") and is_slow(collection_path) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put files with slow tests first: what a processor takes up last, while others idle, is to be short."""
    for item in items:
        if is_slow(item.path):
            item.add_marker("slow")
    if config.getoption("quick"):
        config.hook.pytest_deselected(items=[item for item in items if _is_slow(item)])
        items[:] = [item for item in items if not _is_slow(item)]
    slow = {item.path for item in items if _is_slow(item)}
    items.sort(key=lambda item: item.path not in slow)


def pytest_collection_finish() -> None:
    """Spare the collector the ten thousand tests: they stay. It took a quarter of the time to find them."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Hold a quick test to what `make setup` brings."""
    with held_to_tier(item.nodeid, slow=_is_slow(item)):
        return (yield)


def _is_slow(item: pytest.Item) -> bool:
    return item.get_closest_marker("slow") is not None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    print_tables(terminalreporter)
