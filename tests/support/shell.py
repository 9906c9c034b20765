"""The command line, run in this process against a server."""

import json
from dataclasses import dataclass
from typing import Any

from click.testing import CliRunner

from service.cli import main


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a command ended."""

    exit_code: int
    out: str
    err: str

    @property
    def error(self) -> Any:
        """What a command with --json says of its failure."""
        return json.loads(self.err)["error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """Runs commands against a server and, unless they name another, one bank."""

    server: str
    bank: str = "default"

    def __call__(self, *words: str, into: str | None = None, columns: int = 100) -> Ended:
        environment = {
            "MEMORYBANK_SERVER": self.server,
            "MEMORYBANK_BANK": self.bank,
            "COLUMNS": str(columns),
        }
        ended = CliRunner().invoke(
            main,
            list(words),
            input=into,
            env=environment,
            catch_exceptions=False,
            prog_name="memorybank",
        )
        return Ended(exit_code=ended.exit_code, out=ended.stdout, err=ended.stderr)

    def done(self, *words: str, into: str | None = None) -> str:
        """The output of a command that must succeed."""
        ended = self(*words, into=into)
        assert ended.exit_code == 0, ended.err
        return ended.out

    def told(self, *words: str) -> Any:
        """The JSON of a command that must succeed."""
        return json.loads(self.done(*words, "--json"))
