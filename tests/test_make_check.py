"""`make check` tells the seconds of each step at its end, and which failed."""

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent
ALONE = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
"""What a make that runs these tests hands down would end up in the one under test."""


def check(folder: Path, **steps: str) -> tuple[int, list[str]]:
    """Runs `make check` with other steps; returns how it ended and the lines of its table."""
    given = [f"{name}={value}" for name, value in {**steps, "STEPS": str(folder / "steps")}.items()]
    ended = subprocess.run(
        ["make", "check", *given], check=False, cwd=ROOT, env=ALONE, capture_output=True, text=True
    )
    table = re.findall(r"^ *(?:\d+ s|not run)  .*$", ended.stdout, re.MULTILINE)
    return ended.returncode, [re.sub(r"^ *\d+ s", "N s", line).strip() for line in table]


def test_each_step_is_told_with_its_seconds(tmp_path: Path) -> None:
    ended = check(tmp_path, FETCHED="help", QUICK="help", LONG="")

    assert ended == (0, ["N s  help", "N s  help"])


def test_the_table_stands_there_when_a_step_fails(tmp_path: Path) -> None:
    status, table = check(tmp_path, FETCHED="help", QUICK="no-such-step", LONG="types test")

    assert status != 0
    assert table == ["N s  help", "N s  no-such-step  FAILED", "not run  types", "not run  test"]
