"""The real server, a process with the local embedder, shared by the tests of the command line."""

import os
from collections.abc import Iterator
from itertools import count

import pytest

from tests.support.process import running_server
from tests.support.shell import Shell

BANKS = count(1)


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    with running_server() as address:
        yield address


@pytest.fixture
def shell(server: str) -> Shell:
    """With a bank of the test's own, not made yet."""
    return Shell(server=server, bank=f"cli-{os.getpid()}-{next(BANKS)}")
