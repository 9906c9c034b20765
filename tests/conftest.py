"""What all tests have in common."""

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

from tests.source_documents.printing import print_tables

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


def pytest_configure() -> None:
    """Heed interrupts as in a terminal, here and in what tests start: `nohup make test &` would ignore them.

    And let numpy have one thread, as the service does: each process of a run would have as many as there are
    processors, and they spin.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put files with slow tests first: what a processor takes up last, while others idle, is to be short."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    print_tables(terminalreporter)
