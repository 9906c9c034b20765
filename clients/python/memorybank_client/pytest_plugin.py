"""Tests for a memory, in pytest: `pytest_plugins = ["memorybank_client.pytest_plugin"]` in a `conftest.py`.

def test_the_ferry(expect_memory):
    expect_memory(search="when does the ferry leave?", bank="trip", words="nine", within=1)

def test_all_that_we_rely_on(expect_memory):
    expect_memory.file("expect.yaml")
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memorybank_client.checking import Checker, Outcome
from memorybank_client.client import SyncMemoryBankClient
from memorybank_client.expectations import Expectation, expectation, read_expectations

SERVER = "MEMORYBANK_SERVER"
DEFAULT_SERVER = "127.0.0.1:7700"


class ExpectMemory:
    """Fails the test that calls it where a memory does not answer as expected, and says what came instead."""

    def __init__(self, client: SyncMemoryBankClient) -> None:
        self.client = client

    def __call__(self, **said: Any) -> None:
        """Checks one expectation: the words of an entry as keyword arguments, `absent` for `not`."""
        self._require([expectation(**said)], "")

    def file(self, path: str | Path, **defaults: str) -> None:
        """Checks every entry of a file. `defaults`: bank, user, collection, conversation, where it names none."""
        self._require(read_expectations(path, **defaults), f"{path}, ")

    def _require(self, expected: Iterable[Expectation], where: str) -> None:
        checker = Checker(self.client)  # anew: what is open may have changed since the last call
        broken = [outcome for outcome in map(checker.check, expected) if outcome.problems]
        if broken:
            pytest.fail("\n".join(_told(outcome, where) for outcome in broken), pytrace=False)


def _told(outcome: Outcome, where: str) -> str:
    expected = outcome.expectation
    line = f"line {expected.line}: " if expected.line else ""
    return "\n  ".join((f"{where}{line}{expected.call} {expected.query}", *outcome.problems))


@pytest.fixture(scope="session")
def memorybank_server() -> str:
    """The address of the memory to test: MEMORYBANK_SERVER, or 127.0.0.1:7700. Define your own to start one."""
    return os.environ.get(SERVER, DEFAULT_SERVER)


@pytest.fixture(scope="session")
def memorybank_client(memorybank_server: str) -> Iterator[SyncMemoryBankClient]:
    """A client of that memory."""
    with SyncMemoryBankClient(memorybank_server) as client:
        yield client


@pytest.fixture
def expect_memory(memorybank_client: SyncMemoryBankClient) -> ExpectMemory:
    """What checks expectations against that memory."""
    return ExpectMemory(memorybank_client)
