"""The demo, as `make demo` runs it."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

BOUND = 60.0  # seconds that the demo may take on a laptop


@pytest.mark.slow
def test_the_demo_does_what_it_shows_and_leaves_nothing(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "TMPDIR": str(tmp_path),
        "MEMORYBANK_EMBEDDER__KIND": "openai",
    }  # not the demo's
    started = time.monotonic()

    ended = subprocess.run(
        [sys.executable, "-m", "service", "demo", "--json"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.monotonic() - started

    told = json.loads(ended.stdout)
    assert ended.returncode == 0, ended.stderr
    assert told["ok"]
    assert len(told["claims"]) >= 10
    assert all(told["claims"].values())
    assert list(tmp_path.iterdir()) == []
    print(f"demo: {seconds:.1f} s, {len(told['claims'])} claims")
    assert seconds < BOUND or os.getloadavg()[0] > (os.cpu_count() or 1)
