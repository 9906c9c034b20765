"""The command line against the real server, a process with the local embedder, shared by these tests."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
from click.testing import CliRunner

from service.cli import main
from service.cli.demo.server import running_server

BANKS = count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a command ended."""

    exit_code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        return json.loads(self.err)["error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """Runs commands against a server and, unless they say otherwise, a bank of the test's own."""

    server: str
    bank: str

    def __call__(self, *words: str, into: str | None = None, columns: int = 100) -> Ended:
        environment = {
            "MEMORYBANK_SERVER": self.server,
            "MEMORYBANK_BANK": self.bank,
            "COLUMNS": str(columns),
        }
        ended = CliRunner().invoke(main, list(words), input=into, env=environment, catch_exceptions=False)
        return Ended(exit_code=ended.exit_code, out=ended.stdout, err=ended.stderr)

    def done(self, *words: str, into: str | None = None) -> str:
        """The output of a command that must succeed."""
        ended = self(*words, into=into)
        assert ended.exit_code == 0, ended.err
        return ended.out

    def told(self, *words: str) -> Any:
        """The JSON of a command that must succeed."""
        return json.loads(self.done(*words, "--json"))


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    if given := os.environ.get("MEMORYBANK_TEST_SERVER"):  # one that runs already, while writing tests
        yield given
        return
    with running_server() as address:
        yield address


@pytest.fixture
def shell(server: str) -> Shell:
    return Shell(server=server, bank=f"cli-{os.getpid()}-{next(BANKS)}")
