"""`make test` runs the quick tests, which need nothing that is fetched beside `.venv`; `make check` runs all."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.tiers import SLOW, TESTS, held_to_tier, is_slow


def test_what_is_listed_is_there() -> None:
    assert [each for each in SLOW if not (TESTS / each).exists()] == []


def test_a_folder_s_files_are_slow_and_its_neighbours_are_not() -> None:
    assert is_slow(TESTS / "e2e" / "test_killed.py")
    assert is_slow(TESTS / "service" / "api" / "test_fuzz.py")
    assert not is_slow(TESTS / "service" / "api" / "test_memory_bank.py")
    assert not is_slow(Path(__file__))


@pytest.mark.parametrize(
    "command",
    [["node", "main.js"], ["/usr/bin/npm"], [".venv/languages/go"], ["sh", "build/clients/players/go"]],
)
def test_a_quick_test_that_starts_what_is_fetched_fails(command: list[str]) -> None:
    with (
        held_to_tier("this one", slow=False),
        pytest.raises(AssertionError, match="this one is a quick test"),
    ):
        subprocess.run(command, check=False)


def test_it_may_start_the_program_itself() -> None:
    assert subprocess.run([sys.executable, "-c", "pass"], check=False).returncode == 0
